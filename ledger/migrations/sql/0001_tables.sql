-- Where the money is (account), why it moved (entry), and how (line). docs/audit.md explains every column.
-- The three tables on the hot path carry few CHECKs (PostgreSQL parses them anew for every statement): single values are
-- checked by their domains, what concerns several columns by the triggers of 0001_guards.sql.

CREATE DOMAIN ledger.currency AS text COLLATE "C" CHECK (VALUE IN ('COIN', 'CARD', 'POINT'));
CREATE DOMAIN ledger.account_kind AS text COLLATE "C" CHECK (VALUE IN ('system', 'user', 'agent', 'seat', 'hold'));
CREATE DOMAIN ledger.entry_kind AS text COLLATE "C" CHECK (VALUE ~ '^[a-z][a-z_]{1,31}$');
CREATE DOMAIN ledger.key AS text COLLATE "C" CHECK (length(VALUE) BETWEEN 1 AND 200);
CREATE DOMAIN ledger.reason AS text CHECK (length(VALUE) <= 500);
CREATE DOMAIN ledger.digest AS bytea CHECK (length(VALUE) = 32);

-- One row, made when the database is loaded: restoring a dump makes it anew, and with it an epoch of transaction numbers.
CREATE MATERIALIZED VIEW ledger.epoch AS
  SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS id;

CREATE TABLE ledger.account (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind       ledger.account_kind NOT NULL,
  name       text COLLATE "C" NOT NULL,
  owner_ref  bigint NOT NULL,
  currency   ledger.currency NOT NULL,
  overdraft  boolean NOT NULL,
  frozen     boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  genesis    ledger.digest NOT NULL,
  -- The head of the account's chain, copied from its last line; the row is also the account's lock.
  seq        bigint NOT NULL DEFAULT 0,
  balance    bigint NOT NULL DEFAULT 0,
  head       bytea NOT NULL,
  CONSTRAINT account_identity UNIQUE (owner_ref, kind, currency, name),
  CONSTRAINT account_not_below_zero CHECK (overdraft OR balance >= 0)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_threshold = 200);

CREATE TABLE ledger.entry (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind     ledger.entry_kind NOT NULL,
  key      ledger.key NOT NULL,
  size     smallint NOT NULL,
  hand     bigint,
  room     bigint,
  hold     bigint REFERENCES ledger.entry,
  reversed bigint REFERENCES ledger.entry,
  actor    bigint,
  reason   ledger.reason NOT NULL DEFAULT '',
  at       timestamptz NOT NULL,
  epoch    bigint NOT NULL,
  xact     bigint NOT NULL,
  request  bytea NOT NULL,
  hash     bytea NOT NULL,
  CONSTRAINT entry_key UNIQUE (key)
);
CREATE UNIQUE INDEX entry_one_settlement ON ledger.entry (hand) WHERE kind IN ('settlement', 'void');
CREATE UNIQUE INDEX entry_one_close ON ledger.entry (hold) WHERE hold IS NOT NULL;
CREATE UNIQUE INDEX entry_one_reversal ON ledger.entry (reversed) WHERE reversed IS NOT NULL;
CREATE INDEX entry_by_hand ON ledger.entry (hand) WHERE hand IS NOT NULL AND kind NOT IN ('settlement', 'void');
CREATE INDEX entry_by_room ON ledger.entry (room) WHERE room IS NOT NULL;
CREATE INDEX entry_by_time ON ledger.entry USING brin (at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX entry_by_xact ON ledger.entry USING brin (epoch, xact) WITH (pages_per_range = 16, autosummarize = on);

-- Its references to account and entry are checked at commit, with the sums (check_entry, check_line), at half the price.
CREATE TABLE ledger.line (
  account_id bigint NOT NULL,
  seq        bigint NOT NULL,
  entry_id   bigint NOT NULL,
  n          smallint NOT NULL,
  amount     bigint NOT NULL,
  balance    bigint NOT NULL,
  prev       bytea NOT NULL,
  hash       bytea NOT NULL,
  PRIMARY KEY (account_id, seq),
  CONSTRAINT line_of_entry UNIQUE (entry_id, n)
);

-- Freezing and unfreezing, kept for ever.
CREATE TABLE ledger.account_event (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES ledger.account,
  frozen     boolean NOT NULL,
  actor      bigint,
  reason     ledger.reason NOT NULL CHECK (reason <> ''),
  at         timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX account_event_of ON ledger.account_event (account_id, id);

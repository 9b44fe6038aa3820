-- Seals: a Merkle root over every entry committed since the last one, chained. docs/audit.md says how to recompute them.

-- Sealing reads ranges of transaction numbers: a B-tree, not the block ranges of the first migration.
DROP INDEX ledger.entry_by_xact;
CREATE INDEX entry_by_xact ON ledger.entry (epoch, xact);

-- A restored database's epoch comes after every epoch in it, even where its clock is behind.
DROP MATERIALIZED VIEW ledger.epoch;
CREATE MATERIALIZED VIEW ledger.epoch AS
  SELECT greatest((extract(epoch FROM clock_timestamp()) * 1000)::bigint, (SELECT max(e.epoch) + 1 FROM ledger.entry e)) AS id;
GRANT SELECT ON ledger.epoch TO liuzhou_app;

-- Covers the entries of `epoch` whose transaction number is from_xact <= xact < to_xact.
CREATE TABLE ledger.seal (
  id        bigint PRIMARY KEY,
  epoch     bigint NOT NULL,
  from_xact bigint NOT NULL,
  to_xact   bigint NOT NULL,
  entries   bigint NOT NULL CHECK (entries > 0),
  at        timestamptz NOT NULL,
  root      ledger.digest NOT NULL,
  prev      ledger.digest NOT NULL,
  hash      ledger.digest NOT NULL,
  CONSTRAINT seal_range CHECK (from_xact < to_xact),
  CONSTRAINT seal_once UNIQUE (epoch, from_xact)
);

-- Ed25519 over the seal's hash, added when a key is set; another key may sign again.
CREATE TABLE ledger.seal_signature (
  seal_id    bigint NOT NULL REFERENCES ledger.seal,
  public_key ledger.digest NOT NULL,
  signature  bytea NOT NULL CHECK (length(signature) = 64),
  at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (seal_id, public_key)
);

-- The root of RFC 6962: pairs hashed with a leading 01, an odd one carried up as it is.
CREATE FUNCTION ledger.merkle_root(p_level bytea[]) RETURNS bytea LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  WHILE cardinality(p_level) > 1 LOOP
    SELECT array_agg(pair.hash ORDER BY pair.i) INTO p_level
      FROM (SELECT (u.i - 1) / 2 AS i,
                   CASE count(*) WHEN 2 THEN sha256('\x01'::bytea || string_agg(u.hash, ''::bytea ORDER BY u.i))
                                 ELSE string_agg(u.hash, ''::bytea) END AS hash
              FROM unnest(p_level) WITH ORDINALITY AS u(hash, i) GROUP BY (u.i - 1) / 2) pair;
  END LOOP;
  RETURN p_level[1];
END
$$;

-- Seals one range of one epoch; nothing when there is no entry in it.
CREATE FUNCTION ledger.seal_range(p_epoch bigint, p_from bigint, p_to bigint) RETURNS SETOF ledger.seal LANGUAGE plpgsql AS $$
DECLARE
  v_leaves bytea[];
  v_seal ledger.seal;
BEGIN
  SELECT array_agg(leaf.hash ORDER BY leaf.id) INTO v_leaves
    FROM (SELECT e.id, sha256('\x00'::bytea || e.hash || string_agg(l.hash, ''::bytea ORDER BY l.n)) AS hash
            FROM ledger.entry e JOIN ledger.line l ON l.entry_id = e.id
           WHERE e.epoch = p_epoch AND e.xact >= p_from AND e.xact < p_to
           GROUP BY e.id) leaf;
  IF v_leaves IS NULL THEN
    RETURN;
  END IF;
  SELECT coalesce(max(s.id), 0) + 1 INTO v_seal.id FROM ledger.seal s;
  SELECT s.hash INTO v_seal.prev FROM ledger.seal s WHERE s.id = v_seal.id - 1;
  v_seal.prev := coalesce(v_seal.prev, decode(repeat('00', 32), 'hex'));
  v_seal.epoch := p_epoch;
  v_seal.from_xact := p_from;
  v_seal.to_xact := p_to;
  v_seal.entries := cardinality(v_leaves);
  v_seal.at := clock_timestamp();
  v_seal.root := ledger.merkle_root(v_leaves);
  v_seal.hash := sha256(v_seal.prev || v_seal.root || int8send(v_seal.id) || int8send(p_epoch) || int8send(p_from)
    || int8send(p_to) || int8send(v_seal.entries) || int8send((extract(epoch FROM v_seal.at) * 1000000)::bigint));
  INSERT INTO ledger.seal SELECT v_seal.*;
  RETURN NEXT v_seal;
END
$$;

-- Seals everything that is committed and not sealed, up to the oldest transaction still running anywhere (one that
-- commits later is above the mark and is sealed later, however low its entry's number). Sealers queue on the lock.
CREATE FUNCTION ledger.seal() RETURNS SETOF ledger.seal LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_limit bigint;
  v_current bigint;
  v_epoch bigint;
  v_from bigint;
BEGIN
  LOCK TABLE ledger.seal IN EXCLUSIVE MODE;
  v_limit := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  SELECT e.id INTO v_current FROM ledger.epoch e;
  SELECT s.epoch, s.to_xact INTO v_epoch, v_from FROM ledger.seal s ORDER BY s.id DESC LIMIT 1;
  IF v_epoch IS NULL THEN
    v_epoch := (SELECT min(e.epoch) FROM ledger.entry e);
    v_from := 0;
  END IF;
  -- What a dump brought along unsealed: its transactions are all over, whatever their numbers.
  WHILE v_epoch < v_current LOOP
    RETURN QUERY SELECT * FROM ledger.seal_range(v_epoch, v_from, 9223372036854775807) WHERE v_from < 9223372036854775807;
    v_epoch := coalesce((SELECT min(e.epoch) FROM ledger.entry e WHERE e.epoch > v_epoch), v_current);
    v_from := 0;
  END LOOP;
  IF v_from < v_limit THEN
    RETURN QUERY SELECT * FROM ledger.seal_range(v_current, v_from, v_limit);
  END IF;
END
$$;

CREATE FUNCTION ledger.sign_seal(p_seal bigint, p_public_key bytea, p_signature bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ledger.seal_signature (seal_id, public_key, signature) VALUES (p_seal, p_public_key, p_signature)
  ON CONFLICT (seal_id, public_key) DO NOTHING;
  RETURN FOUND;
END
$$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['seal', 'seal_signature'] LOOP
    EXECUTE format('CREATE TRIGGER %1$s_no_change BEFORE UPDATE OR DELETE ON ledger.%1$I FOR EACH ROW EXECUTE FUNCTION ledger.refuse()', name);
    EXECUTE format('CREATE TRIGGER %1$s_no_truncate BEFORE TRUNCATE ON ledger.%1$I FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse()', name);
    EXECUTE format('ALTER TABLE ledger.%1$I ENABLE ALWAYS TRIGGER %1$s_no_change', name);
    EXECUTE format('ALTER TABLE ledger.%1$I ENABLE ALWAYS TRIGGER %1$s_no_truncate', name);
  END LOOP;
END
$$;

GRANT SELECT ON ledger.seal, ledger.seal_signature TO liuzhou_app;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ledger FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.seal, ledger.sign_seal TO liuzhou_app;

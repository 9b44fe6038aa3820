-- The desk's papers: movements that wait for a second admin, and the exports that were taken. Nothing is ever taken back.

CREATE TABLE ledger.proposal (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind     text COLLATE "C" NOT NULL CHECK (kind IN ('issue', 'burn', 'reversal')),
  account  bigint REFERENCES ledger.account,
  amount   bigint CHECK (amount > 0),
  entry    bigint REFERENCES ledger.entry,
  reason   ledger.reason NOT NULL CHECK (reason <> ''),
  proposer bigint NOT NULL,
  at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT proposal_shape CHECK (
    CASE kind WHEN 'reversal' THEN entry IS NOT NULL AND account IS NULL
              ELSE entry IS NULL AND account IS NOT NULL AND amount IS NOT NULL END)
);

CREATE TABLE ledger.decision (
  proposal_id bigint PRIMARY KEY REFERENCES ledger.proposal,
  approved    boolean NOT NULL,
  decider     bigint NOT NULL,
  reason      ledger.reason NOT NULL DEFAULT '',
  at          timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE ledger.export (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  actor   bigint NOT NULL,
  what    text NOT NULL CHECK (length(what) BETWEEN 1 AND 64),
  format  text NOT NULL CHECK (format IN ('csv', 'xlsx', 'json')),
  filters jsonb NOT NULL,
  rows    bigint NOT NULL CHECK (rows >= 0),
  at      timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE FUNCTION ledger.propose(p_kind text, p_account bigint, p_amount bigint, p_entry bigint, p_proposer bigint, p_reason text)
RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  INSERT INTO ledger.proposal (kind, account, amount, entry, proposer, reason)
  VALUES (p_kind, p_account, p_amount, p_entry, p_proposer, p_reason) RETURNING id;
END;

-- Somebody else than the proposer decides, once. True when this call was the one.
CREATE FUNCTION ledger.decide(p_proposal bigint, p_approved boolean, p_decider bigint, p_reason text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_proposer bigint;
BEGIN
  SELECT p.proposer INTO v_proposer FROM ledger.proposal p WHERE p.id = p_proposal;
  IF v_proposer IS NULL OR p_decider IS NULL THEN
    PERFORM ledger.fail('unknown_proposal', 'LZ015', jsonb_build_object('proposal', p_proposal));
  END IF;
  IF p_approved AND v_proposer = p_decider THEN
    PERFORM ledger.fail('second_admin', 'LZ016', jsonb_build_object('proposal', p_proposal));
  END IF;
  INSERT INTO ledger.decision (proposal_id, approved, decider, reason) VALUES (p_proposal, p_approved, p_decider, p_reason)
  ON CONFLICT (proposal_id) DO NOTHING;
  RETURN FOUND;
END
$$;

CREATE FUNCTION ledger.record_export(p_actor bigint, p_what text, p_format text, p_filters jsonb, p_rows bigint)
RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  INSERT INTO ledger.export (actor, what, format, filters, rows)
  VALUES (p_actor, p_what, p_format, p_filters, p_rows) RETURNING id;
END;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['proposal', 'decision', 'export'] LOOP
    EXECUTE format('CREATE TRIGGER %1$s_no_change BEFORE UPDATE OR DELETE ON ledger.%1$I FOR EACH ROW EXECUTE FUNCTION ledger.refuse()', name);
    EXECUTE format('CREATE TRIGGER %1$s_no_truncate BEFORE TRUNCATE ON ledger.%1$I FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse()', name);
    EXECUTE format('ALTER TABLE ledger.%1$I ENABLE ALWAYS TRIGGER %1$s_no_change', name);
    EXECUTE format('ALTER TABLE ledger.%1$I ENABLE ALWAYS TRIGGER %1$s_no_truncate', name);
  END LOOP;
END
$$;

GRANT SELECT ON ledger.proposal, ledger.decision, ledger.export TO liuzhou_app;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ledger FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.propose, ledger.decide, ledger.record_export TO liuzhou_app;

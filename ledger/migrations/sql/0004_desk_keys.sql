-- A proposal has a key, as an entry has: two clicks are one proposal.
ALTER TABLE ledger.proposal ADD COLUMN key ledger.key NOT NULL DEFAULT gen_random_uuid()::text;
ALTER TABLE ledger.proposal ALTER COLUMN key DROP DEFAULT;
ALTER TABLE ledger.proposal ADD CONSTRAINT proposal_key UNIQUE (key);

DROP FUNCTION ledger.propose;
CREATE FUNCTION ledger.propose(
  p_key text, p_kind text, p_account bigint, p_amount bigint, p_entry bigint, p_proposer bigint, p_reason text
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_id bigint;
BEGIN
  INSERT INTO ledger.proposal (key, kind, account, amount, entry, proposer, reason)
  VALUES (p_key, p_kind, p_account, p_amount, p_entry, p_proposer, p_reason)
  ON CONFLICT (key) DO NOTHING RETURNING id INTO v_id;
  IF v_id IS NULL THEN
    SELECT p.id INTO v_id FROM ledger.proposal p
     WHERE p.key = p_key AND (p.kind, p.account, p.amount, p.entry, p.proposer, p.reason::text)
       IS NOT DISTINCT FROM (p_kind, p_account, p_amount, p_entry, p_proposer, p_reason);
    IF v_id IS NULL THEN
      PERFORM ledger.fail('key_reused', 'LZ002', jsonb_build_object('key', p_key));
    END IF;
  END IF;
  RETURN v_id;
END
$$;
REVOKE EXECUTE ON FUNCTION ledger.propose FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.propose TO liuzhou_app;

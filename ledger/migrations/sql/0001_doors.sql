-- The application's doors, SECURITY DEFINER: the application itself has no right to write. The plans are made once
-- (a plan per call costs as much as the call), and always by index, as they are often made while the tables are empty.

-- Any entry but those whose lines follow from another entry (hold, capture, release, reversal).
CREATE FUNCTION ledger.post(
  p_kind text, p_key text, p_accounts bigint[], p_amounts bigint[], p_hand bigint, p_room bigint,
  p_actor bigint, p_reason text, OUT id bigint, OUT created boolean
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF p_kind IS NULL OR p_kind IN ('hold', 'capture', 'release', 'reversal') THEN
    PERFORM ledger.fail('bad_kind', 'LZ009', jsonb_build_object('kind', p_kind));
  END IF;
  id := ledger.write(p_kind, p_key, p_accounts, p_amounts, p_hand, p_room, NULL, NULL, p_actor, p_reason);
  created := id > 0;
  id := abs(id);
END
$$;

-- Sets an amount of a wallet aside on its owner's hold account.
CREATE FUNCTION ledger.hold(
  p_key text, p_account bigint, p_amount bigint, p_hand bigint, p_room bigint, p_actor bigint, p_reason text,
  OUT id bigint, OUT created boolean
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_from record;
  v_to bigint;
BEGIN
  SELECT a.kind, a.owner_ref, a.currency INTO v_from FROM ledger.account a WHERE a.id = p_account;
  IF NOT FOUND OR v_from.kind NOT IN ('user', 'agent') THEN
    PERFORM ledger.fail('unknown_account', 'LZ006', jsonb_build_object('account', p_account));
  END IF;
  IF p_amount IS NULL OR p_amount <= 0 THEN
    PERFORM ledger.fail('bad_lines', 'LZ003', '{"why": "amount"}');
  END IF;
  v_to := ledger.open_account('hold', '', v_from.owner_ref, v_from.currency);
  IF p_account < v_to THEN
    id := ledger.write('hold', p_key, ARRAY[p_account, v_to], ARRAY[-p_amount, p_amount], p_hand, p_room, NULL, NULL, p_actor, p_reason);
  ELSE
    id := ledger.write('hold', p_key, ARRAY[v_to, p_account], ARRAY[p_amount, -p_amount], p_hand, p_room, NULL, NULL, p_actor, p_reason);
  END IF;
  created := id > 0;
  id := abs(id);
END
$$;

-- Ends a hold, once: capture pays p_amount (null: all) to p_to and the rest back, release pays all back.
CREATE FUNCTION ledger.close_hold(
  p_kind text, p_key text, p_hold bigint, p_to bigint, p_amount bigint, p_hand bigint, p_room bigint,
  p_actor bigint, p_reason text, OUT id bigint, OUT created boolean
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_from bigint;
  v_held bigint;
  v_all bigint;
  v_accounts bigint[];
  v_amounts bigint[];
BEGIN
  SELECT min(l.account_id) FILTER (WHERE l.amount < 0), min(l.account_id) FILTER (WHERE l.amount > 0), max(l.amount)
    INTO v_from, v_held, v_all
    FROM ledger.entry e JOIN ledger.line l ON l.entry_id = e.id WHERE e.id = p_hold AND e.kind = 'hold';
  IF v_held IS NULL THEN
    PERFORM ledger.fail('unknown_hold', 'LZ011', jsonb_build_object('hold', p_hold));
  END IF;
  IF p_kind = 'release' THEN
    p_to := v_from;
    p_amount := v_all;
  ELSIF p_kind IS DISTINCT FROM 'capture' OR p_to IS NULL OR p_to IN (v_from, v_held) THEN
    PERFORM ledger.fail('bad_lines', 'LZ003', '{"why": "capture"}');
  END IF;
  p_amount := coalesce(p_amount, v_all);
  IF p_amount <= 0 OR p_amount > v_all THEN
    PERFORM ledger.fail('bad_lines', 'LZ003', '{"why": "amount"}');
  END IF;
  SELECT array_agg(w.account ORDER BY w.account), array_agg(w.amount ORDER BY w.account) INTO v_accounts, v_amounts
    FROM (VALUES (v_held, -v_all), (p_to, p_amount), (v_from, v_all - p_amount)) AS w(account, amount) WHERE w.amount <> 0;
  id := ledger.write(p_kind, p_key, v_accounts, v_amounts, p_hand, p_room, p_hold, NULL, p_actor, p_reason);
  created := id > 0;
  id := abs(id);
END
$$;

-- The opposite of an entry, once, with a reason. What belongs to a hold is undone by capture and release only.
CREATE FUNCTION ledger.reverse(
  p_key text, p_entry bigint, p_actor bigint, p_reason text, OUT id bigint, OUT created boolean
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_entry record;
  v_accounts bigint[];
  v_amounts bigint[];
BEGIN
  SELECT e.kind, e.hand, e.room INTO v_entry FROM ledger.entry e WHERE e.id = p_entry;
  IF NOT FOUND THEN
    PERFORM ledger.fail('unknown_entry', 'LZ012', jsonb_build_object('entry', p_entry));
  END IF;
  IF v_entry.kind IN ('hold', 'capture', 'release', 'reversal') OR coalesce(p_reason, '') = '' THEN
    PERFORM ledger.fail('not_reversible', 'LZ013', jsonb_build_object('entry', p_entry, 'kind', v_entry.kind));
  END IF;
  SELECT array_agg(l.account_id ORDER BY l.account_id), array_agg(-l.amount ORDER BY l.account_id) INTO v_accounts, v_amounts
    FROM ledger.line l WHERE l.entry_id = p_entry;
  id := ledger.write('reversal', p_key, v_accounts, v_amounts, v_entry.hand, v_entry.room, NULL, p_entry, p_actor, p_reason);
  created := id > 0;
  id := abs(id);
END
$$;

-- A frozen account pays nothing but penalties, burns and reversals; it still receives.
CREATE FUNCTION ledger.freeze(p_account bigint, p_frozen boolean, p_actor bigint, p_reason text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE ledger.account SET frozen = p_frozen WHERE id = p_account AND frozen <> p_frozen AND kind <> 'system';
  IF FOUND THEN
    INSERT INTO ledger.account_event (account_id, frozen, actor, reason) VALUES (p_account, p_frozen, p_actor, p_reason);
    RETURN true;
  END IF;
  PERFORM FROM ledger.account WHERE id = p_account AND kind <> 'system';
  IF NOT FOUND THEN
    PERFORM ledger.fail('unknown_account', 'LZ006', jsonb_build_object('account', p_account));
  END IF;
  RETURN false;
END
$$;

SELECT ledger.open_account('system', s.name, 0, c.code)
  FROM unnest(ARRAY['mint', 'grants', 'penalty', 'compensation', 'card_sales']) WITH ORDINALITY AS s(name, i),
       unnest(ARRAY['COIN', 'CARD', 'POINT']) WITH ORDINALITY AS c(code, j)
 ORDER BY c.j, s.i;

-- Not write, fail, explain: those are reached through the doors only.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ledger FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.open_account, ledger.post, ledger.hold, ledger.close_hold, ledger.reverse, ledger.freeze TO liuzhou_app;

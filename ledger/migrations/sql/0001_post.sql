-- The one writer of entries. Errors carry SQLSTATE LZ0xx, the code as the message and a JSON object as the detail.

CREATE FUNCTION ledger.fail(p_code text, p_state text, p_detail jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = p_state, MESSAGE = p_code, DETAIL = p_detail::text;
END
$$;

CREATE FUNCTION ledger.open_account(p_kind text, p_name text, p_owner_ref bigint, p_currency text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_id bigint;
  v_genesis bytea;
BEGIN
  IF p_currency IS NULL OR p_currency NOT IN ('COIN', 'CARD', 'POINT') THEN
    PERFORM ledger.fail('unknown_currency', 'LZ005', jsonb_build_object('currency', p_currency));
  END IF;
  LOOP
    SELECT id INTO v_id FROM ledger.account
     WHERE owner_ref = p_owner_ref AND kind = p_kind AND currency = p_currency AND name = p_name;
    IF FOUND THEN
      RETURN v_id;
    END IF;
    v_id := nextval('ledger.account_id_seq');
    v_genesis := sha256(convert_to(json_build_array(v_id, p_kind, p_name, p_owner_ref, p_currency)::text, 'UTF8'));
    INSERT INTO ledger.account (id, kind, name, owner_ref, currency, overdraft, genesis, head)
    OVERRIDING SYSTEM VALUE
    VALUES (v_id, p_kind, p_name, p_owner_ref, p_currency, false, v_genesis, v_genesis)
    ON CONFLICT ON CONSTRAINT account_identity DO NOTHING;
    IF FOUND THEN
      RETURN v_id;
    END IF;
  END LOOP;
END
$$;

-- What is wrong with the accounts of a refused entry, in the order in which it is told.
CREATE FUNCTION ledger.explain(p_kind text, p_accounts bigint[], p_amounts bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_bad record;
BEGIN
  SELECT w.id INTO v_bad FROM unnest(p_accounts) AS w(id) LEFT JOIN ledger.account a ON a.id = w.id WHERE a.id IS NULL LIMIT 1;
  IF FOUND THEN
    PERFORM ledger.fail('unknown_account', 'LZ006', jsonb_build_object('account', v_bad.id));
  END IF;
  SELECT a.currency, sum(w.amount) AS rest INTO v_bad
    FROM unnest(p_accounts, p_amounts) AS w(id, amount) JOIN ledger.account a ON a.id = w.id
   GROUP BY a.currency HAVING sum(w.amount) <> 0 LIMIT 1;
  IF FOUND THEN
    PERFORM ledger.fail('unbalanced', 'LZ014', jsonb_build_object('currency', v_bad.currency, 'rest', v_bad.rest));
  END IF;
  IF (SELECT bool_or(currency = 'CARD') AND bool_or(currency <> 'CARD') FROM ledger.account WHERE id = ANY (p_accounts)) THEN
    PERFORM ledger.fail('mixed_currencies', 'LZ007', '{}');
  END IF;
  SELECT a.id INTO v_bad
    FROM unnest(p_accounts, p_amounts) AS w(id, amount) JOIN ledger.account a ON a.id = w.id
   WHERE a.frozen AND w.amount < 0 LIMIT 1;
  IF FOUND AND p_kind NOT IN ('burn', 'reversal', 'penalty') THEN
    PERFORM ledger.fail('account_frozen', 'LZ004', jsonb_build_object('account', v_bad.id));
  END IF;
  SELECT a.id, a.owner_ref, a.currency, -(a.balance + w.amount) AS shortfall INTO v_bad
    FROM unnest(p_accounts, p_amounts) AS w(id, amount) JOIN ledger.account a ON a.id = w.id
   WHERE w.amount < 0 AND NOT a.overdraft AND a.balance + w.amount < 0 LIMIT 1;
  IF FOUND THEN
    PERFORM ledger.fail('insufficient_funds', 'LZ001', to_jsonb(v_bad));
  END IF;
END
$$;

-- Coins never go from player to player by way of a wallet: tables move them seat to seat only (DESIGN 6.8).
CREATE FUNCTION ledger.refuse_transfer(p_accounts bigint[], p_amounts bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM unnest(p_accounts, p_amounts) AS w(id, amount) JOIN ledger.account a ON a.id = w.id
    WHERE a.currency = 'COIN' AND a.kind <> 'system' HAVING bool_or(w.amount < 0) AND bool_or(w.amount > 0);
  IF FOUND THEN
    PERFORM ledger.fail('player_transfer', 'LZ008', '{}');
  END IF;
END
$$;

-- Writes one entry and its lines; p_accounts ascends. Returns the entry's id, negative when the key was there already.
CREATE FUNCTION ledger.write(
  p_kind text, p_key text, p_accounts bigint[], p_amounts bigint[], p_hand bigint, p_room bigint,
  p_hold bigint, p_reversed bigint, p_actor bigint, p_reason text
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_size int := cardinality(p_accounts);
  v_id bigint;
  v_at timestamptz;
  v_epoch bigint;
  v_xact bigint := pg_current_xact_id()::text::bigint;
  v_request bytea;
  v_hash bytea;
  v_heads bytea[];
  v_known record;
  v_found record;
BEGIN
  IF v_size IS NULL OR v_size < 2 OR v_size > 1000 OR v_size <> cardinality(p_amounts) THEN
    PERFORM ledger.fail('bad_lines', 'LZ003', '{"why": "size"}');
  END IF;
  FOR i IN 2..v_size LOOP
    IF NOT p_accounts[i - 1] < p_accounts[i] THEN
      PERFORM ledger.fail('bad_lines', 'LZ003', '{"why": "order"}');
    END IF;
  END LOOP;
  v_request := sha256(convert_to(json_build_array(p_kind, p_hand, p_room, p_hold, p_reversed, p_actor, p_reason,
    array_to_string(p_accounts, ' ', '?'), array_to_string(p_amounts, ' ', '?'))::text, 'UTF8'));

  -- Lock in id order. The next statements see what the lock holders before us committed.
  SELECT count(*) AS lines, array_agg(s.head) AS heads, sum(s.amount) AS total, min(s.currency) AS first, max(s.currency) AS last,
         bool_or(s.amount < 0 AND (s.frozen OR NOT s.overdraft AND s.balance + s.amount < 0)) AS refused,
         bool_or(s.kind = 'user' AND s.currency = 'COIN') AS wallet,
         min(s.owner_ref) FILTER (WHERE s.owner_ref > 0) <> max(s.owner_ref) AS several,
         bool_and(s.amount <> 0 AND abs(s.amount) <= 1000000000000000) AS sane
    INTO v_found
    FROM (SELECT a.head, a.currency, a.frozen, a.overdraft, a.balance, a.kind, a.owner_ref, w.amount
            FROM unnest(p_accounts, p_amounts) AS w(id, amount) JOIN ledger.account a ON a.id = w.id
           ORDER BY a.id FOR NO KEY UPDATE OF a) s;
  v_at := clock_timestamp();
  SELECT e.id INTO v_epoch FROM ledger.epoch e;
  v_id := nextval('ledger.entry_id_seq');
  v_hash := sha256(v_request || int8send(v_id) || int8send((extract(epoch FROM v_at) * 1000000)::bigint)
    || int8send(v_epoch) || int8send(v_xact) || convert_to(p_key, 'UTF8'));
  INSERT INTO ledger.entry (id, kind, key, size, hand, room, hold, reversed, actor, reason, at, epoch, xact, request, hash)
  OVERRIDING SYSTEM VALUE
  VALUES (v_id, p_kind, p_key, v_size, p_hand, p_room, p_hold, p_reversed, p_actor, p_reason, v_at, v_epoch, v_xact, v_request, v_hash)
  ON CONFLICT (key) DO NOTHING;
  IF NOT FOUND THEN
    SELECT e.id, e.request INTO v_known FROM ledger.entry e WHERE e.key = p_key;
    IF v_known.request IS DISTINCT FROM v_request THEN
      PERFORM ledger.fail('key_reused', 'LZ002', jsonb_build_object('key', p_key, 'entry', v_known.id));
    END IF;
    RETURN -v_known.id;
  END IF;

  IF v_found.sane IS NOT TRUE AND v_found.lines = v_size THEN
    PERFORM ledger.fail('bad_lines', 'LZ003', '{"why": "amount"}');
  END IF;
  IF v_found.lines <> v_size OR v_found.total <> 0 OR v_found.first <> v_found.last OR v_found.refused THEN
    PERFORM ledger.explain(p_kind, p_accounts, p_amounts);
  END IF;
  IF v_found.wallet AND v_found.several THEN
    PERFORM ledger.refuse_transfer(p_accounts, p_amounts);
  END IF;

  v_heads := v_found.heads;
  WITH moved AS (
    UPDATE ledger.account a
       SET seq = a.seq + 1, balance = a.balance + w.amount,
           head = sha256(w.prev || int8send(a.id) || int8send(a.seq + 1) || int8send(v_id) || int4send(w.n::int)
                         || int8send(w.amount) || int8send(a.balance + w.amount) || v_hash)
      FROM unnest(p_accounts, p_amounts, v_heads) WITH ORDINALITY AS w(id, amount, prev, n)
     WHERE a.id = w.id
    RETURNING a.id, a.seq, a.balance, a.head, w.amount, w.prev, w.n)
  INSERT INTO ledger.line (account_id, seq, entry_id, n, amount, balance, prev, hash)
  SELECT m.id, m.seq, v_id, m.n, m.amount, m.balance, m.prev, m.head FROM moved m;
  RETURN v_id;
END
$$;


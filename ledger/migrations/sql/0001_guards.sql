-- What nobody may do, superusers included unless they first disable the triggers (audit_ledger reports disabled ones).

CREATE FUNCTION ledger.refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'LZ900', MESSAGE = 'immutable',
    DETAIL = format('%s on %I.%I', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME);
END
$$;

-- At commit: the entry's lines are n = 1..size, each on an account that exists, and sum to zero in each currency.
CREATE FUNCTION ledger.check_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_sum record;
BEGIN
  SELECT count(a.id) AS lines, min(l.n) AS first, max(l.n) AS last, sum(l.amount) AS total,
         min(a.currency COLLATE "C") AS one, max(a.currency COLLATE "C") AS other, bool_and(l.amount <> 0) AS moved
    INTO v_sum
    FROM ledger.line l JOIN ledger.account a ON a.id = l.account_id
   WHERE l.entry_id = NEW.id;
  IF NEW.size >= 2 AND v_sum.lines = NEW.size AND v_sum.first = 1 AND v_sum.last = NEW.size AND v_sum.moved
     AND v_sum.total = 0
     AND (v_sum.one = v_sum.other OR NOT EXISTS (
       SELECT FROM ledger.line l JOIN ledger.account a ON a.id = l.account_id
        WHERE l.entry_id = NEW.id GROUP BY a.currency HAVING sum(l.amount) <> 0))
     AND (NEW.hold IS NOT NULL) = (NEW.kind IN ('capture', 'release'))
     AND (NEW.reversed IS NOT NULL) = (NEW.kind = 'reversal')
     AND (NEW.hand IS NOT NULL OR NEW.kind NOT IN ('settlement', 'void'))
  THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'LZ901', MESSAGE = 'unbalanced', DETAIL = format('entry %s', NEW.id);
END
$$;

-- A line belongs to an entry that is there and announced it. As n is unique in the entry and check_entry wants 1..size,
-- no line can ever be added to an entry that was committed.
CREATE FUNCTION ledger.check_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM ledger.entry e WHERE e.id = NEW.entry_id AND e.size >= NEW.n;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'LZ901', MESSAGE = 'unbalanced', DETAIL = format('line %s of entry %s', NEW.n, NEW.entry_id);
  END IF;
  RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER entry_balanced AFTER INSERT ON ledger.entry
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger.check_entry();
CREATE CONSTRAINT TRIGGER line_balanced AFTER INSERT ON ledger.line
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger.check_line();
ALTER TABLE ledger.entry ENABLE ALWAYS TRIGGER entry_balanced;
ALTER TABLE ledger.line ENABLE ALWAYS TRIGGER line_balanced;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['entry', 'line', 'account_event'] LOOP
    EXECUTE format('CREATE TRIGGER %1$s_no_change BEFORE UPDATE OR DELETE ON ledger.%1$I FOR EACH ROW EXECUTE FUNCTION ledger.refuse()', name);
    EXECUTE format('CREATE TRIGGER %1$s_no_truncate BEFORE TRUNCATE ON ledger.%1$I FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse()', name);
    EXECUTE format('ALTER TABLE ledger.%1$I ENABLE ALWAYS TRIGGER %1$s_no_change', name);
    EXECUTE format('ALTER TABLE ledger.%1$I ENABLE ALWAYS TRIGGER %1$s_no_truncate', name);
  END LOOP;
END
$$;

-- An account is well-formed when it is made, and stays what it is: only its head and its freeze move.
CREATE FUNCTION ledger.shape_account() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.overdraft := NEW.kind = 'system' OR (NEW.kind = 'user' AND NEW.currency = 'POINT');
  IF length(NEW.name) > 64 OR NEW.owner_ref < 0
     OR (NEW.kind = 'system') <> (NEW.owner_ref = 0)
     OR (NEW.kind = 'system' AND NEW.name NOT IN ('mint', 'grants', 'penalty', 'compensation', 'card_sales'))
     OR (NEW.kind IN ('user', 'agent', 'hold') AND NEW.name <> '')
     OR (NEW.kind = 'seat' AND NEW.name = '')
     OR (NEW.kind = 'agent' AND NEW.currency <> 'CARD')
     OR NEW.seq <> 0 OR NEW.balance <> 0 OR NEW.head <> NEW.genesis
  THEN
    RAISE EXCEPTION USING ERRCODE = 'LZ010', MESSAGE = 'bad_account',
      DETAIL = jsonb_build_object('kind', NEW.kind, 'name', NEW.name, 'owner_ref', NEW.owner_ref, 'currency', NEW.currency)::text;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER account_shape BEFORE INSERT ON ledger.account FOR EACH ROW EXECUTE FUNCTION ledger.shape_account();
CREATE TRIGGER account_no_change
  BEFORE UPDATE OF id, kind, name, owner_ref, currency, overdraft, genesis, created_at ON ledger.account
  FOR EACH ROW EXECUTE FUNCTION ledger.refuse();
CREATE TRIGGER account_no_delete BEFORE DELETE ON ledger.account FOR EACH ROW EXECUTE FUNCTION ledger.refuse();
CREATE TRIGGER account_no_truncate BEFORE TRUNCATE ON ledger.account FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse();
ALTER TABLE ledger.account ENABLE ALWAYS TRIGGER account_shape;
ALTER TABLE ledger.account ENABLE ALWAYS TRIGGER account_no_change;
ALTER TABLE ledger.account ENABLE ALWAYS TRIGGER account_no_delete;
ALTER TABLE ledger.account ENABLE ALWAYS TRIGGER account_no_truncate;

-- Read for the application (statements, audit pages); every write goes through a function.
GRANT SELECT ON ALL TABLES IN SCHEMA ledger TO liuzhou_app;

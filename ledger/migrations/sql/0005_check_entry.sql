-- The check at commit, as before, at half the price: no subquery in an expression (PL/pgSQL plans such a one anew for every
-- row), fewer aggregates. As n is unique in the entry, `size` lines with n in 1..size are exactly 1..size.
CREATE OR REPLACE FUNCTION ledger.check_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_sum record;
BEGIN
  SELECT count(a.id) AS lines, sum(l.amount) AS total, bool_and(l.amount <> 0 AND l.n BETWEEN 1 AND NEW.size) AS sane,
         min(a.currency COLLATE "C") AS one, max(a.currency COLLATE "C") AS other
    INTO v_sum
    FROM ledger.line l JOIN ledger.account a ON a.id = l.account_id
   WHERE l.entry_id = NEW.id;
  IF NEW.size >= 2 AND v_sum.lines = NEW.size AND v_sum.sane AND v_sum.total = 0
     AND (NEW.hold IS NOT NULL) = (NEW.kind IN ('capture', 'release'))
     AND (NEW.reversed IS NOT NULL) = (NEW.kind = 'reversal')
     AND (NEW.hand IS NOT NULL OR NEW.kind NOT IN ('settlement', 'void'))
  THEN
    IF v_sum.one = v_sum.other THEN
      RETURN NULL;
    END IF;
    PERFORM FROM ledger.line l JOIN ledger.account a ON a.id = l.account_id
      WHERE l.entry_id = NEW.id GROUP BY a.currency HAVING sum(l.amount) <> 0;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'LZ901', MESSAGE = 'unbalanced', DETAIL = format('entry %s', NEW.id);
END
$$;

-- What auditors read, with SQL (liuzhou_auditor) and on the audit pages. Days are Shanghai's.

CREATE VIEW audit.account WITH (security_barrier) AS
  SELECT a.id, a.kind, a.name, a.owner_ref, a.currency, a.overdraft, a.frozen, a.created_at, a.seq AS movements, a.balance,
         a.genesis, a.head
    FROM ledger.account a;

CREATE VIEW audit.entry WITH (security_barrier) AS
  SELECT e.id, e.kind, e.key, e.size, e.hand, e.room, e.hold, e.reversed, e.actor, e.reason, e.at, e.epoch, e.xact, e.request, e.hash
    FROM ledger.entry e;

CREATE VIEW audit.line WITH (security_barrier) AS
  SELECT l.account_id, l.seq, l.entry_id, l.n, l.amount, l.balance, l.prev, l.hash,
         a.kind AS account_kind, a.name AS account_name, a.owner_ref, a.currency,
         e.kind, e.key, e.hand, e.room, e.hold, e.reversed, e.actor, e.reason, e.at
    FROM ledger.line l JOIN ledger.account a ON a.id = l.account_id JOIN ledger.entry e ON e.id = l.entry_id;

CREATE VIEW audit.seal WITH (security_barrier) AS
  SELECT s.id, s.epoch, s.from_xact, s.to_xact, s.entries, s.at, s.root, s.prev, s.hash, g.public_key, g.signature
    FROM ledger.seal s LEFT JOIN ledger.seal_signature g ON g.seal_id = s.id;

CREATE VIEW audit.entry_seal WITH (security_barrier) AS
  SELECT e.id AS entry_id, s.id AS seal_id
    FROM ledger.entry e LEFT JOIN ledger.seal s ON s.epoch = e.epoch AND s.from_xact <= e.xact AND e.xact < s.to_xact;

CREATE VIEW audit.account_event WITH (security_barrier) AS
  SELECT v.id, v.account_id, v.frozen, v.actor, v.reason, v.at FROM ledger.account_event v;

CREATE VIEW audit.export WITH (security_barrier) AS
  SELECT x.id, x.actor, x.what, x.format, x.filters, x.rows, x.at FROM ledger.export x;

CREATE VIEW audit.proposal WITH (security_barrier) AS
  SELECT p.id, p.kind, p.account, p.amount, p.entry, p.reason, p.proposer, p.at,
         d.approved, d.decider, d.reason AS decision_reason, d.at AS decided_at
    FROM ledger.proposal p LEFT JOIN ledger.decision d ON d.proposal_id = p.id;

-- Per day, kind and currency: how many entries, how much they moved, and what that added to circulation.
CREATE VIEW audit.daily_total WITH (security_barrier) AS
  SELECT (e.at AT TIME ZONE 'Asia/Shanghai')::date AS day, e.kind, a.currency, count(DISTINCT e.id) AS entries,
         coalesce(sum(l.amount) FILTER (WHERE l.amount > 0), 0)::bigint AS moved,
         coalesce(sum(l.amount) FILTER (WHERE a.kind <> 'system'), 0)::bigint AS into_circulation
    FROM ledger.entry e JOIN ledger.line l ON l.entry_id = e.id JOIN ledger.account a ON a.id = l.account_id
   GROUP BY 1, 2, 3;

-- Where all of a currency is: the system accounts one by one, the others by kind. Each currency sums to zero.
CREATE VIEW audit.money_supply WITH (security_barrier) AS
  SELECT a.currency, a.kind, CASE a.kind WHEN 'system' THEN a.name ELSE '' END AS name,
         count(*) AS accounts, coalesce(sum(a.balance), 0)::bigint AS balance
    FROM ledger.account a GROUP BY 1, 2, 3;

-- What must not be: always empty. The hashes are recomputed by manage.py audit_ledger.
CREATE VIEW audit.violation WITH (security_barrier) AS
  WITH facts AS (
    SELECT e.id, e.size, count(l.entry_id) AS lines, min(l.n) AS first, max(l.n) AS last,
           coalesce(sum(l.amount) FILTER (WHERE a.currency = 'COIN'), 0) AS coin,
           coalesce(sum(l.amount) FILTER (WHERE a.currency = 'CARD'), 0) AS card,
           coalesce(sum(l.amount) FILTER (WHERE a.currency = 'POINT'), 0) AS point,
           bool_or(a.currency = 'CARD') AND bool_or(a.currency <> 'CARD') AS mixed
      FROM ledger.entry e LEFT JOIN ledger.line l ON l.entry_id = e.id LEFT JOIN ledger.account a ON a.id = l.account_id
     GROUP BY e.id
  ), chain AS (
    SELECT l.account_id, l.seq, l.entry_id, l.amount, l.balance,
           lag(l.seq, 1, 0::bigint) OVER w AS seq_before, lag(l.balance, 1, 0::bigint) OVER w AS balance_before,
           lead(l.seq) OVER w AS seq_after, l.hash
      FROM ledger.line l WINDOW w AS (PARTITION BY l.account_id ORDER BY l.seq)
  )
  SELECT 'entry_unbalanced' AS rule, f.id AS entry_id, NULL::bigint AS account_id,
         format('sums to COIN %s, CARD %s, POINT %s', f.coin, f.card, f.point) AS what
    FROM facts f WHERE f.coin <> 0 OR f.card <> 0 OR f.point <> 0
  UNION ALL
  SELECT 'entry_lines', f.id, NULL, format('%s lines of %s', f.lines, f.size)
    FROM facts f WHERE f.lines <> f.size OR f.first <> 1 OR f.last <> f.size
  UNION ALL
  SELECT 'entry_mixed', f.id, NULL, 'cards share the entry with another currency' FROM facts f WHERE f.mixed
  UNION ALL
  SELECT 'line_orphan', l.entry_id, l.account_id, format('line %s of the account has no entry or no account', l.seq)
    FROM ledger.line l LEFT JOIN ledger.entry e ON e.id = l.entry_id LEFT JOIN ledger.account a ON a.id = l.account_id
   WHERE e.id IS NULL OR a.id IS NULL
  UNION ALL
  SELECT 'line_sequence', c.entry_id, c.account_id, format('line %s follows line %s', c.seq, c.seq_before)
    FROM chain c WHERE c.seq <> c.seq_before + 1
  UNION ALL
  SELECT 'line_balance', c.entry_id, c.account_id, format('%s %s is not %s', c.balance_before, to_char(c.amount, 'SG999999999999999'), c.balance)
    FROM chain c WHERE c.balance <> c.balance_before + c.amount
  UNION ALL
  SELECT 'account_head', NULL, a.id, format('head says %s after %s lines, the lines say %s after %s', a.balance, a.seq, c.balance, c.seq)
    FROM ledger.account a LEFT JOIN chain c ON c.account_id = a.id AND c.seq_after IS NULL
   WHERE a.balance <> coalesce(c.balance, 0) OR a.seq <> coalesce(c.seq, 0) OR a.head <> coalesce(c.hash, a.genesis)
  UNION ALL
  SELECT 'below_zero', c.entry_id, c.account_id, format('balance %s after line %s', c.balance, c.seq)
    FROM chain c JOIN ledger.account a ON a.id = c.account_id WHERE c.balance < 0 AND NOT a.overdraft
  UNION ALL
  SELECT 'hand_settled_twice', max(e.id), NULL, format('hand %s: %s settlements or voids', e.hand, count(*))
    FROM ledger.entry e WHERE e.kind IN ('settlement', 'void') GROUP BY e.hand HAVING count(*) > 1
  UNION ALL
  SELECT 'key_twice', max(e.id), NULL, format('key %s: %s entries', e.key, count(*))
    FROM ledger.entry e GROUP BY e.key HAVING count(*) > 1
  UNION ALL
  SELECT 'hold_closed_twice', max(e.id), NULL, format('hold %s: closed %s times', e.hold, count(*))
    FROM ledger.entry e WHERE e.hold IS NOT NULL GROUP BY e.hold HAVING count(*) > 1
  UNION ALL
  SELECT 'hold_amount', e.id, l.account_id, format('takes %s of hold %s, which set aside %s', -l.amount, e.hold, h.amount)
    FROM ledger.entry e JOIN ledger.line h ON h.entry_id = e.hold AND h.amount > 0
    LEFT JOIN ledger.line l ON l.entry_id = e.id AND l.account_id = h.account_id
   WHERE e.hold IS NOT NULL AND l.amount IS DISTINCT FROM -h.amount
  UNION ALL
  SELECT 'reversed_twice', max(e.id), NULL, format('entry %s: reversed %s times', e.reversed, count(*))
    FROM ledger.entry e WHERE e.reversed IS NOT NULL GROUP BY e.reversed HAVING count(*) > 1
  UNION ALL
  SELECT 'reversal_differs', e.id, l.account_id, format('is not the opposite of entry %s', e.reversed)
    FROM ledger.entry e JOIN ledger.line l ON l.entry_id = e.id
   WHERE e.reversed IS NOT NULL AND NOT EXISTS (
     SELECT FROM ledger.line o WHERE o.entry_id = e.reversed AND o.account_id = l.account_id AND o.amount = -l.amount)
  UNION ALL
  SELECT 'reversal_differs', e.id, NULL, format('has %s lines, entry %s has %s', e.size, e.reversed, o.size)
    FROM ledger.entry e JOIN ledger.entry o ON o.id = e.reversed WHERE e.size <> o.size;

GRANT SELECT ON ALL TABLES IN SCHEMA audit TO liuzhou_auditor, liuzhou_app;

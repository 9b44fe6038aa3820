-- An agent's wholesale order 进货 above one admin's limit waits for a second one, as an issue does.
ALTER TABLE ledger.proposal DROP CONSTRAINT proposal_kind_check;
ALTER TABLE ledger.proposal ADD CONSTRAINT proposal_kind_check CHECK (kind IN ('issue', 'burn', 'reversal', 'purchase'));

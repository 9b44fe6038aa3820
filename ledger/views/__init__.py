"""The ledger's pages: a player's own statement, and the auditors' desk."""

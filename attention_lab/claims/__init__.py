"""What the documents claim, and the ledger that measures it."""

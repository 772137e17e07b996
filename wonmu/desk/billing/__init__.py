"""The billing desk: the ledger and what a specialist may do with it."""

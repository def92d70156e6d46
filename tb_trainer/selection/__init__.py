"""Which tasks teach this policy: difficulty estimated from its own attempts, offline."""

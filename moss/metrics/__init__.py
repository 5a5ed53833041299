"""`/metrics` for Prometheus; docs/do/operations.md lists what it says, decision 28 says how it is made."""

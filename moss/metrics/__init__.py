"""`/metrics` for Prometheus; docs/do/operations.md lists what it says, decision 14 says how it is made."""

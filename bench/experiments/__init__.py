"""The papers' experiments, repeated: one module for each experiment."""

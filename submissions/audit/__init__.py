"""The audit log: who saw, decided, exported, shared or deleted whose work."""

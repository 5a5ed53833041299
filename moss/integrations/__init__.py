"""The ways in: accounts, the API, learning platforms, webhooks and clients of the MOSS service."""

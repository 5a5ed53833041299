from tests.support.campus import campus, provider

__all__ = ["campus", "provider"]

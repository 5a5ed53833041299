"""Private keys for tests."""

from functools import cache

from cryptography.hazmat.primitives.asymmetric import rsa


@cache
def private_key(number: int) -> rsa.RSAPrivateKey:
    """Return a private key, for a number the same one in every test: to make one takes 40 ms."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)

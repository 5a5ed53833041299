"""The parameters that determine the fingerprints of a document; stored with all that depends on them."""

from __future__ import annotations

from dataclasses import dataclass

# Raise it whenever the same tokens would get other fingerprints: when hashing, mixing or selection changes.
ENGINE_VERSION = 1


@dataclass(frozen=True, slots=True)
class Params:
    """Parameters of winnowing (section 3): tokens in a k-gram, and hashes in a window.

    No match shorter than `k` tokens is detected, and every match of at least `guarantee` tokens is. Raises
    ValueError when `k` or `window` is below 1.
    """

    k: int = 9
    window: int = 4

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k is {self.k}; a k-gram has at least 1 token")
        if self.window < 1:
            raise ValueError(f"window is {self.window}; a window holds at least 1 hash")

    @property
    def guarantee(self) -> int:
        """Length in tokens from which a shared run is always detected: t = w + k - 1."""
        return self.window + self.k - 1


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything that a stored fingerprint depends on; only fingerprints of equal profiles are compared.

    `language` is the name of a front-end; `frontend_version` is raised when its tokens change.
    """

    language: str
    frontend_version: int
    params: Params
    engine_version: int = ENGINE_VERSION

    @property
    def key(self) -> str:
        """Unique text form of the profile: `java.1-k9w4-e1`."""
        params = self.params
        return f"{self.language}.{self.frontend_version}-k{params.k}w{params.window}-e{self.engine_version}"

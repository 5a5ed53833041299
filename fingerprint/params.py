"""What decides which fingerprints a document gets; stored beside everything made with it."""

from __future__ import annotations

from dataclasses import dataclass

# Rises whenever the same tokens would give other fingerprints: hashing, mixing or selection changed.
ENGINE_VERSION = 1


@dataclass(frozen=True, slots=True)
class Params:
    """Thresholds of winnowing (section 3): no match under `k` tokens is seen, none of `guarantee` is missed.

    Raises
    ------
    ValueError
        When `k` or `window` is below 1.
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
        """Length in tokens from which a shared run is always found: t = w + k - 1."""
        return self.window + self.k - 1


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything a stored fingerprint depends on; only equal profiles are compared.

    `language` is a front-end's name, `frontend_version` rises when its tokens change.
    """

    language: str
    frontend_version: int
    params: Params
    engine_version: int = ENGINE_VERSION

    @property
    def key(self) -> str:
        """Text form, unique a profile: `java.1-k9w4-e1`."""
        p = self.params
        return f"{self.language}.{self.frontend_version}-k{p.k}w{p.window}-e{self.engine_version}"

"""The clustering of near-duplicates (syntactic-clustering, "Algorithms")."""

from fingerprint.unionfind import UnionFind, components

__all__ = ["UnionFind", "components"]

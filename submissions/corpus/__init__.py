"""Archive screening: documents kept as sketches, features and SimHashes, found again by what they share."""

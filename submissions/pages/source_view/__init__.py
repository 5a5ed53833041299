"""Two submissions beside each other: sources as HTML with their passages and what was written differently."""

"""Forms: validation of what users enter and upload."""

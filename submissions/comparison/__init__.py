"""Facts about compared submissions that pages, commands and the API state alike; without Django."""

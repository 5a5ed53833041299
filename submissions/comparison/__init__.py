"""What pages, commands and the API state alike of submissions that were compared; without Django."""

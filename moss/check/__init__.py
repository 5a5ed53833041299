"""`moss check`: rank a folder or an archive in the terminal, without any service and without Django."""

"""`moss check`: rank a folder or an archive here and now, without any service and without Django."""

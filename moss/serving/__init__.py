"""`moss serve`: web server, worker and scheduler under one supervisor."""

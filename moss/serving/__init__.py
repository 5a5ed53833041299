"""`moss serve`: the web server, the worker and the scheduler, run by one supervisor."""

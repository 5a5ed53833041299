"""Upload a folder to a server by its API, and wait for the report; needs neither Django nor the engine."""

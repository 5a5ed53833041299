"""A private Postgres and Valkey, started where DATABASE_URL or REDIS_URL is not set.

client      the folders, sockets and URLs of an installation; it starts the daemon and keeps it running
daemon      owns the servers, restarts them, and stops them when the last client has disconnected
servers     initialises, starts, checks and stops each server
exec_guard  ends a program together with the process that started it
"""

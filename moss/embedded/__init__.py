"""A private Postgres and Valkey, started where DATABASE_URL or REDIS_URL is not set.

client      starts the daemon and keeps it running while this process needs the servers
daemon      owns the servers, restarts them, and stops them when the last client has disconnected
servers     initialises, starts, checks and stops each server
paths       the folders and sockets of an installation
exec_guard  ends a program together with the process that started it
"""

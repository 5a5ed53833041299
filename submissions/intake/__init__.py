"""The way of an upload from its archive to the files of each submission; without Django."""

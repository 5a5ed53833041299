"""What is handed in, from the archive to the files of each submission; without Django."""

"""What keeps an installation running: its doctor, backups, maintenance, metrics and health."""

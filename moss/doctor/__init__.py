"""What `moss doctor` checks."""

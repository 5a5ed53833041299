"""What every feature stands on: rights, names of students and their hiding, mails, the database."""

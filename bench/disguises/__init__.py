"""What people do to hide a copy, done by machine: a program's text in, a disguised one's out."""

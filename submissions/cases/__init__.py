"""Decisions on pairs and on cases, suspicions, statements of students, documents for a hearing."""

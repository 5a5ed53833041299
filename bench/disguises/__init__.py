"""Disguises: functions that change a program's text as people do to hide a copy."""

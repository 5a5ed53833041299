"""Settings of how long things are kept, from the environment."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

from moss.variables import value

# An upload that nobody has had read is deleted this many days after it was last changed.
PREVIEW_DAYS = value("MOSS_PREVIEW_DAYS")
# Months that assignments are kept where a course states none, and that no course exceeds; 0 for no limit.
KEEP_MONTHS, KEEP_MONTHS_MOST = value("MOSS_KEEP_MONTHS"), value("MOSS_KEEP_MONTHS_MOST")
if KEEP_MONTHS_MOST and KEEP_MONTHS > KEEP_MONTHS_MOST:
    raise ImproperlyConfigured("MOSS_KEEP_MONTHS is more than MOSS_KEEP_MONTHS_MOST.")
# Days that sources are kept after the last report, likewise.
KEEP_SOURCES_DAYS = value("MOSS_KEEP_SOURCES_DAYS")
KEEP_SOURCES_DAYS_MOST = value("MOSS_KEEP_SOURCES_DAYS_MOST")
if KEEP_SOURCES_DAYS_MOST and KEEP_SOURCES_DAYS > KEEP_SOURCES_DAYS_MOST:
    raise ImproperlyConfigured("MOSS_KEEP_SOURCES_DAYS is more than MOSS_KEEP_SOURCES_DAYS_MOST.")
# For whom `moss backup` encrypts; empty for nobody.
BACKUP_RECIPIENT = value("MOSS_BACKUP_RECIPIENT")
# Days after which whoever runs the service deletes backups; 0 where it is not stated.
BACKUP_DAYS = value("MOSS_BACKUP_DAYS")

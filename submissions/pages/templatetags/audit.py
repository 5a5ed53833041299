"""Entries of the audit log in the language of the page."""

from __future__ import annotations

from django import template

from submissions.pages.audit_texts import entry_text

register = template.Library()
register.filter(entry_text)

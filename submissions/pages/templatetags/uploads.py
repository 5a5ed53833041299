"""Filters of the pages of an upload."""

from __future__ import annotations

from django import template

from submissions.pages import warning_texts

register = template.Library()

register.filter("warning_text", warning_texts.warning_text)
register.filter("languages_text", warning_texts.languages_text)
register.filter("roster_problem", warning_texts.roster_problem)

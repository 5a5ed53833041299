"""Webhooks: signed requests that tell other programs of reports and decisions."""

"""Signals for packages above this app: what happened to uploads, reports and decisions.

They are sent in the transaction of the change, so what a receiver stores is kept or lost together with it.
"""

from __future__ import annotations

from django.dispatch import Signal

# A batch, uploaded boilerplate, a report or a change of the language has another state.
# `sender` is its model; `pk`, `assignment_id` and `state` belong to it.
state_changed = Signal()
# The state of a decision has changed. `sender` is its model; `decision` is the changed one.
decided = Signal()
# A student is being erased. `scope` says who, and in which courses; `counts` takes what receivers delete.
erasing = Signal()

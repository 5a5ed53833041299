"""Gunicorn's threaded worker, with connections closed in their own threads."""

from __future__ import annotations

from gunicorn.workers.gthread import TConn, ThreadWorker


class ClosingThreadWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """A threaded worker that goes on accepting connections while it closes others.

    Before gunicorn (27.0) closes a connection, it waits up to two seconds for the client to close its side,
    in the thread that accepts connections. Ten clients that do not would stop the server for twenty seconds.
    Here the thread waits that handled the connection.
    """

    def handle(self, conn: TConn) -> object:
        """Handle a request; close the connection unless it is kept for the next request."""
        keep = super().handle(conn)
        if keep is False:
            conn.close(graceful=True)
            conn.close = _already_closed  # gunicorn closes it again, and counts it as closed
        return keep


def _already_closed(*, graceful: bool = False) -> None:
    """Do nothing."""

"""Files of the default storage where they are kept in the database."""

from __future__ import annotations

from django.db import models


class FileChunk(models.Model):
    """A part of a stored file; see `submissions.storage.database_files`.

    The migration has Postgres store `data` as it is: most uploads are compressed.
    """

    name = models.CharField(max_length=100)
    number = models.PositiveIntegerField()
    data = models.BinaryField()
    stored = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("name", "number"), name="chunk_once_a_file"),)

    def __str__(self) -> str:
        return f"{self.name}, part {self.number}"

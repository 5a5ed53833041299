"""Rankings that several workers compute: what is ranked, and the pairs and scores of each shard."""

from __future__ import annotations

from typing import Any

from django.db import models

from submissions.models.reports import Report


class RankingPlan(models.Model):
    """A started ranking whose pairs are scored and aligned in shards; it is deleted when the report is done.

    `selection`: what the cohort consists of, see `ranking.selection`; `digest`: of the engine's input;
    `batches`: the uploads that are done with this report.
    """

    report = models.OneToOneField(Report, models.CASCADE, related_name="plan")
    selection: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    digest = models.BinaryField()
    # The version of this package: another one might score otherwise.
    version = models.CharField(max_length=100)
    batches: models.JSONField[list[int], list[int]] = models.JSONField(default=list)
    submissions = models.PositiveIntegerField()
    pairs = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"plan of {self.report}"


class RankingShard(models.Model):
    """Pairs of a plan that a worker scores or aligns, and what it computed.

    Pairs to score are of the `job` with this number, see `ranking.shards`; `sides` has them as two int32
    arrays. Pairs to align are those that the report lists; two more arrays have their units. `result` has
    the packed scores, or the packed passages.
    """

    class Kind(models.TextChoices):
        SCORES = "scores"
        PASSAGES = "passages"

    plan = models.ForeignKey(RankingPlan, models.CASCADE, related_name="shards")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.SCORES)
    # Shards that align follow those that score.
    number = models.PositiveIntegerField()
    job = models.PositiveSmallIntegerField(default=0)
    pairs = models.PositiveIntegerField()
    sides = models.BinaryField()
    # The migration has Postgres store it as it is: it is packed already.
    result = models.BinaryField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("plan", "number"), name="shard_once_a_plan"),)

    def __str__(self) -> str:
        return f"shard {self.number} of {self.plan}"

"""Addresses of the pages."""

from __future__ import annotations

from django.urls import path

from submissions.pages.views import (
    activity,
    assignments,
    batches,
    boilerplate,
    courses,
    decisions,
    exports,
    naming,
    pairs,
    previews,
    rosters,
    service,
    shared,
    shares,
    submissions,
)

urlpatterns = [
    path("", courses.index, name="courses"),
    path("courses/<int:pk>/", courses.course, name="course"),
    path("courses/<int:pk>/rename/", courses.rename, name="rename_course"),
    path("courses/<int:pk>/roster/", rosters.roster, name="roster"),
    path("courses/<int:pk>/roster/remove/", rosters.remove, name="remove_roster"),
    path("courses/<int:pk>/delete/", courses.delete, name="delete_course"),
    path("assignments/<int:pk>/", assignments.assignment, name="assignment"),
    path("assignments/<int:pk>/activity/", activity.activity, name="activity"),
    path("assignments/<int:pk>/settings/", assignments.change, name="assignment_settings"),
    path("assignments/<int:pk>/ranking/cancel/", activity.cancel_ranking, name="cancel_ranking"),
    path("assignments/<int:pk>/delete/", courses.delete_assignment, name="delete_assignment"),
    path("assignments/<int:pk>/language/read-again/", assignments.read_again, name="read_again"),
    path("assignments/<int:pk>/rerank/", assignments.rerank, name="rerank"),
    path("assignments/<int:pk>/upload/", batches.upload, name="upload"),
    path("assignments/<int:pk>/boilerplate/", boilerplate.add, name="add_boilerplate"),
    path("assignments/<int:pk>/boilerplate/progress/", boilerplate.progress, name="boilerplate_progress"),
    path("boilerplate-uploads/<int:pk>/dismiss/", boilerplate.dismiss, name="dismiss_boilerplate_upload"),
    path("boilerplate/<int:pk>/remove/", boilerplate.remove, name="remove_boilerplate"),
    path("batches/<int:pk>/", batches.batch, name="batch"),
    path("batches/<int:pk>/progress/", batches.progress, name="batch_progress"),
    path("batches/<int:pk>/cancel/", batches.cancel, name="cancel_batch"),
    path("batches/<int:pk>/count/", batches.count_rule, name="count_rule"),
    path("batches/<int:pk>/group/", previews.choose, name="group_batch"),
    path("batches/<int:pk>/group/roster/", previews.add_roster, name="add_listed_roster"),
    path("batches/<int:pk>/group/files/", previews.filter_files, name="filter_listed"),
    path("batches/<int:pk>/delete/", batches.delete, name="delete_batch"),
    path("assignments/<int:pk>/pairs/<int:left_id>/<int:right_id>/", pairs.pair, name="pair"),
    path(
        "assignments/<int:pk>/pairs/<int:left_id>/<int:right_id>/ignore/", pairs.ignore, name="ignore_passage"
    ),
    path("assignments/<int:pk>/pairs/<int:left_id>/<int:right_id>/decide/", decisions.save, name="decide"),
    path("assignments/<int:pk>/undecided/", decisions.next_undecided, name="next_undecided"),
    path(
        "assignments/<int:pk>/submissions/<int:submission_id>/",
        submissions.submission,
        name="submission",
    ),
    path("assignments/<int:pk>/<slug:name>.<slug:suffix>", exports.table, name="table"),
    path("assignments/<int:pk>/exports/", exports.exports, name="exports"),
    path(
        "assignments/<int:pk>/pairs/<int:left_id>/<int:right_id>/export/",
        exports.export_pair,
        name="export_pair",
    ),
    path("assignments/<int:pk>/shares/", shares.shares, name="shares"),
    path("shares/<int:pk>/revoke/", shares.revoke, name="revoke_share"),
    path("shared/<str:token>/", shared.report, name="shared"),
    path("shared/<str:token>/pairs/<int:left_id>/<int:right_id>/", shared.pair, name="shared_pair"),
    path("service/", service.service, name="service"),
    path("service/now/", service.now, name="service_now"),
    path("batches/<int:pk>/retry/", service.retry_batch, name="retry_batch"),
    path("reports/<int:pk>/retry/", service.retry_report, name="retry_report"),
    path("names/", naming.switch, name="switch_names"),
]

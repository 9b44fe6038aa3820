"""The addresses of 战绩 and 排行榜."""

from django.urls import path

from rooms import records_pages

urlpatterns = [
    path("records/", records_pages.records, name="records"),
    path("records/statistics/", records_pages.statistics, name="statistics"),
    path("leaderboard/", records_pages.leaderboard, name="leaderboard"),
]

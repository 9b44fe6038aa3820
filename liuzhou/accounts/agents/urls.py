"""The players' pages: applying, one's agent, invitations."""

from django.urls import path

from liuzhou.accounts.agents import pages

urlpatterns = [
    path("", pages.agency, name="agency"),
    path("apply/", pages.apply, name="agency_apply"),
    path("withdraw/", pages.withdraw, name="agency_withdraw"),
    path("mine/<int:bond>/", pages.answer, name="agency_answer"),
    path("leave/", pages.leave, name="agency_leave"),
]

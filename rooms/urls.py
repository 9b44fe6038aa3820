"""The rooms' pages."""

from django.urls import path

from rooms import pages, views

urlpatterns = [
    path("", views.lobby, name="lobby"),
    path("practice/", views.practice, name="practice"),
    path("rooms/new/", views.new, name="room_new"),
    path("rooms/join/", views.join, name="room_join"),
    path("lobby/", views.coin_lobby, name="coin_lobby"),
    path("lobby/join/", views.coin_join, name="coin_join"),
    path("lobby/change/", views.coin_change, name="coin_change"),
    path("r/<str:code>/qr.svg", views.qr, name="room_qr"),
    path("r/<str:code>/", views.room, name="room"),
    path("hands/<int:hand>/", views.hand, name="hand"),
    path("hands/<int:hand>/replay.json", views.replay_json, name="hand_replay"),
    path("hands/<int:hand>/record.json", views.record, name="hand_record"),
    path("calculator/", pages.calculator, name="calculator"),
    path("rules/", pages.rules, name="rules"),
    path("rules/<str:preset>/", pages.rules_of, name="rules_of"),
]

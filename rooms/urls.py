"""The rooms' pages."""

from django.urls import path

from rooms import views

urlpatterns = [
    path("", views.lobby, name="lobby"),
    path("practice/", views.practice, name="practice"),
    path("rooms/new/", views.new, name="room_new"),
    path("rooms/join/", views.join, name="room_join"),
    path("r/<str:code>/", views.room, name="room"),
    path("hands/<int:hand>/", views.hand, name="hand"),
    path("hands/<int:hand>/replay.json", views.replay_json, name="hand_replay"),
    path("hands/<int:hand>/record.json", views.record, name="hand_record"),
]

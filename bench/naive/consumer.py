"""One consumer per socket as the tutorials have it: each action one ORM transaction through `database_sync_to_async`, each
event one channel-layer message per socket. Same rules, same log, same frames as the product."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.db import transaction

from rooms import fold as folds
from rooms import records, services, settlement, snapshot, table
from rooms.errors import RoomError
from rooms.fold import PLAYER
from rooms.frames import frames
from rooms.models import Action, Hand, Room, Seat
from rooms.protocol import encode


class NaiveConsumer(AsyncJsonWebsocketConsumer):
    async def connect(self) -> None:
        code = self.scope["url_route"]["kwargs"]["code"]
        self.seat = await database_sync_to_async(self._find)(code)
        self.group = f"naive.{self.seat.room_id}"
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()
        await self._tell()

    def _find(self, code: str) -> Seat:
        return Seat.objects.get(user=self.scope["user"], room__code=code)

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(self.group, self.channel_name)

    async def _tell(self) -> None:
        await self.send(await database_sync_to_async(self._view)())

    def _view(self) -> str:
        room = Room.objects.get(pk=self.seat.room_id)
        hand = room.hands.filter(state="running").first()
        fold = table.cache.current(hand.pk) if hand else None
        index = self.seat.index
        ask = None
        if fold and fold.asks[index] is not None:
            ask = {"ask": str(fold.asks[index]), "actions": fold.actions(index)}
        view = fold.view(index) if fold else None
        told = {"on": "sync", "you": index, "hand": hand.pk if hand else None, "ask": ask, "view": view}
        return json.dumps({**told, "room": msgspec.to_builtins(snapshot.read(room.pk).frame.room)})

    async def receive_json(self, content: dict[str, Any], **kwargs: Any) -> None:
        try:
            if content["do"] == "ready":
                await database_sync_to_async(services.set_ready)(room_id=self.seat.room_id, user=self.scope["user"])
                await self.channel_layer.group_send(self.group, {"type": "table.sync"})
            elif content["do"] == "act":
                await self._act(content)
            await self.send_json({"on": "ack", "id": content["id"]})
        except (RoomError, table.LostRace) as error:
            await self.send_json({"on": "error", "id": content["id"], "code": str(error)})
            await self._tell()

    async def _act(self, content: dict[str, Any]) -> None:
        row, settled = await database_sync_to_async(self._play)(content["ask"], content["action"])
        await self.channel_layer.group_send(self.group, {"type": "table.row", "row": row})
        if settled:
            await self.channel_layer.group_send(self.group, {"type": "table.sync"})

    def _play(self, ask: str, body: dict[str, Any]) -> tuple[list[Any], bool]:
        with transaction.atomic():
            hand = (
                Hand.objects.select_for_update(no_key=True).filter(room_id=self.seat.room_id, state="running").first()
            )
            if hand is None:
                raise RoomError("no_hand")
            fold = table.cache.current(hand.pk)
            if str(fold.asks[self.seat.index]) != ask:
                raise RoomError("stale")
            now = records.database_now()
            tried = table.attempt(fold, self.seat.index, body, origin=PLAYER, now=now)
            if tried.settles:
                at = settlement.finish(tried.after, tried.row)
            else:
                row = tried.row
                kept = Action(hand=hand, seq=row.seq, seat=row.seat, body=row.body, origin=row.origin, ref="")
                kept.at = records.moment(now)
                kept.save(force_insert=True)
                at = now
            _, after = tried.at(at or now)
            if not tried.settles:
                deadline = after.deadline()
                hand.seq, hand.deadline = after.seq, records.moment(deadline) if deadline else None
                hand.save(update_fields=["seq", "deadline"])
        table.cache.keep(after)
        _steps[(hand.pk, after.seq)] = (after, tried.outgoing)
        while len(_steps) > 5_000:
            del _steps[next(iter(_steps))]
        return [hand.pk, list(tried.row._replace(at=at or now))], tried.settles

    async def table_row(self, message: dict[str, Any]) -> None:
        """One message per socket; the step itself is taken from this process, to the naive design's advantage."""
        hand, row = message["row"]
        for text in self._frames(hand, row):
            await self.send(text)

    def _frames(self, hand: int, row: list[Any]) -> list[str]:
        key = (hand, row[0])
        sent = _steps.get(key)
        if sent is None:
            return []
        after, outgoing = sent
        index = self.seat.index
        return (
            [encode(frame).decode() for frame in frames(after, index, outgoing[index], row[5])]
            if index in outgoing
            else []
        )

    async def table_sync(self, message: dict[str, Any]) -> None:
        await self._tell()


_steps: dict[tuple[int, int], tuple[folds.Fold, dict[int, folds.Outgoing]]] = {}

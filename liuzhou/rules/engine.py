"""The game as a fold (DESIGN 4): `start`, `legal_actions`, `apply`. Pure: the same actions give the same states."""

from __future__ import annotations

from liuzhou.rules.actions import CHOW, DISCARD, KONG, PASS, PONG, SLOTS, WIN, Action
from liuzhou.rules.claims import discard_offers, missed, swap_ban, verdict
from liuzhou.rules.errors import IllegalAction
from liuzhou.rules.events import Discarded, Event, FishOpened, Melded, Passed
from liuzhou.rules.fishing import deal, fish, fishing_legal
from liuzhou.rules.kongs import declare, rob, stand
from liuzhou.rules.melds import Meld
from liuzhou.rules.options import Options
from liuzhou.rules.score import End
from liuzhou.rules.state import CLAIM, FISHING, RIVER_DRAWN, RIVER_TAKEN, ROB, TURN, Seat, State, placed, without
from liuzhou.rules.turns import Step, draw, finish, take_turn
from liuzhou.rules.wall import Wall


def start(options: Options, dealer: int, wall: Wall) -> Step:
    """The first state of a hand: fishing where the rules have a pond, else the deal."""
    pond = options.fish == "pond"
    seats = tuple(Seat(fishing=pond) for _ in range(options.players))
    slots = (-1,) * SLOTS if pond else ()
    tiles = tuple(wall.tiles)
    state = State(
        options, dealer, wall.dice, tiles, 0, len(tiles), options.reserve, FISHING, dealer, -1, -1, seats, slots, (), ()
    )
    if not pond:
        return deal(state)
    state = state._replace(legal=fishing_legal(state))
    return state, (FishOpened(SLOTS, state.drawable),)


def legal_actions(state: State, seat: int) -> tuple[Action, ...]:
    """Everything `seat` may do now; empty when it is not asked."""
    return state.legal[seat] if 0 <= seat < len(state.legal) else ()


def deciders(state: State) -> tuple[int, ...]:
    """The seats that have something to decide."""
    return tuple(index for index, actions in enumerate(state.legal) if actions)


def apply(state: State, action: Action) -> Step:
    """The state after `action` and what happened. IllegalAction unless it is one of `legal_actions`."""
    if action not in legal_actions(state, action.seat):
        raise IllegalAction("illegal_action", "现在不能这样操作", "This action is not possible now")
    if state.phase == TURN:
        return _on_turn(state, action)
    if state.phase == FISHING:
        return fish(state, action)
    return _answer(state, action)


def _on_turn(state: State, action: Action) -> Step:
    if action.do == DISCARD:
        return _discard(state, action)
    if action.do == KONG:
        return declare(state, action)
    return _self_draw(state, action.seat)


def _self_draw(state: State, index: int) -> Step:
    kong = state.kong if state.kong >= 0 else None
    tile = state.seats[index].drawn
    return finish(state, End("self_draw", tile, -1, (index,), kong, state.drawable == 0))


def _discard(state: State, action: Action) -> Step:
    index, tile = action.seat, action.tile
    seat = state.seats[index]
    drawn = seat.drawn == tile
    seat = without(seat, tile, 1, state.options.wild)
    seat = seat._replace(river=(*seat.river, tile | RIVER_DRAWN if drawn else tile))
    asking = state._replace(
        phase=CLAIM, turn=index, tile=tile, seats=placed(state.seats, index, seat), answers=(None,) * len(state.seats)
    )
    offers = discard_offers(asking)
    happened = Discarded(index, tile, drawn)
    if any(offers):
        return asking._replace(legal=offers), (happened,)
    after, events = draw(asking, (index + 1) % len(state.seats))
    return after, (happened, *events)


def _answer(state: State, action: Action) -> Step:
    """One seat's answer about a discard or a kong to rob; the window closes once the result is certain (RULES 3.2)."""
    index = action.seat
    before = state.seats[index]
    seat = missed(state, action)
    events: tuple[Event, ...] = ()
    if action.do == PASS or seat is not before:
        events = (Passed(index, action.do, seat.no_pong, seat.no_win),)
    state = state._replace(
        seats=placed(state.seats, index, seat),
        answers=(*state.answers[:index], action, *state.answers[index + 1 :]),
        legal=(*state.legal[:index], (), *state.legal[index + 1 :]),
    )
    decided = verdict(state)
    if decided is None:
        return state, events
    state, more = _resolve(state, decided)
    return state, events + more


def _resolve(state: State, decided: tuple[Action, ...]) -> Step:
    robbing = state.phase == ROB
    if not decided:
        return stand(state, state.turn, state.tile) if robbing else draw(state, (state.turn + 1) % len(state.seats))
    if decided[0].do != WIN:
        return _take(state, decided[0])
    winners = tuple(action.seat for action in decided)
    if robbing:
        return rob(state, winners)
    return finish(state, End("discard", state.tile, state.turn, winners, state.kong >= 0))


def _take(state: State, action: Action) -> Step:
    """The discard goes into the claimer's meld: a chow, a pong, or a direct kong with its replacement."""
    index, tile, feeder, wild = action.seat, state.tile, state.turn, state.options.wild
    if action.do == CHOW:
        own, meld = action.tiles, Meld("chow", tuple(sorted((tile, *action.tiles))), feeder, tile)
    elif action.do == PONG:
        own, meld = (tile, tile), Meld("pong", (tile,) * 3, feeder, tile)
    else:
        own, meld = (tile,) * 3, Meld("direct_kong", (tile,) * 4, feeder, tile)
    seat = state.seats[index]
    for used in own:
        seat = without(seat, used, 1, wild)
    seat = seat._replace(melds=(*seat.melds, meld), banned=_bans(state, action))
    giver = state.seats[feeder]
    giver = giver._replace(river=(*giver.river[:-1], giver.river[-1] | RIVER_TAKEN))
    state = state._replace(seats=placed(placed(state.seats, index, seat), feeder, giver), kong=-1)
    taken = Melded(index, meld, seat.banned)
    if action.do == KONG:
        state, events = draw(state, index, len(seat.melds) - 1)
        return state, (taken, *events)
    return take_turn(state, index), (taken,)


def _bans(state: State, action: Action) -> tuple[int, ...]:
    """What the claimer may not discard (RULES 3.6): of the tile *just* claimed, so a claim before it bans no more."""
    if not state.options.rules.swap_ban or action.do == KONG:
        return ()
    return swap_ban(state.tile, action.tiles) if action.do == CHOW else (state.tile,)

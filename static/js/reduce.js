/** reduce(view, event): one seat's view after an event it was sent. Pure, the mirror of liuzhou/rules/reduce.py. */

import { parseTiles, formatTiles, without, withoutAll } from "./notation.js";

const NO_LOCKS = { pong: [], win: null };

const withSeat = (view, index, change) => ({
  ...view,
  seats: view.seats.map((seat, at) => (at === index ? { ...seat, ...change(seat) } : seat)),
});

/** Tiles leave the concealed hand; what is left of it counts as not drawn. */
function drop(seat, gone) {
  const rest = { count: seat.count - gone.length, drawn: null, has_drawn: false };
  if (seat.hand === null) return rest;
  const held = [...parseTiles(seat.hand), ...(seat.drawn ? [seat.drawn] : [])];
  return { ...rest, hand: formatTiles(withoutAll(held, gone)) };
}

function fishOpened(view, event) {
  return { ...view, phase: "fish", drawable: event.drawable, pond: new Array(event.slots).fill(null) };
}

function fished(view, event) {
  const pond = view.pond.map((owner, at) => (at === event.slot - 1 ? event.seat : owner));
  return { ...withSeat(view, event.seat, (seat) => ({ fish: seat.fish + 1 })), pond, drawable: event.drawable };
}

function dealt(view, event) {
  const seats = view.seats.map((seat, index) => ({
    ...seat, hand: index === view.you ? event.hand : null, count: 13, drawn: null, has_drawn: false,
  }));
  const { dealer, dice, drawable } = event;
  return { ...view, seats, phase: "turn", turn: dealer, dealer, dice, drawable };
}

function drew(view, event) {
  const next = withSeat(view, event.seat, (seat) => ({ count: seat.count + 1, drawn: event.tile, has_drawn: true }));
  const lifted = event.seat === view.you ? { locks: NO_LOCKS, banned: [] } : {};
  return { ...next, phase: "turn", turn: event.seat, drawable: event.drawable, pending: null, ...lifted };
}

function discarded(view, { seat: index, tile, drawn }) {
  const next = withSeat(view, index, (seat) => ({ ...drop(seat, [tile]), river: [...seat.river, { tile, drawn, taken: false }] }));
  return { ...next, phase: "claim", turn: index, pending: { seat: index, tile } };
}

/** The discard leaves its river; it counts towards 三包 unless it is a direct kong in `classic` (RULES 6.1). */
function taken(view, index, meld) {
  const last = view.seats[meld.from].river.length - 1;
  const next = withSeat(view, meld.from, (seat) => ({
    river: seat.river.map((one, at) => (at === last ? { ...one, taken: true } : one)),
  }));
  const counts = meld.kind !== "direct_kong" || view.preset !== "classic";
  const feeds = view.feeds.map((row, a) => row.map((n, b) => (counts && a === index && b === meld.from ? n + 1 : n)));
  return { ...next, phase: "turn", turn: index, pending: null, feeds };
}

function melded(view, { seat: index, meld, banned }) {
  if (meld.kind === "added_kong") {
    return withSeat(view, index, (seat) => ({
      ...drop(seat, [meld.tile]),
      melds: seat.melds.map((one) => (one.kind === "pong" && one.tile === meld.tile ? meld : one)),
    }));
  }
  const concealed = meld.kind === "concealed_kong";
  const tiles = meld.tiles ? parseTiles(meld.tiles) : ["?", "?", "?", "?"];
  const own = concealed ? tiles : without(tiles, meld.tile);
  const next = withSeat(concealed ? view : taken(view, index, meld), index, (seat) => ({
    ...drop(seat, own), melds: [...seat.melds, meld],
  }));
  return index === view.you ? { ...next, banned } : next;
}

function ended(view, event) {
  const seats = view.seats.map((seat, index) => ({ ...seat, ...event.seats[index] }));
  return { ...view, seats, phase: "over", pending: null, result: event.result };
}

const CHANGES = {
  fish_opened: fishOpened,
  fished,
  fish_ended: (view, event) => withSeat(view, event.seat, () => ({ fishing: false })),
  dealt,
  drew,
  discarded,
  melded,
  kong_declared: (view, { seat, tile }) => ({ ...view, phase: "rob", turn: seat, pending: { seat, tile } }),
  robbed: (view, event) => withSeat(view, event.seat, (seat) => drop(seat, [event.tile])),
  passed: (view, event) => ({ ...view, locks: event.locks }),
  ended,
};

/** An event of a kind unknown here changes nothing. */
export function reduce(view, event) {
  const change = CHANGES[event.kind];
  return change ? change(view, event) : view;
}

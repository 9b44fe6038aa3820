/** The calculator's state without a page: tiles per place, what fits where, and its text in the form's fields. Pure. */

import { byKind, formatTiles, parseTiles, tileOf } from "./notation.js";

export const SEATS = [1, 2, 3, 4];
export const MELD_KINDS = ["c", "p", "d", "a", "k"]; // 吃 碰 点杠 碰杠 暗杠, as in the fields
const MELD = /^([cpdak])([1-9]+[mpsz])([1-4]?)$/;
const TILES = /^([1-9]+[mpsz])*$/;
const HAND = 13;
const COPIES = 4;

/** Places for tiles: {at: "hand"|"meld"|"fish", seat}, {at: "tile"}, {at: "wall"}. */
export const same = (a, b) => Boolean(a && b && a.at === b.at && a.seat === b.seat);

export const empty = () => ({ seats: SEATS.map(() => ({ hand: [], melds: [], fish: [] })), tile: [], wall: [] });

/** The fields' text as state, or null where any of it cannot be read: the text fields then stay. */
export function read(fields) {
  const state = empty();
  const tiles = (name) => {
    const text = (fields[name] ?? "").replace(/\s+/g, "");
    const list = TILES.test(text) ? parseTiles(text) : null;
    return list?.every((tile) => tile[1] !== "z" || tile[0] <= "7") ? list : null;
  };
  for (const seat of SEATS) {
    const melds = (fields[`m${seat}`] ?? "").split(/[\s.,，、;；+]+/).filter(Boolean).map(parseMeld);
    const own = { hand: tiles(`h${seat}`), melds, fish: tiles(`f${seat}`) };
    if (!own.hand || !own.fish || melds.includes(null)) return null;
    state.seats[seat - 1] = own;
  }
  Object.assign(state, { tile: tiles("tile"), wall: tiles("wall") });
  return state.tile && state.wall ? state : null;
}

function parseMeld(text) {
  const match = MELD.exec(text);
  if (!match) return null;
  const tiles = parseTiles(match[2]).sort(byKind);
  return tiles.some((tile) => tile[1] === "z" && tile[0] > "7") ? null : { kind: match[1], tiles, from: match[3] ? Number(match[3]) : null };
}

/** The inverse of read: every text field's value. */
export function write(state) {
  const fields = { tile: state.tile.join(""), wall: state.wall.join("") };
  for (const seat of SEATS) {
    const own = state.seats[seat - 1];
    fields[`h${seat}`] = formatTiles(own.hand);
    fields[`m${seat}`] = own.melds.map((meld) => meld.kind + formatTiles(meld.tiles) + (meld.kind === "c" ? "" : meld.from ?? "")).join(".");
    fields[`f${seat}`] = own.fish.join("");
  }
  return fields;
}

const listAt = (state, place) => (place.seat ? state.seats[place.seat - 1][{ hand: "hand", meld: "melds", fish: "fish" }[place.at]] : state[place.at]);

/** How many tiles (melds) the place takes; `game`: {players, flips}. */
export function capacity(state, place, game) {
  if (place.at === "hand") return Math.max(0, HAND - 3 * state.seats[place.seat - 1].melds.length);
  return { meld: 4, fish: 2, tile: 1, wall: game.flips }[place.at];
}

export const count = (state, place) => listAt(state, place).length;
export const full = (state, place, game) => count(state, place) >= capacity(state, place, game);

/** How many of each tile are not on the table yet: {"1m": 3, …}. */
export function left(state) {
  const found = new Map();
  const take = (tiles) => tiles.forEach((tile) => found.set(tile, (found.get(tile) ?? 0) + 1));
  for (const own of state.seats) [own.hand, own.fish, ...own.melds.map((meld) => meld.tiles)].forEach(take);
  [state.tile, state.wall].forEach(take);
  return (tile) => COPIES - (found.get(tile) ?? 0);
}

/** The tiles of a meld made by tapping one: a chow begins with it, or ends at nine; null where it cannot be. */
export function meldTiles(kind, tile) {
  if (kind !== "c") return Array(kind === "p" ? 3 : 4).fill(tile);
  if (tile[1] === "z") return null;
  const first = Math.min(Number(tile[0]), 7);
  return [0, 1, 2].map((step) => `${first + step}${tile[1]}`);
}

/** Whether tapping the tile puts something at the place. */
export function fits(state, place, tile, game) {
  if (full(state, place, game)) return false;
  const free = left(state);
  if (place.at !== "meld") return free(tile) > 0;
  const tiles = meldTiles(game.meldKind, tile);
  return Boolean(tiles) && [...new Set(tiles)].every((one) => free(one) >= tiles.filter((each) => each === one).length);
}

/** The state with the tile (or the meld it begins) at the place; a lone winning tile is replaced. */
export function put(state, place, tile, game) {
  const tiles = place.at === "tile" ? [] : listAt(state, place);
  if (place.at === "meld") {
    const from = game.meldKind === "k" ? null : game.meldKind === "c" ? previous(place.seat, game.players) : game.feeder;
    return replaced(state, place, [...tiles, { kind: game.meldKind, tiles: meldTiles(game.meldKind, tile), from }]);
  }
  const next = [...tiles, tile];
  return replaced(state, place, place.at === "hand" ? next.sort(byKind) : next);
}

export const take = (state, place, index) => replaced(state, place, listAt(state, place).filter((_, at) => at !== index));

function replaced(state, place, list) {
  if (!place.seat) return { ...state, [place.at]: list };
  const name = { hand: "hand", meld: "melds", fish: "fish" }[place.at];
  return { ...state, seats: state.seats.map((own, at) => (at === place.seat - 1 ? { ...own, [name]: list } : own)) };
}

export const previous = (seat, players) => (seat === 1 ? players : seat - 1);

/** Where the next tile goes after one was put at `place`: it stays until it is full, then hand → winning tile → turned tiles. */
export function following(state, place, game) {
  if (place.at === "meld" || !full(state, place, game)) return place;
  const hands = game.winners.map((seat) => ({ at: "hand", seat }));
  const queue = [...hands, ...(game.end === "draw" ? [] : [{ at: "tile" }]), ...(game.flips ? [{ at: "wall" }] : [])];
  return queue.find((next) => !full(state, next, game)) ?? null;
}

/** The kinds in play with these options, by suit. */
export function suits(options) {
  const all = Array.from({ length: 34 }, (_, kind) => tileOf(kind));
  const on = (name) => options[name] === "1";
  return [..."mpsz"].map((suit) => all.filter((tile) => tile[1] === suit && !(suit === "p" && on("no_dots")) && !(suit === "z" && on("no_honors") && !(tile === "7z" && on("wild_red")))));
}


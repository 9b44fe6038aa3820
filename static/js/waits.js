/** What a hand waits for: four sets and a pair, or seven pairs; with wild 7z when the room plays 红中癞子. */

import { kindOf, tileOf, parseTiles } from "./notation.js";

export const RED = 33;
const KINDS = 34;

/** [counts of 34 kinds without wilds, number of wilds]. */
function count(tiles, wildRed) {
  const counts = new Array(KINDS).fill(0);
  let wilds = 0;
  for (const tile of tiles) {
    const kind = kindOf(tile);
    if (wildRed && kind === RED) wilds += 1;
    else counts[kind] += 1;
  }
  return [counts, wilds];
}

/** Can everything from `kind` on be split into `sets` sets, with `wilds` jokers? */
function splits(counts, kind, sets, wilds) {
  while (kind < KINDS && counts[kind] === 0) kind += 1;
  if (kind === KINDS) return wilds === 3 * sets;
  if (sets === 0) return false;
  const triplet = Math.min(3, counts[kind]);
  if (3 - triplet <= wilds) {
    counts[kind] -= triplet;
    const good = splits(counts, kind, sets - 1, wilds - (3 - triplet));
    counts[kind] += triplet;
    if (good) return true;
  }
  if (kind >= 27) return false;
  const first = kind - (kind % 9);
  for (let start = Math.max(first, kind - 2); start <= Math.min(kind, first + 6); start += 1) {
    const have = [start, start + 1, start + 2].filter((one) => counts[one] > 0);
    if (3 - have.length > wilds) continue;
    for (const one of have) counts[one] -= 1;
    const good = splits(counts, kind, sets - 1, wilds - (3 - have.length));
    for (const one of have) counts[one] += 1;
    if (good) return true;
  }
  return false;
}

function sevenPairs(counts, wilds) {
  const odd = counts.filter((number) => number % 2 === 1).length;
  return odd <= wilds;
}

function isWin(counts, wilds, melds) {
  const sets = 4 - melds;
  if (melds === 0 && sevenPairs(counts, wilds)) return true;
  if (wilds >= 2 && splits(counts, 0, sets, wilds - 2)) return true;
  for (let kind = 0; kind < KINDS; kind += 1) {
    const own = Math.min(2, counts[kind]);
    if (own === 0 || 2 - own > wilds) continue;
    counts[kind] -= own;
    const good = splits(counts, 0, sets, wilds - (2 - own));
    counts[kind] += own;
    if (good) return true;
  }
  return false;
}

/** Does a hand of 3k+2 tiles win? `melds` is how many sets lie open. */
export function wins(tiles, melds, wildRed = false) {
  const [counts, wilds] = count(tiles, wildRed);
  return isWin(counts, wilds, melds);
}

/** The kinds in play under a room's options. */
export function kindsInPlay(options = {}) {
  const kinds = [];
  for (let kind = 0; kind < KINDS; kind += 1) {
    if (options.no_dots && kind >= 9 && kind < 18) continue;
    if (options.no_honors && kind >= 27 && !(options.wild_red && kind === RED)) continue;
    kinds.push(kind);
  }
  return kinds;
}

/** The tiles that complete a hand of 3k+1 tiles. A drawn 7z is wild, so with wilds it completes every hand that waits at all. */
export function waits(tiles, melds, options = {}) {
  const wildRed = Boolean(options.wild_red);
  const [counts, wilds] = count(tiles, wildRed);
  return kindsInPlay(options)
    .filter((kind) => {
      if (wildRed && kind === RED) return isWin(counts, wilds + 1, melds);
      if (counts[kind] === 4) return false;
      counts[kind] += 1;
      const good = isWin(counts, wilds, melds);
      counts[kind] -= 1;
      return good;
    })
    .map(tileOf);
}

/** How many of each tile this seat has not seen: {"5m": 3, …}. */
export function unseen(view) {
  const left = new Array(KINDS).fill(4);
  const see = (tile) => {
    left[kindOf(tile)] -= 1;
  };
  for (const seat of view.seats) {
    parseTiles(seat.hand ?? "").forEach(see);
    if (seat.drawn) see(seat.drawn);
    for (const meld of seat.melds) parseTiles(meld.tiles ?? "").forEach(see);
    for (const lying of seat.river) if (!lying.taken) see(lying.tile);
  }
  return Object.fromEntries(left.map((number, kind) => [tileOf(kind), Math.max(0, number)]));
}

const count3 = (tiles) => tiles.length % 3;

/** Own seat's outlook: {now: [{tile, left}], after: {discard: [{tile, left}]}}. */
export function outlook(view) {
  const own = view.seats[view.you];
  if (!own?.hand && !own?.drawn) return { now: [], after: {} };
  const left = unseen(view);
  const melds = own.melds.length;
  const hand = parseTiles(own.hand ?? "");
  const list = (tiles) => waits(tiles, melds, view.options).map((tile) => ({ tile, left: left[tile] }));
  if (count3(hand) === 1 && !own.drawn) return { now: list(hand), after: {} };
  const whole = own.drawn ? [...hand, own.drawn] : hand;
  const after = {};
  for (const tile of new Set(whole)) {
    const at = whole.indexOf(tile);
    const found = list([...whole.slice(0, at), ...whole.slice(at + 1)]);
    if (found.length) after[tile] = found;
  }
  return { now: [], after };
}

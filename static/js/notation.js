/** Tiles as text: "5m" one tile, "123m55z" a list sorted by suit; their order, names and sprite symbols. */

import { gettext, fill } from "./i18n.js";

const SUITS = "mpsz";

/** The kind 0–33 of a tile such as "5z". */
export const kindOf = (tile) => SUITS.indexOf(tile[1]) * 9 + Number(tile[0]) - 1;

export const tileOf = (kind) => `${(kind % 9) + 1}${SUITS[Math.floor(kind / 9)]}`;

export const byKind = (a, b) => kindOf(a) - kindOf(b);

/** "123m55z" → ["1m","2m","3m","5z","5z"], in the written order. */
export function parseTiles(text) {
  const tiles = [];
  let ranks = "";
  for (const char of text ?? "") {
    if (SUITS.includes(char)) {
      for (const rank of ranks) tiles.push(rank + char);
      ranks = "";
    } else {
      ranks += char;
    }
  }
  return tiles;
}

/** The inverse: sorted by kind and grouped by suit. */
export function formatTiles(tiles) {
  const sorted = [...tiles].sort(byKind);
  return [...SUITS]
    .map((suit) => {
      const ranks = sorted.filter((tile) => tile[1] === suit).map((tile) => tile[0]);
      return ranks.length ? ranks.join("") + suit : "";
    })
    .join("");
}

/** Without one copy of `tile`; the list is returned unchanged when it is not there. */
export function without(tiles, tile) {
  const at = tiles.indexOf(tile);
  return at < 0 ? tiles : [...tiles.slice(0, at), ...tiles.slice(at + 1)];
}

export const withoutAll = (tiles, gone) => gone.reduce(without, tiles);

const numerals = () => gettext("一二三四五六七八九");
const suitNames = () => ({ m: gettext("%(n)s万"), p: gettext("%(n)s筒"), s: gettext("%(n)s条") });
const honours = () => [
  gettext("东"), gettext("南"), gettext("西"), gettext("北"), gettext("白板"), gettext("发财"), gettext("红中"),
];

/** What a player calls the tile: 五万, 三条, 红中. */
export function tileName(tile) {
  if (tile[1] === "z") return honours()[Number(tile[0]) - 1];
  return fill(suitNames()[tile[1]], { n: [...numerals()][Number(tile[0]) - 1] });
}

/** A suit tile's mark for eyes that do not tell colours apart: 5万. Honours need none. */
export const tileMark = (tile) => (tile[1] === "z" ? null : tile[0] + { m: gettext("万"), p: gettext("筒"), s: gettext("条") }[tile[1]]);

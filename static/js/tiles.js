/** Tiles as elements: a face, a back, a meld with the claimed tile turned towards its feeder. */

import { h, face } from "./dom.js";
import { gettext } from "./i18n.js";
import { parseTiles, tileMark, tileName, without } from "./notation.js";
import { meldName, place, placeName } from "./words.js";

/** A lying tile; `extra` are further classes. */
export const tile = (name, extra = "", props = {}) =>
  h("span", { class: `tl ${extra}`, role: "img", "aria-label": tileName(name), "data-mark": tileMark(name), ...props }, face(name));

export const back = (extra = "", props = {}) => h("span", { class: `tl tl--back ${extra}`, "aria-hidden": "true", ...props }, face("back"));

/** A small tile with how many of it are unseen: 5万 ×3. */
export const counted = ({ tile: name, left }) =>
  h("span", { class: `wait${left ? "" : " wait--none"}` }, tile(name), h("span", { class: "wait__left" }, `×${left}`));

/** Where the turned tile stands: the feeder on the left, opposite, or on the right of the meld's owner. */
function turnedAt(meld, owner, players, size) {
  if (meld.from === null) return -1;
  const where = place(meld.from, owner, players);
  return where === "previous" ? 0 : where === "opposite" ? 1 : size - 1;
}

export function meldUnits(meld) {
  const size = meld.kind.endsWith("kong") ? 4 : 3;
  return meld.from === null ? size : size + 1 / 3;
}

export function meldElement(meld, owner, view, index) {
  const players = view.seats.length;
  const names = meld.tiles ? parseTiles(meld.tiles) : [];
  const size = meld.kind.endsWith("kong") ? 4 : 3;
  const at = turnedAt(meld, owner, players, size);
  const order = at < 0 ? names : insert(without(names, meld.tile), at, meld.tile);
  const inside = meld.kind === "concealed_kong"
    ? concealed(names)
    : order.map((name, i) => tile(name, i === at ? `tl--turned${meld.kind === "chow" ? " tl--shaded" : ""}` : ""));
  const from = meld.from === null ? "" : ` ${gettext("来自")}${placeName(meld.from, view.you, players)}`;
  const label = `${meldName(meld.kind)} ${names.map(tileName).join(" ")}${from}`;
  return h("span", { class: `meld meld--${meld.kind}`, key: `m${index}`, role: "group", "aria-label": label }, inside);
}

/** A concealed kong: four backs, or to its owner and at the end two backs outside and the tile inside. */
const concealed = (names) => (names.length ? [back(), tile(names[1]), tile(names[2]), back()] : [back(), back(), back(), back()]);

const insert = (list, at, one) => [...list.slice(0, at), one, ...list.slice(at)];

/** The calculator's places and tile keys as elements; what was pressed comes back by data attributes. */

import { h } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { tileName } from "./notation.js";
import { capacity, count, fits, left, same, suits, MELD_KINDS } from "./calculator-model.js";

let sprite = "";
export const useSprite = (url) => {
  sprite = url;
};

const face = (name) => h("svg", { class: "face", viewBox: "0 0 60 80", "aria-hidden": "true" }, h("use", { href: `${sprite}#t-${name}` }));
const tile = (name, extra = "") => h("span", { class: `tl ${extra}`, "aria-hidden": "true" }, face(name));

const seatNames = () => [gettext("东家"), gettext("南家"), gettext("西家"), gettext("北家")];
export const seatName = (seat) => seatNames()[seat - 1];
const kindNames = () => ({ c: gettext("吃"), p: gettext("碰"), d: gettext("点杠"), a: gettext("碰杠"), k: gettext("暗杠") });
const placeNames = () => ({ hand: gettext("手牌"), meld: gettext("吃碰杠"), fish: gettext("鱼"), tile: gettext("胡的牌"), wall: gettext("翻的牌") });

const keyOf = (place) => `${place.at}${place.seat ?? ""}`;
export const placeOf = (key) => (/\d$/.test(key) ? { at: key.slice(0, -1), seat: Number(key.at(-1)) } : { at: key });
export const errorField = (place) => ({ hand: `h${place.seat}`, meld: `m${place.seat}`, fish: `f${place.seat}`, tile: "tile", wall: "wall" })[place.at];

/** One place: its name, what lies there (a tap takes it away) and a button that opens the keys for it. */
function slot(model, place, contents) {
  const { state, game, active, errors } = model;
  const error = errors[errorField(place)];
  const most = capacity(state, place, game);
  const held = count(state, place);
  const label = `${place.seat ? `${seatName(place.seat)} ` : ""}${placeNames()[place.at]}`;
  const classes = ["slot", same(place, active) && "slot--active", error && "slot--bad"].filter(Boolean).join(" ");
  return h("div", { class: `slotwrap${held || place.at === "hand" || place.at === "tile" || error ? "" : " slotwrap--empty"}`, key: keyOf(place) }, [
    h("div", { class: classes, "data-place": keyOf(place), role: "group", "aria-label": label }, [
      h("button", { class: "slot__open", type: "button", "data-open": keyOf(place), "aria-expanded": String(same(place, active)), "aria-label": `${label} ${held}/${most}` }, placeNames()[place.at], " ", h("span", { class: "slot__count" }, `${held}/${most}`)),
      h("span", { class: "slot__tiles" }, contents.length || !["hand", "tile"].includes(place.at) ? contents : h("span", { class: "slot__count" }, gettext("点这里选牌"))),
    ]),
    error ? h("p", { class: "error" }, error) : null,
  ]);
}

const removable = (place, name, index, extra = "") =>
  h("button", { class: `drop ${extra}`, type: "button", "data-take": index, "data-from": keyOf(place), "aria-label": fill(gettext("拿掉%(tile)s"), { tile: tileName(name) }) }, tile(name));

const tilesAt = (place, tiles) => tiles.map((name, index) => removable(place, name, index));

function melds(place, list) {
  return list.map((meld, index) => {
    const from = meld.from ? fill(gettext("来自%(seat)s"), { seat: seatName(meld.from) }) : "";
    const names = meld.kind === "k" ? ["back", meld.tiles[1], meld.tiles[2], "back"] : meld.tiles;
    const label = `${kindNames()[meld.kind]} ${meld.tiles.map(tileName).join(" ")} ${from}`;
    return h("button", { class: "drop drop--meld", type: "button", "data-take": index, "data-from": keyOf(place), "aria-label": fill(gettext("拿掉%(tile)s"), { tile: label }) }, names.map((name) => tile(name, name === "back" ? "tl--back" : "")), from ? h("small", { class: "slot__count" }, seatName(meld.from).slice(0, 1)) : null);
  });
}

function seatCard(model, seat) {
  const { state, game } = model;
  const own = state.seats[seat - 1];
  const wins = game.end !== "draw" && game.winners.includes(seat);
  const feeds = ["discard", "robbed_kong"].includes(game.end) && game.from === seat;
  const hand = { at: "hand", seat };
  return h("section", { class: `seatcard${wins ? " seatcard--wins" : ""}`, key: `seat${seat}`, id: `card-${seat}` }, [
    h("h3", { class: "seatcard__head" }, seatName(seat), seat === 1 ? h("span", { class: "badge badge--dealer" }, gettext("庄")) : null, wins ? h("span", { class: "badge badge--win" }, gettext("胡")) : null, feeds ? h("span", { class: "badge badge--from" }, game.end === "discard" ? gettext("放炮") : gettext("补杠")) : null),
    h("div", { class: "seatcard__slots" }, [
      wins || own.hand.length ? slot(model, hand, tilesAt(hand, own.hand)) : null,
      slot(model, { at: "meld", seat }, melds({ at: "meld", seat }, own.melds)),
      game.pond || own.fish.length ? slot(model, { at: "fish", seat }, tilesAt({ at: "fish", seat }, own.fish)) : null,
    ]),
  ]);
}

export function builder(model) {
  const { state, game } = model;
  const seats = [1, 2, 3, 4].filter((seat) => seat <= game.players || taken(state.seats[seat - 1]));
  const order = game.end === "draw" ? seats : [...seats.filter((seat) => game.winners.includes(seat)), ...seats.filter((seat) => !game.winners.includes(seat))];
  const winners = order.filter((seat) => game.end !== "draw" && game.winners.includes(seat)).length;
  const won = game.end === "draw" ? null : h("section", { class: "seatcard", key: "won" }, slot(model, { at: "tile" }, tilesAt({ at: "tile" }, state.tile)), game.flips || state.wall.length ? slot(model, { at: "wall" }, tilesAt({ at: "wall" }, state.wall)) : null);
  const cards = order.map((seat) => seatCard(model, seat));
  return [
    ...cards.slice(0, winners), won, ...cards.slice(winners),
    h("div", { class: "builder__foot", key: "foot" }, h("button", { class: "plainlink", type: "button", "data-clear": true }, gettext("全部清空")), h("button", { class: "plainlink", type: "button", "data-text": true }, gettext("改用文字输入"))),
  ];
}

const taken = (own) => own.hand.length + own.melds.length + own.fish.length > 0;

export function keys(model) {
  const { state, game, active, suit } = model;
  const rows = suits(game.options);
  const free = left(state);
  const label = `${active.seat ? `${seatName(active.seat)} · ` : ""}${placeNames()[active.at]}`;
  const names = { m: gettext("万"), p: gettext("筒"), s: gettext("条"), z: gettext("字") };
  return h("div", { class: "keys__inner" }, [
    h("div", { class: "keys__head" }, [
      h("p", { class: "keys__title" }, label, h("small", null, `${count(state, active)} / ${capacity(state, active, game)}`)),
      h("button", { class: "keys__tool", type: "button", "data-back": true, disabled: !count(state, active), "aria-label": gettext("退一张") }, "⌫"),
      h("button", { class: "keys__tool keys__tool--done", type: "button", "data-done": true }, gettext("收起")),
    ]),
    active.at === "meld" ? meldChoices(model) : null,
    h("div", { class: "keys__body" }, [
      h("div", { class: "keys__suits" }, [..."mpsz"].map((one, at) => h("button", { class: "keys__suit", type: "button", "data-suit": one, "aria-pressed": String(one === suit), disabled: !rows[at].length }, names[one]))),
      ...rows.map((tiles, at) => h("div", { class: `keys__tiles${"mpsz"[at] === suit ? " keys__tiles--on" : ""}`, key: `suit${at}` }, tiles.map((name) => key(model, name, free(name))))),
    ]),
  ]);
}

const key = ({ state, active, game }, name, unseen) =>
  h("button", { class: "keytile", type: "button", key: name, "data-tile": name, disabled: !fits(state, active, name, game), "aria-label": tileName(name) }, tile(name), unseen < 4 ? h("span", { class: "keytile__left", "aria-hidden": "true" }, unseen) : null);

function meldChoices({ game, active }) {
  const others = [1, 2, 3, 4].filter((seat) => seat <= game.players && seat !== active.seat);
  const fed = game.meldKind !== "c" && game.meldKind !== "k";
  return [
    h("div", { class: "keys__choices", role: "group", "aria-label": gettext("哪一种"), key: "kinds" }, MELD_KINDS.map((kind) => h("button", { class: "keys__choice", type: "button", "data-kind": kind, "aria-pressed": String(kind === game.meldKind) }, kindNames()[kind]))),
    fed ? h("div", { class: "keys__choices", role: "group", "aria-label": gettext("谁打的"), key: "feeders" }, others.map((seat) => h("button", { class: "keys__choice", type: "button", "data-feeder": seat, "aria-pressed": String(seat === game.feeder) }, fill(gettext("%(seat)s打的"), { seat: seatName(seat) })))) : null,
  ];
}

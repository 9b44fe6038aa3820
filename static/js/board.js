/** The middle of the table: players' plates, rivers, the compass with clock and wall, fishing. */

import { h, icon } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { parseTiles } from "./notation.js";
import { back, meldElement, meldUnits, tile } from "./tiles.js";
import { badgeWord, place, placeName, short, signed, wind } from "./words.js";

export function board(state, view, ui) {
  const seats = view.seats.map((_, index) => index);
  return h("div", { class: `board board--${seats.length}`, key: "board" }, [
    ...seats.map((index) => seatBlock(state, view, index)),
    ...seats.map((index) => river(state, view, index)),
    compass(state, view),
    dice(view, ui),
  ]);
}

export function avatar(player) {
  const color = /^#[0-9a-f]{6}$/i.test(player?.color ?? "") ? player.color : "#2e7d5b";
  return h("span", { class: "avatar", "aria-hidden": "true", style: { "background-color": color } }, (player?.name ?? "?").slice(0, 1).toUpperCase());
}

function seatBlock(state, view, index) {
  const player = state.room?.seats[index];
  const seat = view.seats[index];
  const where = place(index, view.you, view.seats.length);
  const turn = view.turn === index && (view.phase === "turn" || view.phase === "rob");
  const classes = ["seat", `seat--${where}`, turn && "seat--turn", player && !player.online && "seat--away"].filter(Boolean).join(" ");
  return h("section", { class: classes, key: `seat${index}`, "data-seat": index, "aria-label": placeName(index, view.you, view.seats.length) }, [
    plate(state, view, index, player),
    h("div", { class: "badges" }, badges(view, index, player)),
    where === "self" && view.you !== null ? null : h("div", { class: "seat__tiles" }, [
      view.phase === "over" ? openHand(seat) : concealedHand(seat),
      seat.melds.length ? h("div", { class: "melds", style: { "--units": units(seat) } }, seat.melds.map((meld, at) => meldElement(meld, index, view, at))) : null,
    ]),
  ]);
}

export const units = (seat) => Math.max(1, seat.melds.reduce((sum, meld) => sum + meldUnits(meld), 0)).toFixed(2);

function plate(state, view, index, player) {
  const players = view.seats.length;
  const dealt = view.phase !== "fish";
  const score = player?.score ?? 0;
  return h("div", { class: "plate" }, [
    h("div", { class: "plate__face" }, avatar(player), dealt ? h("span", { class: `wind${index === view.dealer ? " wind--dealer" : ""}`, title: gettext("门风") }, badgeWord(index === view.dealer ? gettext("庄") : wind(index, view.dealer, players))) : null),
    h("div", { class: "plate__text" }, [
      h("h2", { class: "plate__name" }, h("span", { class: "sr" }, `${placeName(index, view.you, players)} `), player?.name ?? "—"),
      holdings(state, player, score),
    ]),
  ]);
}

/** The room's points, or at a coin table what the player has there. */
const holdings = (state, player, score) =>
  state.room?.stake && player
    ? h("p", { class: "plate__score plate__coins" }, icon("coin"), h("span", { class: "sr" }, gettext("金币")), short(player.coins ?? 0))
    : h("p", { class: `plate__score${score < 0 ? " minus" : ""}` }, signed(score));

function badges(view, index, player) {
  const list = [];
  if (player?.auto) list.push(h("span", { class: "badge badge--auto" }, icon("auto"), gettext("托管")));
  if (player && !player.online) list.push(h("span", { class: "badge badge--away" }, gettext("离线")));
  if (view.phase === "over") return list; // the settlement tells the rest
  const fish = view.seats[index].fish;
  if (fish) list.push(h("span", { class: "badge badge--fish", title: gettext("钓到的鱼") }, icon("fish"), `×${fish}`));
  for (const { other, count } of links(view, index)) {
    const text = fill(gettext("三比 %(n)s/3"), { n: Math.min(3, count) });
    list.push(h("span", { class: `badge badge--bond${count >= 3 ? " badge--bonded" : ""}` }, text, h("small", null, placeName(other, view.you, view.seats.length))));
  }
  return list;
}

/** Bonds towards 三比 from two feeds on: those with you at the other's plate, those of two others at the first of the two. */
function links(view, index) {
  const turn = (seat) => (seat - (view.you ?? 0) + view.seats.length) % view.seats.length;
  return view.seats
    .map((_, other) => ({ other, count: Math.max(view.feeds[index][other], view.feeds[other][index]) }))
    .filter(({ other, count }) => other !== index && index !== view.you && count >= 2 && (other === view.you || turn(index) < turn(other)));
}

const concealedHand = (seat) =>
  seat.count > 0
    ? h("div", { class: "backs", role: "img", "aria-label": fill(gettext("%(n)s张手牌"), { n: seat.count }) }, [
        h("span", { class: "backs__row", style: { "--n": seat.count - (seat.has_drawn ? 1 : 0) } }),
        seat.has_drawn ? h("span", { class: "backs__row backs__drawn", style: { "--n": 1 } }) : null,
      ])
    : null;

const openHand = (seat) =>
  h("div", { class: "openhand" }, parseTiles(seat.hand ?? "").map((name) => tile(name)), seat.drawn ? tile(seat.drawn, "tl--apart") : null);

function river(state, view, index) {
  const where = place(index, view.you, view.seats.length);
  const lying = view.seats[index].river.map((one, at) => ({ ...one, at })).filter((one) => !one.taken);
  const label = fill(gettext("%(who)s的弃牌，%(n)s张"), { who: placeName(index, view.you, view.seats.length), n: lying.length });
  const long = lying.length > 18 ? (lying.length > 24 ? " river--longer" : " river--long") : "";
  return h("div", { class: `river river--${where}${long}`, key: `river${index}`, role: "group", "aria-label": label, "data-river": index },
    lying.map((one) => {
      const last = state.last === index && one.at === view.seats[index].river.length - 1;
      return tile(one.tile, `${last || one.pending ? "tl--last" : ""}${one.drawn ? " tl--drawn" : ""}${one.pending ? " tl--pending" : ""}`, { key: `r${one.at}` });
    }));
}

/** The compass: whose turn, how long, how many tiles are left to draw. */
function compass(state, view) {
  const players = view.seats.length;
  const fish = view.phase === "fish";
  const where = view.phase === "over" || fish ? "none" : place(view.turn, view.you, players);
  const clock = state.clock;
  return h("div", { class: `compass compass--${where}`, key: "compass" }, [
    ...view.seats.map((_, index) => !fish && h("span", { class: `point point--${place(index, view.you, players)}`, "aria-hidden": "true" }, badgeWord(wind(index, view.dealer, players)))),
    h("div", { class: "compass__heart" }, [
      clock && view.phase !== "over" && !fish
        ? h("span", { class: "clock", key: `c${clock.deadline}`, "data-deadline": clock.deadline, "data-reserve": clock.reserve ?? 0, role: "timer", "aria-label": fill(gettext("轮到%(who)s"), { who: placeName(clock.seat, view.you, players) }) }, h("span", { class: "clock__bank" }, gettext("备用")))
        : fish ? icon("fish") : null,
      h("span", { class: "wall" }, h("b", null, Math.max(0, view.drawable)), h("span", null, gettext("剩余"))),
    ]),
  ]);
}

const PIPS = { 1: [5], 2: [1, 9], 3: [1, 5, 9], 4: [1, 3, 7, 9], 5: [1, 3, 5, 7, 9], 6: [1, 3, 4, 6, 7, 9] };

const die = (value) => h("span", { class: `die${value === 1 || value === 4 ? " die--red" : ""}` }, PIPS[value].map((cell) => h("i", { class: `pip pip--${cell}` })));

/** The opening's dice, shown for a moment after the deal. */
function dice(view, ui) {
  if (!view.dice || !ui.diceUntil) return null;
  return h("div", { class: "dice", key: "dice", role: "img", "aria-label": fill(gettext("骰子 %(a)s 和 %(b)s"), { a: view.dice[0], b: view.dice[1] }) }, view.dice.map(die));
}

/** 钓鱼, at the own edge where the hand will lie: eight numbered backs, who took which, and until when. */
export function fishing(state, view) {
  const players = view.seats.length;
  const open = new Set((state.ask?.actions ?? []).filter((action) => action.do === "fish").map((action) => action.slot));
  const done = (state.ask?.actions ?? []).some((action) => action.do === "fish_done");
  const mine = view.pond.filter((owner) => owner === view.you).length;
  const busy = Boolean(state.answering) || state.stale;
  const clock = state.ask?.deadline ?? state.clock?.deadline;
  return h("div", { class: "pond", key: "pond", role: "group", "aria-label": gettext("钓鱼") }, [
    h("div", { class: "pond__head" }, [
      h("b", null, icon("fish"), gettext("钓鱼")),
      h("span", { class: "pond__hint" }, done ? fill(gettext("可钓两张，已钓 %(n)s"), { n: mine }) : gettext("等其他人钓完")),
      clock ? h("span", { class: "count", "data-deadline": clock, role: "timer" }) : null,
      done ? h("button", { class: "button pond__done", "data-act": "fish_done", disabled: busy }, mine ? gettext("钓完了") : gettext("不钓")) : null,
    ]),
    h("div", { class: "pond__slots" }, view.pond.map((owner, at) => slot(view, players, owner, at, open.has(at + 1) && !busy))),
  ]);
}

function slot(view, players, owner, at, free) {
  const taken = owner !== null;
  return h("button", { class: `slot${taken ? ` slot--taken slot--${place(owner, view.you, players)}` : ""}`, "data-act": "fish", "data-slot": at + 1, disabled: !free, key: `slot${at}` }, [
    back(),
    h("span", { class: "slot__number", "aria-hidden": "true" }, at + 1),
    h("span", { class: "sr" }, fill(gettext("第%(n)s张"), { n: at + 1 })),
    taken ? h("span", { class: "slot__owner" }, placeName(owner, view.you, players)) : null,
  ]);
}

/** 吃 碰 杠 胡 flash at the seat that called, chat lines as bubbles: [{id, place, kind, body}]. */
export const flashes = (list) => h("div", { class: "flashes", key: "flashes", "aria-hidden": "true" }, list.map((flash) => h("span", { class: `flash flash--${flash.place} flash--${flash.kind}${flash.body.length > 2 ? " flash--long" : ""}`, key: flash.id }, flash.body)));

/** The player's own edge of the table: what the hand waits for, the calls on offer, the hand itself and its melds. */

import { h, icon, face } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { parseTiles, tileMark, tileName } from "./notation.js";
import { counted, meldElement, tile } from "./tiles.js";
import { callName } from "./words.js";
import { fishing, units } from "./board.js";
import { betweenBar } from "./settlement.js";
import { elsewhereNotice, isElsewhere } from "./sheets.js";

/** The hand as it lies: [{tile, key, drawn}], the drawn tile last. */
export function handTiles(view) {
  const own = view.seats[view.you];
  const seen = {};
  const lying = parseTiles(own.hand ?? "").map((name) => {
    seen[name] = (seen[name] ?? 0) + 1;
    return { tile: name, key: `h${name}${seen[name]}`, drawn: false };
  });
  return own.drawn ? [...lying, { tile: own.drawn, key: "hdrawn", drawn: true }] : lying;
}

export function ownEdge(state, view, ui) {
  if (view.you === null) return h("section", { class: "own own--watch", key: "own" }, h("p", null, gettext("旁观中")));
  const own = view.seats[view.you];
  if (view.phase === "fish") return h("section", { class: "own own--fish", key: "own", "aria-label": gettext("钓鱼") }, isElsewhere(state) && elsewhereNotice(state), fishing(state, view));
  return h("section", { class: "own", key: "own", "aria-label": gettext("你的牌") }, [
    waitsBar(view, ui),
    isElsewhere(state) ? elsewhereNotice(state) : isOver(state, view) ? betweenBar(state, view, ui) : actions(state, view, ui),
    h("div", { class: `rack${view.phase === "over" ? " rack--over" : ""}` }, [
      hand(state, view, ui),
      own.melds.length ? h("div", { class: `melds melds--own melds--${own.melds.length}`, style: { "--units": units(own) } }, own.melds.map((meld, at) => meldElement(meld, view.you, view, at))) : null,
    ]),
  ]);
}

/** Settled, or ended by an escape, a decision of the house or a vote. */
const isOver = (state, view) => view.phase === "over" || (state.room !== null && state.room.status !== "playing");

/** Why a tile may not be thrown now, or "" if it may. */
export function refusal(state, view, name) {
  const offered = (state.ask?.actions ?? []).filter((action) => action.do === "discard");
  if (!offered.length || offered.some((action) => action.tile === name)) return "";
  return view.banned?.includes(name) ? gettext("刚吃碰的牌，下次摸牌前不能打出") : gettext("现在不能打这张");
}

function hand(state, view, ui) {
  const tiles = handTiles(view);
  const after = ui.outlook?.after ?? {};
  const turn = view.phase === "turn" && view.turn === view.you;
  const focus = tiles.some((one) => one.key === ui.focus) ? ui.focus : tiles[tiles.length - 1]?.key;
  return h("div", { class: `hand hand--${tiles.length}${turn ? " hand--turn" : ""}`, role: "toolbar", "aria-label": gettext("手牌"), "aria-orientation": "horizontal", key: "hand" },
    tiles.map((one, at) => {
      const reason = turn ? refusal(state, view, one.tile) : "";
      const raised = ui.selected === one.key;
      const classes = ["ht", one.drawn && "ht--drawn", raised && "ht--raised", reason && "ht--dim", turn && after[one.tile] && "ht--ready"].filter(Boolean).join(" ");
      const label = fill(gettext("%(tile)s，第%(n)s张"), { tile: tileName(one.tile), n: at + 1 }) + (one.drawn ? `，${gettext("刚摸的")}` : "") + (reason ? `，${reason}` : "");
      return h("button", { class: classes, key: one.key, type: "button", "data-act": "tile", "data-key": one.key, "data-tile": one.tile, "data-mark": tileMark(one.tile), "aria-label": label, "aria-pressed": raised ? "true" : "false", "aria-disabled": reason ? "true" : null, tabindex: one.key === focus ? "0" : "-1", title: reason || null }, face(one.tile));
    }));
}

function waitsBar(view, ui) {
  const { now = [], after = {} } = ui.outlook ?? {};
  const picked = ui.selectedTile && after[ui.selectedTile];
  const list = picked || now;
  const locks = lockBadges(view);
  const hint = !list.length && Object.keys(after).length && view.phase === "turn" ? h("span", { class: "waits__hint" }, gettext("打出带点的牌可听")) : null;
  return h("div", { class: "waits", key: "waits", "aria-live": "off" }, [
    list.length && ui.showWaits ? h("span", { class: "waits__list", key: "list" }, h("b", { class: "waits__word" }, gettext("听")), list.slice(0, 9).map(counted)) : null,
    ui.showWaits ? hint : null,
    ...locks,
  ]);
}

function lockBadges(view) {
  const { pong = [], win = null } = view.locks ?? {};
  const list = [];
  const lock = (text, tiles) => h("span", { class: "badge badge--lock" }, icon("lock"), text, tiles.map((name) => tile(name)));
  if (win) list.push(lock(win === "all" ? gettext("漏胡：摸牌前不能胡别人的牌") : gettext("漏胡"), win === "all" ? [] : win));
  if (pong.length) list.push(lock(gettext("漏碰"), pong));
  return list;
}

const CALLS = ["chow", "pong", "kong", "win"];

export const callsOf = (ask) => (ask?.actions ?? []).filter((action) => CALLS.includes(action.do));

function actions(state, view, ui) {
  const calls = callsOf(state.ask);
  const pass = (state.ask?.actions ?? []).find((action) => action.do === "pass");
  const asked = calls.length > 0 && view.phase !== "over";
  return h("div", { class: `actions${asked ? " actions--asked" : ""}`, key: "actions", role: "group", "aria-label": gettext("操作") }, [
    h("div", { class: "switches", key: "switches" }, switches(state, view, ui)),
    asked ? h("div", { class: "calls", key: "calls" }, ui.chooser ? choices(state, view, ui, calls) : callButtons(state, view, ui, calls, pass)) : null,
  ]);
}

function switches(state, view, ui) {
  const auto = state.room?.seats[state.you]?.auto;
  return [
    h("button", { class: `switch${auto ? " switch--on" : ""}`, "data-act": "auto", "aria-pressed": auto ? "true" : "false", title: gettext("托管") }, icon("auto"), h("span", null, auto ? gettext("取消托管") : gettext("托管"))),
    h("button", { class: `switch${ui.autoPass ? " switch--on" : ""}`, "data-act": "autopass", "aria-pressed": ui.autoPass ? "true" : "false", title: gettext("这一局不吃碰杠，能胡时仍会问") }, icon("skip"), h("span", null, gettext("不吃碰"))),
  ];
}

function callButtons(state, view, ui, calls, pass) {
  const busy = Boolean(state.answering) || state.stale;
  const pressed = state.answering?.action.do;
  const kinds = CALLS.filter((kind) => calls.some((action) => action.do === kind));
  const claim = view.pending && view.pending.seat !== view.you;
  return [
    claim ? h("span", { class: "calls__tile", key: "what" }, tile(view.pending.tile), h("span", { class: "count", "data-deadline": state.ask.deadline, "data-reserve": state.ask.reserve ?? 0, role: "timer" })) : null,
    ...kinds.map((kind) => h("button", { class: `call call--${kind}${pressed === kind ? " call--pressed" : ""}`, key: kind, "data-act": "call", "data-call": kind, disabled: busy }, callName({ do: kind }))),
    pass ? h("button", { class: `call call--pass${pressed === "pass" ? " call--pressed" : ""}`, key: "pass", "data-act": "call", "data-call": "pass", disabled: busy }, ui.armedPass ? gettext("真的过？") : callName(pass)) : null,
  ];
}

/** Several ways to chow or kong: picked by picture. */
function choices(state, view, ui, calls) {
  const busy = Boolean(state.answering) || state.stale;
  const ways = calls.filter((action) => action.do === ui.chooser);
  return [
    ...ways.map((action) => {
      const own = action.tiles ? parseTiles(action.tiles) : [action.tile];
      const shownTiles = action.tiles ? [view.pending.tile, ...own].sort() : own;
      const label = `${callName(action)} ${shownTiles.map(tileName).join(" ")}`;
      return h("button", { class: "call call--choice", key: `w${action.tiles ?? action.tile}`, "data-act": "choose", "data-way": action.tiles ?? action.tile, disabled: busy, "aria-label": label }, shownTiles.map((name) => tile(name, action.tiles && !own.includes(name) ? "tl--shaded" : "")));
    }),
    h("button", { class: "call call--pass", key: "backwards", "data-act": "unchoose" }, gettext("返回")),
  ];
}

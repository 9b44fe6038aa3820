/** The end of a hand line by line in the order of the rules, and the end of a room: hands × players. */

import { h, icon } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { parseTiles } from "./notation.js";
import { avatar } from "./board.js";
import { coinSteps, coinTotals } from "./coins.js";
import { meldElement, tile } from "./tiles.js";
import { badgeWord, placeName, signed, signedCoins, typeName } from "./words.js";

const KINDS = ["win", "sanbi", "kong", "fish"];
const kindName = (kind) => ({ win: gettext("胡牌"), sanbi: gettext("三比"), kong: gettext("杠"), fish: gettext("鱼") })[kind];

/** Payments in the rules' order, like ones added up: [{kind, from, to, points}]. */
export function lines(result) {
  const sums = new Map();
  for (const { from, to, kind, points } of result.payments) {
    const key = `${kind} ${from} ${to}`;
    const line = sums.get(key) ?? { kind, from, to, points: 0 };
    line.points += points;
    sums.set(key, line);
  }
  return [...sums.values()].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

const nameOf = (state, view, seat) => state.names?.[seat] ?? state.room?.seats[seat]?.name ?? placeName(seat, view.you, view.seats.length);

/** `notice` stands in place of the next step for who may take none. */
export function settlement(state, view, ui, notice = null) {
  const { result } = view;
  if (!result || view.phase !== "over" || ui.settlementHidden) return null;
  const own = view.you === null ? 0 : result.score[view.you];
  const title = result.wins.length === 0 ? gettext("流局") : own > 0 ? gettext("赢了") : own < 0 ? gettext("输了") : gettext("不赔不赚");
  const mood = own > 0 ? "good" : own < 0 ? "bad" : "even";
  return h("div", { class: "veil", key: "settlement" }, h("section", { class: `settle settle--${mood}`, role: "dialog", "aria-label": gettext("结算"), tabindex: "-1", id: "settlement" }, [
    h("header", { class: "settle__head" }, [
      h("h2", null, title, h("b", { class: "settle__own" }, ownFigure(state, view, own))),
      h("p", null, state.settled ? fill(gettext("第 %(no)s 局"), { no: state.settled.no }) : ""),
      h("button", { class: "round", "data-act": "look", "aria-label": gettext("收起，看牌面") }, icon("close")),
    ]),
    h("div", { class: "settle__body", tabindex: "0" }, [
      ...result.wins.map((win) => winBlock(state, view, win)),
      h("div", { class: "settle__tables" }, [pointsTable(state, view, result), totals(state, view, result)]),
      result.wins.length && view.pond.length ? fishRow(state, view) : null,
      state.settled?.hand ? h("p", { class: "settle__links" }, replayLink(state.settled.hand, [icon("check"), gettext("回放与洗牌证明")])) : null,
    ]),
    h("footer", { class: "settle__foot" }, notice || nextStep(state)),
  ]));
}

/** The hand's points, or at a coin table the coins that moved. */
function ownFigure(state, view, own) {
  const coins = state.room?.stake && view.you !== null ? state.settled?.coins?.[view.you] : undefined;
  return coins === undefined ? signed(own) : signedCoins(coins);
}

/** In a tab of its own, because this one holds the seat. */
const replayLink = (hand, body) => h("a", { href: `/hands/${hand}/`, target: "_blank", rel: "noopener" }, body);

function winBlock(state, view, win) {
  const seat = view.seats[win.seat];
  const types = (win.types.length ? win.types : ["basic"]).map(typeName);
  if (win.concealed) types.push(typeName("concealed"));
  if (win.last_tile) types.push(typeName("last_tile"));
  const won = seat.drawn ?? state.wonTile ?? lastDiscard(view);
  return h("div", { class: "winner" }, [
    h("div", { class: "winner__who" }, [
      avatar(state.room?.seats[win.seat]),
      h("h3", null, nameOf(state, view, win.seat)),
      h("span", { class: "winner__types" }, types.map((type) => h("b", null, type))),
      h("span", { class: "winner__value" }, fill(gettext("%(n)s 分"), { n: win.value }), win.fish ? ` · ${fill(gettext("鱼 ×%(n)s"), { n: win.fish + 1 })}` : ""),
    ]),
    h("div", { class: "winner__tiles" }, [
      ...parseTiles(seat.hand ?? "").map((name) => tile(name)),
      won ? tile(won, "tl--won") : null,
      ...seat.melds.map((meld, at) => meldElement(meld, win.seat, view, at)),
    ]),
    win.flipped.length ? h("div", { class: "winner__fish" }, gettext("翻鱼"), win.flipped.map((name) => tile(name))) : null,
  ]);
}

/** After a reload nothing says which tile won; a win by discard took the discarder's last. */
const lastDiscard = (view) => view.seats[view.turn]?.river.at(-1)?.tile;

function pointsTable(state, view, result) {
  const rows = lines(result);
  if (!rows.length) return h("p", { class: "settle__none" }, gettext("这一局没有分数进出。"));
  const own = (seat) => (seat === view.you ? "own-name" : "");
  return h("table", { class: "points" }, [
    h("caption", { class: "sr" }, gettext("逐项结算")),
    h("thead", null, h("tr", null, [gettext("项目"), gettext("付"), gettext("收"), gettext("分")].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", null, rows.map((line) => h("tr", { class: `points--${line.kind}` }, [
      h("th", { scope: "row" }, kindName(line.kind)),
      h("td", { class: own(line.from) }, nameOf(state, view, line.from)),
      h("td", { class: own(line.to) }, nameOf(state, view, line.to)),
      h("td", { class: "number" }, line.points),
    ]))),
  ]);
}

const nameCell = (state, view) => (seat) => h("th", { scope: "row" }, nameOf(state, view, seat), seat === view.dealer ? h("span", { class: "wind wind--dealer", title: gettext("庄") }, badgeWord(gettext("庄"))) : null);

function totals(state, view, result) {
  if (state.room?.stake) return coinTotals(state, view, result, nameCell(state, view));
  const room = state.settled?.score ?? state.room?.seats.map((one) => one?.score ?? 0);
  return h("table", { class: "totals" }, [
    h("caption", { class: "sr" }, gettext("本局与总分")),
    h("thead", null, h("tr", null, [gettext("玩家"), gettext("本局"), gettext("总分")].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", null, view.seats.map((_, seat) => h("tr", { class: seat === view.you ? "own-row" : "" }, [
      nameCell(state, view)(seat),
      h("td", { class: `number ${mark(result.score[seat])}` }, signed(result.score[seat])),
      h("td", { class: "number" }, room ? signed(room[seat]) : ""),
    ]))),
  ]);
}

const mark = (number) => (number > 0 ? "plus" : number < 0 ? "minus" : "");

/** Each owner's fish turned over. */
function fishRow(state, view) {
  const owners = view.seats.map((seat, index) => ({ index, fish: seat.pond ?? [] })).filter(({ fish }) => fish.length);
  if (!owners.length) return null;
  return h("div", { class: "pondrow" }, h("b", null, icon("fish"), gettext("钓到的鱼")), owners.map(({ index, fish }) => h("span", { class: "pondrow__one" }, nameOf(state, view, index), fish.map((name) => tile(name)))));
}

/** Ready for the next hand, or on to the final table. */
function nextStep(state) {
  const room = state.room;
  if (!room) return [];
  if (room.status === "done" || room.status === "dissolved") {
    return [h("button", { class: "button button--brass", "data-act": "final" }, gettext("看总成绩"))];
  }
  if (room.stake && state.you !== null) return coinSteps(state, readyButton(state));
  return [
    h("button", { class: "button button--quiet", "data-act": "look" }, gettext("看牌面")),
    readyButton(state),
  ];
}

export function readyButton(state) {
  if (state.you === null) return null;
  const mine = state.room.seats[state.you];
  const waiting = state.room.seats.filter((seat) => seat && !seat.ready).length;
  const next = state.room.next_at;
  const count = next ? h("span", { class: "count", "data-deadline": next, role: "timer" }) : null;
  if (mine?.ready) return h("span", { class: "waiting-line" }, fill(gettext("已准备，还差 %(n)s 人"), { n: waiting }), count);
  return h("button", { class: "button button--brass", "data-act": "ready", disabled: state.stale }, gettext("准备"), count);
}

/** Where the calls were, while the player looks at the open hands, or after a hand that was ended unsettled. */
export function betweenBar(state, view, ui) {
  if (view.result && !ui.settlementHidden) return null;
  const over = state.room.status === "done" || state.room.status === "dissolved";
  return h("div", { class: "between", key: "between" }, [
    view.result ? h("button", { class: "button button--quiet", "data-act": "unlook" }, gettext("看结算")) : null,
    over ? h("button", { class: "button button--brass", "data-act": "final" }, gettext("看总成绩")) : readyButton(state),
  ]);
}

/** The whole room: hands × players, the big winner crowned. */
export function finalTable(state, notice = null) {
  const { room } = state;
  const players = room.seats.map((seat, index) => ({ seat, index })).filter(({ seat }) => seat);
  const best = Math.max(...players.map(({ seat }) => seat.score));
  const winner = (seat) => best > 0 && seat.score === best;
  return h("section", { class: "final", key: "final", "aria-label": gettext("总成绩") }, [
    h("h1", { class: "final__title" }, room.status === "dissolved" ? gettext("房间已解散") : gettext("总成绩")),
    h("p", { class: "final__sub" }, fill(gettext("房间 %(code)s，打了 %(n)s 局"), { code: room.code, n: room.hands_played }), room.status === "dissolved" && room.hands_played ? `，${gettext("中途解散的一局不算分")}` : ""),
    h("ul", { class: "podium" }, players.map(({ seat, index }) => h("li", { class: `podium__one${winner(seat) ? " podium__one--best" : ""}${index === state.you ? " podium__one--own" : ""}` }, [
      winner(seat) ? h("span", { class: "podium__crown" }, icon("crown"), gettext("大赢家")) : null,
      avatar(seat), h("span", { class: "podium__name" }, seat.name), h("b", { class: `podium__score ${mark(seat.score)}` }, signed(seat.score)),
    ]))),
    matrix(room, players, state.you),
    notice || null,
    h("div", { class: "final__foot" }, [
      players.length ? h("button", { class: "button", "data-act": "share" }, icon("copy"), gettext("分享成绩")) : null,
      h("a", { class: "button button--brass", href: (room.stake ? state.coinLobby : state.lobby) ?? "/" }, gettext("返回大厅")),
    ]),
  ]);
}

/** The result in one line, to be sent to friends. */
export function resultText({ room }) {
  const scores = room.seats.filter(Boolean).sort((a, b) => b.score - a.score).map((seat) => `${seat.name} ${signed(seat.score)}`);
  return `${fill(gettext("柳州麻将房间 %(code)s，%(n)s 局"), { code: room.code, n: room.hands_played })}：${scores.join("，")}`;
}

function matrix(room, players, you) {
  const hands = room.history.filter((hand) => hand.score);
  if (!hands.length) return null;
  return h("div", { class: "matrix" }, h("table", null, [
    h("caption", { class: "sr" }, gettext("每局得分")),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, gettext("局")), players.map(({ seat, index }) => h("th", { scope: "col", class: index === you ? "own-name" : "" }, seat.name)))),
    h("tbody", null, hands.map((hand) => h("tr", null, h("th", { scope: "row" }, replayLink(hand.hand, [h("span", { class: "sr" }, gettext("回放")), hand.no])), players.map(({ index }) => h("td", { class: `number ${mark(hand.score[index])}` }, signed(hand.score[index])))))),
    h("tfoot", null, h("tr", null, h("th", { scope: "row" }, gettext("合计")), players.map(({ seat }) => h("td", { class: `number ${mark(seat.score)}` }, signed(seat.score))))),
  ]));
}

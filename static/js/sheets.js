/** Everything around the table: the bar on top, the waiting room, menu, help, dissolving, a lost seat. */

import { h, icon } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { avatar } from "./board.js";
import { stakeWords } from "./coins.js";
import { optionWords, payWords, placeName, short } from "./words.js";

/** 已连接(ms) · 信号弱 · 重连中 · 托管中 · 他处登录 */
export function statusOf(state) {
  const { status, rtt } = state.link;
  if (status === "elsewhere") return { kind: "bad", text: gettext("他处登录") };
  if (status === "down") return { kind: "bad", text: gettext("重连中…") };
  if (status === "connecting") return { kind: "weak", text: gettext("连接中…") };
  if (state.stale) return { kind: "weak", text: gettext("同步中…") };
  if (state.room?.seats[state.you]?.auto && state.room.status === "playing") return { kind: "auto", text: gettext("托管中") };
  if (status === "weak") return { kind: "weak", text: gettext("信号弱") };
  return { kind: "good", text: rtt === null ? gettext("已连接") : fill(gettext("已连接 %(ms)sms"), { ms: rtt }) };
}

function titleOf({ room, code }) {
  if (room?.practice) return gettext("练习");
  return room?.stake ? stakeWords(room.stake) : fill(gettext("房间 %(code)s"), { code });
}

/** 第 2/4 局; a table without an end only counts. */
function handWords(room) {
  if (!room || room.practice || room.status === "waiting") return "";
  const n = room.hands_played + (room.status === "playing" ? 1 : 0);
  return room.hands_total ? fill(gettext("第 %(n)s/%(all)s 局"), { n: Math.min(room.hands_total, n), all: room.hands_total }) : fill(gettext("第 %(no)s 局"), { no: Math.max(1, n) });
}

export function bar(state, ui) {
  const { room } = state;
  const status = statusOf(state);
  const unread = ui.unread ? h("span", { class: "dot" }, ui.unread > 9 ? "9+" : ui.unread) : null;
  return h("header", { class: "bar", key: "bar" }, [
    h("div", { class: "bar__left" }, h("h1", { class: "bar__code" }, titleOf(state)), handWords(room) ? h("span", { class: "bar__hand" }, handWords(room)) : null),
    h("p", { class: `status status--${status.kind}`, role: "status" }, h("i", { "aria-hidden": "true" }), status.text),
    h("div", { class: "bar__right" }, [
      h("button", { class: "round", "data-act": "mute", "aria-pressed": ui.muted ? "true" : "false", "aria-label": ui.muted ? gettext("打开声音") : gettext("静音") }, icon(ui.muted ? "mute" : "sound")),
      h("button", { class: "round round--chat", "data-act": "panel", "data-panel": "chat", "aria-label": gettext("聊天") }, icon("chat"), unread),
      h("button", { class: "round", "data-act": "panel", "data-panel": "menu", "aria-label": gettext("菜单"), "aria-expanded": ui.panel === "menu" ? "true" : "false" }, icon("menu")),
    ]),
  ]);
}

export function waitingRoom(state) {
  const { room } = state;
  const mine = room.seats[state.you];
  const free = room.seats.filter((seat) => !seat).length;
  const unready = room.seats.filter((seat) => seat && !seat.ready).length;
  const wait = free ? fill(gettext("还差 %(n)s 人"), { n: free }) : unready ? fill(gettext("等 %(n)s 人准备"), { n: unready }) : gettext("马上开局");
  return h("section", { class: "waitroom", key: "waitroom" }, h("div", { class: `waitroom__card${room.stake ? " waitroom__card--coins" : ""}` }, [
    ...(room.stake ? stakeHead(room) : invitation(state)),
    h("ul", { class: "chips", "aria-label": gettext("规则") }, [...optionWords(room.preset, room.options, room.hands_total), ...payWords(room)].map((word) => h("li", null, word))),
    h("ul", { class: "chairs" }, room.seats.map((seat, index) => chair(state, seat, index))),
    h("p", { class: "waitroom__wait", role: "status" }, wait),
    isElsewhere(state) ? elsewhereNotice(state) : state.you === null ? null : h("div", { class: "waitroom__foot" }, [
      h("button", { class: "button", "data-act": "leave" }, icon("leave"), room.stake ? gettext("离桌") : gettext("离开")),
      room.stake ? h("button", { class: "button", "data-act": "change" }, gettext("换桌")) : null,
      mine?.ready
        ? h("button", { class: "button button--main", disabled: true }, icon("check"), gettext("已准备"))
        : h("button", { class: "button button--brass", "data-act": "ready", disabled: state.stale }, gettext("准备"), room.next_at ? h("span", { class: "count", "data-deadline": room.next_at, role: "timer" }) : null),
    ]),
  ]));
}

const stakeHead = (room) => [
  h("p", { class: "waitroom__label" }, gettext("金币场")),
  h("p", { class: "waitroom__stake" }, icon("coin"), stakeWords(room.stake)),
];

/** The code, its link, and the link as a picture for the phone across the table. */
const invitation = (state) => [
  h("p", { class: "waitroom__label" }, gettext("房号")),
  h("p", { class: "waitroom__code" }, [...state.room.code].map((digit) => h("b", null, digit))),
  h("button", { class: "button", "data-act": "copy" }, icon("copy"), gettext("复制邀请链接")),
  state.qr ? h("img", { class: "waitroom__qr", src: state.qr, width: 124, height: 124, alt: gettext("房间链接的二维码，用手机扫一扫加入") }) : null,
];

function chair(state, seat, index) {
  if (!seat) return h("li", { class: "chair chair--free" }, h("span", { class: "avatar avatar--free" }, "+"), h("span", { class: "chair__name" }, gettext("空位")));
  const owner = state.room.owner;
  const kick = owner === state.you && index !== state.you ? h("button", { class: "chair__kick", "data-act": "kick", "data-seat": index, "aria-label": fill(gettext("请出%(name)s"), { name: seat.name }) }, icon("close")) : null;
  return h("li", { class: `chair${seat.ready ? " chair--ready" : ""}${seat.online ? "" : " chair--away"}` }, [
    avatar(seat),
    h("span", { class: "chair__name" }, seat.name),
    h("span", { class: "chair__state" }, [
      state.room.stake ? h("span", { class: "chair__coins" }, icon("coin"), short(seat.coins ?? 0)) : null,
      seat.ready ? [icon("check"), gettext("已准备")] : seat.online ? gettext("未准备") : gettext("离线"),
      index === state.you ? h("small", null, gettext("你")) : null,
      index === owner ? h("small", null, gettext("房主")) : null,
    ]),
    kick,
  ]);
}

export function menu(state, ui) {
  if (ui.panel !== "menu") return null;
  const { room } = state;
  const auto = room?.seats[state.you]?.auto;
  const item = (act, name, text, props = {}) => h("button", { class: "menu__item", "data-act": act, ...props }, icon(name), text);
  return h("div", { class: "veil veil--menu", key: "menu", "data-act": "shut" }, h("div", { class: "menu", role: "dialog", "aria-label": gettext("菜单") }, [
    room ? h("ul", { class: "chips" }, optionWords(room.preset, room.options, room.practice ? 0 : room.hands_total).map((word) => h("li", null, word))) : null,
    room?.status === "playing" ? item("auto", "auto", auto ? gettext("取消托管") : gettext("托管")) : null,
    item("mute", ui.muted ? "mute" : "sound", ui.muted ? gettext("打开声音") : gettext("静音")),
    item("speech", "chat", ui.speech ? gettext("关闭语音报牌") : gettext("打开语音报牌"), { "aria-pressed": ui.speech ? "true" : "false" }),
    item("panel", "help", gettext("帮助和快捷键"), { "data-panel": "help" }),
    room && !room.practice && !room.stake && room.status !== "waiting" && room.status !== "done" ? item("dissolve", "close", gettext("申请解散房间")) : null,
    room?.stake && room.status === "between" ? item("change", "auto", gettext("换桌")) : null,
    room?.practice || room?.stake || room?.status === "waiting" ? item("leave", "leave", room.stake ? gettext("离桌") : gettext("离开房间")) : null,
    h("a", { class: "menu__item", href: state.lobby ?? "/" }, icon("back"), gettext("回大厅（座位保留）")),
    item("shut", "check", gettext("继续打牌")),
  ]));
}

const KEYS = () => [
  ["← →", gettext("选牌")], ["Enter", gettext("打出选中的牌")], ["1–9 0", gettext("按位置选牌")], ["C P G H", gettext("吃 碰 杠 胡")],
  ["Esc", gettext("过（可胡时按两次）")], ["T", gettext("显示或收起听牌")], ["M", gettext("静音")], ["?", gettext("帮助")],
];

export function help(ui) {
  if (ui.panel !== "help") return null;
  return h("div", { class: "veil veil--menu", key: "help", "data-act": "shut" }, h("div", { class: "menu menu--help", role: "dialog", "aria-label": gettext("帮助") }, [
    h("h2", null, gettext("怎么打")),
    h("p", null, gettext("点一下牌会抬起，并显示打出后听什么；再点一下或向上滑，打出这张牌。别人打出的牌能吃、碰、杠、胡时，按钮出现在右下角；只有按「过」才算过。")),
    h("h2", null, gettext("快捷键")),
    h("dl", null, KEYS().map(([key, text]) => [h("dt", null, key), h("dd", null, text)])),
    h("button", { class: "button button--main", "data-act": "shut" }, gettext("知道了")),
  ]));
}

/** Somebody asked to dissolve: who, who agreed, until when. */
export function dissolvePrompt(state) {
  const vote = state.room?.dissolve;
  if (!vote || state.room.status === "dissolved") return null;
  const agreed = vote.agreed.includes(state.you);
  const name = (seat) => state.room.seats[seat]?.name ?? placeName(seat, state.you, state.room.seats.length);
  return h("div", { class: "veil veil--menu", key: "dissolve" }, h("section", { class: "menu menu--vote", role: "alertdialog", "aria-label": gettext("解散房间") }, [
    h("h2", null, fill(gettext("%(name)s申请解散房间"), { name: name(vote.by) })),
    h("p", null, gettext("中途解散不算分。")),
    h("ul", { class: "votes" }, state.room.seats.map((seat, index) => seat && h("li", null, avatar(seat), seat.name, h("b", { class: vote.agreed.includes(index) ? "agreed" : "" }, vote.agreed.includes(index) ? gettext("同意") : gettext("未表态"))))),
    h("p", { class: "count-line" }, gettext("剩余"), h("span", { class: "count", "data-deadline": vote.deadline, role: "timer" }), gettext("秒，不表态视为同意")),
    agreed ? h("p", null, gettext("你已同意，等其他人。")) : h("div", { class: "settle__foot" }, h("button", { class: "button", "data-act": "vote", "data-agree": "" }, gettext("不同意")), h("button", { class: "button button--main", "data-act": "vote", "data-agree": "1" }, gettext("同意解散"))),
  ]));
}

/** The seat is played elsewhere; here it is only watched, until the player takes it back. It stands where calls and buttons were. */
export const elsewhereNotice = (state) => h("section", { class: "elsewhere", key: "elsewhere", role: "status" }, [
  h("p", null, gettext("这张牌桌已在别处打开，这里只能观看。")),
  h("button", { class: "button button--brass", "data-act": "reopen" }, gettext("在此继续")),
]);

export const isElsewhere = (state) => state.link.status === "elsewhere";

/** The line is gone for good: no seat, no such room. */
export function closedNotice(state) {
  const { status } = state.link;
  const outside = state.unseated ? gettext("没有及时准备，你已离桌；金币已带回。") : gettext("你不在这个房间里。");
  const text = { outside, missing: gettext("没有这个房间，或者已经结束。") }[status];
  if (!text) return null;
  return h("div", { class: "veil", key: "closed" }, h("section", { class: "menu menu--vote", role: "alertdialog" }, [
    h("h2", null, text),
    h("div", { class: "settle__foot" }, h("a", { class: "button", href: state.unseated ? state.coinLobby : (state.lobby ?? "/") }, state.unseated ? gettext("回金币场") : gettext("返回大厅"))),
  ]));
}

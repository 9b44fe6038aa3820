/** At a coin table: what a hand really moved, moving on between hands, and what leaving in mid-hand costs. */

import { h, icon } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { grouped, placeName, short, signedCoins } from "./words.js";

/** 底注 100 */
export const stakeWords = (stake) => fill(gettext("底注 %(n)s"), { n: grouped(stake) });

const mark = (number) => (number > 0 ? "plus" : number < 0 ? "minus" : "");

/** Points, their worth, what was moved and what is held now; with a line when somebody could not pay. */
export function coinTotals(state, view, result, nameCell) {
  const { stake, seats } = state.room;
  const moved = state.settled?.coins ?? null;
  const worth = result.score.map((points) => points * stake);
  const heads = [gettext("玩家"), gettext("分"), gettext("应得"), gettext("实得"), gettext("现有")];
  return h("div", { class: "totals" }, [
    h("table", { class: "totals--coins" }, [
      h("caption", { class: "sr" }, gettext("本局金币")),
      h("thead", null, h("tr", null, heads.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", null, view.seats.map((_, seat) => h("tr", { class: seat === view.you ? "own-row" : "" }, [
        nameCell(seat),
        h("td", { class: "number" }, signedCoins(result.score[seat])),
        h("td", { class: "number" }, signedCoins(worth[seat])),
        h("td", { class: `number ${mark(moved?.[seat] ?? 0)}` }, moved ? signedCoins(moved[seat]) : "…"),
        h("td", { class: "number" }, seats[seat] ? short(seats[seat].coins ?? 0) : "—"),
      ]))),
    ]),
    moved && worth.some((coins, seat) => coins !== moved[seat]) ? h("p", { class: "settle__note" }, gettext("不够付，按比例：有人的金币不够，赢家按应得的比例分。")) : null,
  ]);
}

/** Why moving on is advised: the coins have outgrown the table, or no longer suffice. */
function offerLine(offer, stake) {
  if (offer === null || offer === undefined) return null;
  if (offer === 0) return gettext("金币不够任何场次了。");
  const words = offer > stake ? gettext("你的金币可以上更高的场次：底注 %(n)s") : gettext("你的金币不够这一桌了，可换到底注 %(n)s");
  return fill(words, { n: grouped(offer) });
}

/** Between hands: 准备, 换桌 or 去领救济金, 离桌. `ready` is the ready button. */
export function coinSteps(state, ready) {
  const mine = state.room.seats[state.you];
  const { stake } = state.room;
  const offer = mine?.offer ?? null;
  const broke = offer === 0;
  const low = broke || (offer !== null && offer < stake);
  const change = h("button", { class: `button${offer ? " button--main" : " button--quiet"}`, "data-act": "change", disabled: state.stale, key: "change" }, offer ? (offer > stake ? gettext("上高场") : gettext("换低场")) : gettext("换桌"));
  return [
    offerLine(offer, stake) ? h("p", { class: "offer", key: "offer" }, offerLine(offer, stake)) : null,
    h("button", { class: "button button--quiet", "data-act": "leave", key: "leave" }, gettext("离桌")),
    broke ? h("button", { class: "button button--brass", "data-act": "relief", key: "relief" }, gettext("去领救济金")) : change,
    low ? null : ready,
  ];
}

/** What the server asks for leaving now; nothing happens before the player says so. */
export function escapeSheet(ui) {
  if (!ui.escape) return null;
  return h("div", { class: "veil veil--menu", key: "escape" }, h("section", { class: "menu menu--vote", role: "alertdialog", "aria-label": gettext("确定逃跑？") }, [
    h("h2", null, gettext("确定逃跑？")),
    h("p", null, ui.escape),
    h("p", null, gettext("这一局作废，赔的金币分给另外几家；断线不算逃跑。")),
    h("div", { class: "settle__foot" }, [
      h("button", { class: "button", "data-act": "stay" }, gettext("继续打牌")),
      h("button", { class: "button button--danger", "data-act": "escape" }, gettext("逃跑")),
    ]),
  ]));
}

/** `closed` in words: who ended the hand, and why. */
export function closedText(event, state) {
  if (event.why === "escape") {
    const players = state.room?.seats.length ?? 4;
    const name = state.room?.seats[event.seat]?.name ?? placeName(event.seat, state.you, players);
    return fill(gettext("%(name)s逃跑了，这一局作废；赔的金币已分给其他几家。"), { name });
  }
  if (event.why === "dissolve") return gettext("房间已解散，这一局不算分。");
  return event.reason ? fill(gettext("这一局被管理员作废：%(reason)s"), { reason: event.reason }) : gettext("这一局被管理员作废。");
}

/** The notice that stays until it is read. */
export function closedSheet(ui) {
  if (!ui.notice) return null;
  return h("div", { class: "veil veil--menu", key: "notice" }, h("section", { class: "menu menu--vote", role: "alertdialog", "aria-label": gettext("这一局结束了") }, [
    h("h2", null, icon("help"), gettext("这一局结束了")),
    h("p", null, ui.notice),
    h("div", { class: "settle__foot" }, h("button", { class: "button button--main", "data-act": "noticed" }, gettext("知道了"))),
  ]));
}

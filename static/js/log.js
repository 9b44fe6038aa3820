/** What is said of an event: a line for the log and, for calls, a word that flashes at the seat. */

import { fill, gettext } from "./i18n.js";
import { tileName } from "./notation.js";
import { meldName, placeName, signed, typeName } from "./words.js";

export function lineOf(event, view) {
  const players = view?.seats.length ?? 4;
  const who = (seat) => placeName(seat, view?.you, players);
  switch (event.kind) {
    case "fished":
      return fill(gettext("%(who)s钓了第%(n)s张"), { who: who(event.seat), n: event.slot });
    case "dealt":
      return fill(gettext("发牌，骰子 %(dice)s"), { dice: (event.dice ?? []).join("、") });
    case "drew":
      return event.seat === view.you && event.tile ? fill(gettext("你摸到%(tile)s"), { tile: tileName(event.tile) }) : null;
    case "discarded":
      return fill(gettext("%(who)s打出%(tile)s"), { who: who(event.seat), tile: tileName(event.tile) });
    case "melded":
      return `${who(event.seat)}${meldName(event.meld.kind)}${event.meld.tile ? tileName(event.meld.tile) : ""}`;
    case "kong_declared":
      return fill(gettext("%(who)s要碰杠%(tile)s"), { who: who(event.seat), tile: tileName(event.tile) });
    case "robbed":
      return gettext("被抢杠");
    case "won":
      return fill(event.from === null ? gettext("%(who)s自摸%(tile)s") : gettext("%(who)s胡%(tile)s"), { who: event.seats.map(who).join("、"), tile: tileName(event.tile) });
    case "ended":
      return event.result.wins.length ? scoreLine(event.result, who) : gettext("流局");
    case "away":
      return fill(event.on ? gettext("%(who)s离线") : gettext("%(who)s回来了"), { who: who(event.seat) });
    case "auto":
      return fill(event.on ? gettext("%(who)s托管") : gettext("%(who)s取消托管"), { who: who(event.seat) });
    default:
      return null;
  }
}

function scoreLine(result, who) {
  const types = result.wins.map((win) => (win.types.length ? win.types : ["basic"]).map(typeName).join(" ")).join("；");
  return `${types}。${result.score.map((score, seat) => `${who(seat)} ${signed(score)}`).join("，")}`;
}

/** The call to flash at a seat: {seats, word, kind} or null. */
export function callOf(event) {
  if (event.kind === "melded") {
    const kind = event.meld.kind.endsWith("kong") ? "kong" : event.meld.kind;
    return { seats: [event.seat], kind, word: { chow: gettext("吃"), pong: gettext("碰"), kong: gettext("杠") }[kind] };
  }
  if (event.kind === "won") return { seats: event.seats, kind: "win", word: event.from === null ? gettext("自摸") : gettext("胡") };
  return null;
}

/** The spoken question: 可碰、可胡，12秒. */
export function questionOf(ask, seconds) {
  const words = { chow: gettext("可吃"), pong: gettext("可碰"), kong: gettext("可杠"), win: gettext("可胡") };
  const calls = [...new Set(ask.actions.map((action) => words[action.do]).filter(Boolean))];
  if (ask.actions.some((action) => action.do === "fish")) calls.push(gettext("可钓鱼"));
  if (!calls.length && ask.actions.some((action) => action.do === "discard")) calls.push(gettext("轮到你打牌"));
  return calls.length ? `${calls.join("、")}，${fill(gettext("%(n)s秒"), { n: seconds })}` : null;
}

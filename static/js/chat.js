/** The side panel: chat with phrases and stickers, and the log of the hand. */

import { h, icon } from "./dom.js";
import { fill, gettext } from "./i18n.js";
import { PHRASES, STICKERS, phraseText, stickerName } from "./words.js";

export const saidText = (said) => said.text ?? (said.phrase ? phraseText(said.phrase) : null) ?? (said.emoji ? stickerName(said.emoji) : "");

/** The lines of those this viewer has not muted. */
export const heardLines = (said, quiet) => said.filter((one) => !quiet.includes(one.name));

/** One button for each of the others: pressed while they are muted. */
export const muteButtons = (names, quiet) => names.length
  ? h("ul", { class: "chat__people", key: "people", "aria-label": gettext("屏蔽聊天") }, names.map((name) => {
      const off = quiet.includes(name);
      return h("li", { key: name }, h("button", { type: "button", "data-act": "quiet", "data-name": name, "aria-pressed": off ? "true" : "false", "aria-label": fill(gettext("屏蔽%(name)s"), { name }) }, icon(off ? "mute" : "sound"), h("span", null, name)));
    }))
  : null;

export const saidBody = (said) => (said.emoji ? h("span", { class: "sticker", role: "img", "aria-label": stickerName(said.emoji) }, icon(said.emoji)) : saidText(said));

export function sidePanel(state, ui) {
  const tab = ui.sideTab ?? "chat";
  const tabButton = (name, text) => h("button", { class: `side__tab${tab === name ? " side__tab--on" : ""}`, "data-act": "tab", "data-tab": name, "aria-pressed": tab === name ? "true" : "false" }, text);
  return h("aside", { class: `side side--${tab}${ui.panel === "chat" ? " side--open" : ""}`, key: "side", "aria-label": gettext("聊天和记录") }, [
    h("div", { class: "side__tabs" }, tabButton("chat", gettext("聊天")), tabButton("log", gettext("记录")), h("button", { class: "round side__close", "data-act": "panel", "data-panel": "chat", "aria-label": gettext("关闭") }, icon("close"))),
    h("h2", { class: "side__title" }, gettext("记录")),
    log(ui),
    chat(state, ui),
  ]);
}

const log = (ui) => h("ol", { class: "side__log", key: "log" }, ui.log.map((line) => h("li", { key: line.id }, line.text)));

const othersOf = (state) => (state.room?.seats ?? []).filter((seat, index) => seat && !seat.bot && index !== state.you).map((seat) => seat.name);

function chat(state, ui) {
  const lines = heardLines(state.said, ui.quiet);
  return h("div", { class: "chat", key: "chat" }, [
    h("ol", { class: "chat__lines", tabindex: "0", "aria-label": gettext("聊天"), "data-bottom": lines.length }, lines.map((said) => h("li", { class: said.seat === state.you ? "chat__own" : "", key: `${said.at}-${said.seat}` }, h("b", null, said.name), h("span", { class: "chat__text" }, saidBody(said))))),
    h("div", { class: "chat__tools", key: "tools" }, [muteButtons(othersOf(state), ui.quiet), state.you === null ? null : [stickers(), phrases()]]),
    state.you === null ? null : sayForm(), // who only watches has no voice
  ]);
}

const stickers = () => h("div", { class: "chat__stickers" }, STICKERS.map((key) => h("button", { class: "round", "data-act": "sticker", "data-key": key, "aria-label": stickerName(key) }, icon(key))));

const phrases = () => h("ul", { class: "chat__phrases" }, PHRASES.map((key) => h("li", null, h("button", { "data-act": "phrase", "data-key": key }, phraseText(key)))));

const sayForm = () => h("form", { class: "chat__form", key: "form", "data-act": "say" }, [
  h("label", { class: "sr", for: "say" }, gettext("说点什么")),
  h("input", { id: "say", name: "text", maxlength: "200", autocomplete: "off", placeholder: gettext("说点什么") }),
  h("button", { class: "button button--main" }, gettext("发送")),
]);

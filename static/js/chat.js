/** The side panel: chat with phrases and stickers, and the log of the hand. */

import { h, icon } from "./dom.js";
import { gettext } from "./i18n.js";
import { PHRASES, STICKERS, phraseText, stickerName } from "./words.js";

export const saidText = (said) => said.text ?? (said.phrase ? phraseText(said.phrase) : null) ?? (said.emoji ? stickerName(said.emoji) : "");

const saidBody = (said) => (said.emoji ? h("span", { class: "sticker", role: "img", "aria-label": stickerName(said.emoji) }, icon(said.emoji)) : saidText(said));

export function sidePanel(state, ui) {
  const tab = ui.sideTab ?? "chat";
  const tabButton = (name, text) => h("button", { class: `side__tab${tab === name ? " side__tab--on" : ""}`, "data-act": "tab", "data-tab": name, "aria-pressed": tab === name ? "true" : "false" }, text);
  return h("aside", { class: `side side--${tab}${ui.panel === "chat" ? " side--open" : ""}`, key: "side", "aria-label": gettext("聊天和记录") }, [
    h("div", { class: "side__tabs" }, tabButton("chat", gettext("聊天")), tabButton("log", gettext("记录")), h("button", { class: "round side__close", "data-act": "panel", "data-panel": "chat", "aria-label": gettext("关闭") }, icon("close"))),
    h("h2", { class: "side__title" }, gettext("记录")),
    log(ui),
    chat(state),
  ]);
}

const log = (ui) => h("ol", { class: "side__log", key: "log" }, ui.log.map((line) => h("li", { key: line.id }, line.text)));

function chat(state) {
  return h("div", { class: "chat", key: "chat" }, [
    h("ol", { class: "chat__lines", "data-bottom": state.said.length }, state.said.map((said) => h("li", { class: said.seat === state.you ? "chat__own" : "", key: `${said.at}-${said.seat}` }, h("b", null, said.name), h("span", { class: "chat__text" }, saidBody(said))))),
    h("div", { class: "chat__stickers" }, STICKERS.map((key) => h("button", { class: "round", "data-act": "sticker", "data-key": key, "aria-label": stickerName(key) }, icon(key)))),
    h("ul", { class: "chat__phrases" }, PHRASES.map((key) => h("li", null, h("button", { "data-act": "phrase", "data-key": key }, phraseText(key))))),
    h("form", { class: "chat__form", "data-act": "say" }, [
      h("label", { class: "sr", for: "say" }, gettext("说点什么")),
      h("input", { id: "say", name: "text", maxlength: "60", autocomplete: "off", placeholder: gettext("说点什么") }),
      h("button", { class: "button button--main" }, gettext("发送")),
    ]),
  ]);
}

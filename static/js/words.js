/** What things are called: seats seen from the own chair, kinds of win, options, calls. */

import { gettext, fill } from "./i18n.js";

/** Where seat `seat` sits seen from `you`: self, next, opposite or previous. */
export function place(seat, you, players) {
  const offset = (seat - (you ?? 0) + players) % players;
  if (offset === 0) return "self";
  if (players === 2) return "opposite";
  if (players === 3) return offset === 1 ? "next" : "previous";
  return ["self", "next", "opposite", "previous"][offset];
}

const PLACES = () => ({
  self: gettext("你"), next: gettext("下家"), opposite: gettext("对家"), previous: gettext("上家"),
});

export const placeName = (seat, you, players) => PLACES()[place(seat, you, players)];

/** The seat's wind seen from the dealer: 东 is the dealer. */
export const wind = (seat, dealer, players) =>
  [gettext("东"), gettext("南"), gettext("西"), gettext("北")][(seat - dealer + players) % players];

/** A word for a badge of one character: itself in Chinese, its first letter in English. */
export const badgeWord = (word) => (/^[a-z]/i.test(word) ? word[0].toUpperCase() : word);

export const callName = (action) =>
  ({
    chow: gettext("吃"), pong: gettext("碰"), kong: gettext("杠"), win: gettext("胡"), pass: gettext("过"), discard: gettext("打"),
  })[action.do] ?? "";

export const meldName = (kind) =>
  ({
    chow: gettext("吃"), pong: gettext("碰"), direct_kong: gettext("点杠"), added_kong: gettext("碰杠"), concealed_kong: gettext("暗杠"),
  })[kind];

export const typeName = (type) =>
  ({
    basic: gettext("基本胡"), all_pungs: gettext("对对胡"), full_flush: gettext("清一色"), seven_pairs: gettext("小七对"),
    all_melded: gettext("全求人"), kong_flower: gettext("杠上花"), kong_discard: gettext("杠上炮"), robbed_kong: gettext("抢杠胡"),
    concealed: gettext("门清"), last_tile: gettext("海底捞月"),
  })[type] ?? type;

export const presetName = (preset) =>
  ({ classic: gettext("经典"), baike: gettext("传统"), tiantian: gettext("天天") })[preset] ?? preset;

/** The rules of a room in a few words: ["经典", "4人", "底分 1", "池塘钓鱼"]. */
export function optionWords(preset, options, hands) {
  const words = [presetName(preset), fill(gettext("%(n)s人"), { n: options.players ?? 4 })];
  if (hands) words.push(fill(gettext("%(n)s局"), { n: hands }));
  words.push(fill(gettext("底分 %(n)s"), { n: options.base ?? 1 }));
  const fish = { pond: gettext("池塘钓鱼"), none: gettext("不钓鱼"), 159: gettext("159 钓鱼"), follow: gettext("跟庄钓鱼"), bomb: gettext("爆炸鱼") }[options.fish];
  if (fish) words.push(["159", "follow"].includes(options.fish) ? `${fish} ×${options.fish_count}` : fish);
  if (preset === "tiantian") {
    words.push(options.cap === "none" || options.cap === null ? gettext("无限番") : fill(gettext("%(n)s 子封顶"), { n: options.cap }));
  }
  if (options.concealed && preset === "tiantian") words.push(gettext("门清翻倍"));
  if (options.wild_red) words.push(gettext("红中癞子"));
  if (options.no_honors) words.push(gettext("无字"));
  if (options.no_dots) words.push(gettext("无筒"));
  return words;
}

/** Who pays how many room cards: ["房主付 4 张房卡"]; nothing where nobody does. */
export function payWords({ price, pay, options }) {
  if (!price) return [];
  if (pay === "split") return [fill(gettext("AA 付房卡，每人 %(n)s 张"), { n: Math.ceil(price / (options.players ?? 4)) })];
  return [fill(pay === "winner" ? gettext("大赢家付 %(n)s 张房卡") : gettext("房主付 %(n)s 张房卡"), { n: price })];
}

export const phraseText = (key) =>
  ({
    hello: gettext("大家好，多关照"), hurry: gettext("快点啦，等到花都谢了"), nice: gettext("打得漂亮"), sorry: gettext("不好意思"),
    thanks: gettext("谢谢"), unlucky: gettext("手气太差了"), again: gettext("再来一局"), bye: gettext("先走了，下次见"),
  })[key];

export const PHRASES = ["hello", "hurry", "nice", "sorry", "thanks", "unlucky", "again", "bye"];

export const stickerName = (key) =>
  ({
    smile: gettext("笑"), cry: gettext("哭"), angry: gettext("生气"), cool: gettext("得意"), fish: gettext("鱼"), flower: gettext("花"),
  })[key] ?? key;

export const STICKERS = ["smile", "cry", "angry", "cool", "fish", "flower"];

/** Coins in little room: 9,800 · 1.2万 · 3.4亿, cut off and not rounded up. */
export function short(number) {
  const units = gettext("万") === "万" ? [[1e8, "亿"], [1e4, "万"]] : [[1e6, "M"], [1e4, "K", 1e3]];
  const unit = units.find(([from]) => Math.abs(number) >= from);
  if (!unit) return grouped(number);
  const [from, name, per = from] = unit;
  return `${grouped(Math.trunc((number / per) * 10) / 10)}${name}`;
}

/** 12,345, with a real minus sign. */
export const grouped = (number) => number.toLocaleString("en-US").replace("-", "−");

/** +12,345 · −800 · 0 */
export const signedCoins = (number) => (number > 0 ? "+" : "") + grouped(number);

/** +3, −2, 0 with a real minus sign. */
export const signed = (number) => (number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0");

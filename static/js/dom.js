/** A small virtual DOM: h() describes elements, patch() makes an element's children agree, moving as little as it can. */

const SVG = new Set(["svg", "use", "circle", "path", "g"]);
const NOTHING = Object.freeze({});

/** h("button", {class: "x", "data-do": "pass", key: 1, style: {"--n": 2}}, "text", child, [more], null) */
export const h = (tag, props, ...children) => ({ tag, props: props ?? NOTHING, children: present(children) });

/** A flat list of children without those that are not there. */
const present = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== "");

/** One tile of the sprite. */
export const face = (name) => h("svg", { class: "face", viewBox: "0 0 60 80", "aria-hidden": "true" }, h("use", { href: `#t-${name}` }));

export const icon = (name) => h("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, h("use", { href: `#i-${name}` }));

/** A sprite goes into the page, so that what is drawn anew from it never flickers. */
export async function sprite(url) {
  const text = await (await fetch(url)).text();
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("sprite");
  document.body.append(document.importNode(svg, true));
}

function setProp(node, name, value, before) {
  if (name === "key" || name === "html") return;
  if (name === "style") {
    for (const key of Object.keys(before ?? NOTHING)) if (!value || !(key in value)) node.style.removeProperty(key);
    for (const [key, one] of Object.entries(value ?? NOTHING)) node.style.setProperty(key, String(one));
  } else if (value === false || value === null || value === undefined) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? "" : String(value));
  }
  if (name === "disabled") node.disabled = Boolean(value);
  if (name === "value" && node.value !== value) node.value = value;
}

function update(node, next) {
  const before = node.drawn ?? NOTHING;
  for (const name of Object.keys(before)) if (!(name in next.props)) setProp(node, name, null, before[name]);
  for (const [name, value] of Object.entries(next.props)) {
    if (name === "style" || before[name] !== value) setProp(node, name, value, before[name]);
  }
  node.drawn = next.props;
  patch(node, next.children);
}

function create(next) {
  if (typeof next !== "object") return document.createTextNode(String(next));
  const node = SVG.has(next.tag) ? document.createElementNS("http://www.w3.org/2000/svg", next.tag) : document.createElement(next.tag);
  node.drawn = NOTHING;
  update(node, next);
  return node;
}

const keyOf = (node) => node.drawn?.key;
const fits = (node, next) =>
  typeof next === "object"
    ? node.nodeType === 1 && node.localName === next.tag && keyOf(node) === next.props.key
    : node.nodeType === 3;

/** Makes the children of `parent` those of `next`; a keyed child keeps its element (and its focus) wherever it stands. */
export function patch(parent, children) {
  const next = present(children);
  const wanted = new Set();
  for (const child of next) if (child.props?.key !== undefined) wanted.add(child.props.key);
  const keyed = new Map();
  for (const node of [...parent.childNodes]) {
    const key = keyOf(node);
    if (key === undefined) continue;
    if (wanted.has(key)) keyed.set(key, node);
    else node.remove();
  }
  let cursor = parent.firstChild;
  for (const child of next) {
    const kept = keyed.get(child.props?.key);
    let node = null;
    if (kept && fits(kept, child)) node = kept;
    else if (child.props?.key === undefined && cursor && fits(cursor, child)) node = cursor;
    if (!node) {
      parent.insertBefore(create(child), cursor);
      continue;
    }
    if (node === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(node, cursor);
    if (typeof child === "object") update(node, child);
    else if (node.data !== String(child)) node.data = String(child);
  }
  while (cursor) {
    const gone = cursor;
    cursor = cursor.nextSibling;
    gone.remove();
  }
}

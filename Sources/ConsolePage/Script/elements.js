"use strict";

// ---- Elements
//
// All text from tokens and requests enters the page in `element` and `setText`, as text nodes only. The page uses no
// method that parses HTML.

/** Characters that change how the text around them is shown: controls, and marks of the writing direction. */
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns the text with invisible characters as escapes such as \u202e, so that they cannot disguise it. */
function visible(text) {
  return String(text).replace(INVISIBLE, (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** The attributes that `element` sets. Event handlers and addresses of other pages are not among them. */
const ATTRIBUTES = new Set([
  "id", "class", "type", "name", "value", "title", "role", "scope", "tabindex", "list", "rows", "placeholder",
  "autocomplete", "spellcheck", "download", "open", "required", "selected", "hidden", "autofocus",
]);
const isAttribute = (name) => ATTRIBUTES.has(name) || /^(aria|data)-[a-z-]+$/.test(name);

/** Creates an element. `text` becomes its text, `on` has its event listeners, `href` is a place of this page. */
function element(name, properties = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") created.textContent = visible(value);
    else if (key === "on") for (const [event, listener] of Object.entries(value)) created.addEventListener(event, listener);
    else if (key === "href" && /^(#\/|blob:)/.test(value)) created.setAttribute("href", value);
    else if (isAttribute(key)) created.setAttribute(key, value === true ? "" : visible(value));
    else throw new Error("unexpected attribute " + key);
  }
  created.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return created;
}

/** Text that does not change the direction of the text around it. */
const isolated = (text) => element("bdi", { text });

const strong = (text) => element("strong", { text });
const quiet = (text) => element("span", { class: "quiet", text });
const quietParagraph = (text) => element("p", { class: "quiet", text });

/** Returns the element with this ID of index.html. */
const byID = (id) => document.getElementById(id);

/** Replaces an element's text, unless it is the same. */
function setText(target, text) {
  const shown = visible(text);
  if (target.textContent !== shown) target.textContent = shown;
}

/** A button with an action. */
function button(text, action, properties = {}) {
  return element("button", { type: "button", text, ...properties, on: { click: action } });
}

/** A labelled input, select or textarea. */
function field(text, control, properties = {}) {
  return element("label", properties, element("span", { text }), control);
}

/** An input for a text that the browser neither completes nor corrects. */
const textInput = (name, properties = {}) =>
  element("input", { name, autocomplete: "off", spellcheck: "false", ...properties });

/** A notice; null for no text. */
const notice = (text, properties = {}) => (text ? element("p", { class: "notice", text, ...properties }) : null);

/** A button that shows and hides values. */
function valueToggle(what, show) {
  const toggle = button(`Show ${what}`, () => {
    const showing = toggle.getAttribute("aria-pressed") !== "true";
    toggle.setAttribute("aria-pressed", String(showing));
    setText(toggle, `${showing ? "Hide" : "Show"} ${what}`);
    show(showing);
  }, { class: "small", "aria-pressed": "false" });
  return toggle;
}

// ---- Longer pieces

/** The characters of a text that are shown before the reader asks for the rest: some screens of text. */
const LONG_TEXT = 2000;

/** Text in code style. Long text is cut, with a button that shows all of it. */
function code(text) {
  const whole = visible(text);
  const shown = element("code", { class: "value" });
  shown.textContent = whole.length > LONG_TEXT ? whole.slice(0, LONG_TEXT) + "…" : whole;
  if (whole.length <= LONG_TEXT) return shown;
  const more = button(`Show all ${whole.length.toLocaleString("en")} characters`, () => {
    shown.textContent = whole;
    more.remove();
  }, { class: "small" });
  return element("span", {}, shown, " ", more);
}

/** A block of preformatted text that scrolls by itself, and can therefore be focused. */
function block(text, label) {
  const shown = element("pre", { tabindex: "0", role: "group", "aria-label": label });
  shown.append(code(text));
  return shown;
}

/** A table from texts or nodes. `caption` is read out; `rows` are arrays of cells. */
function table(caption, columns, rows, properties = {}) {
  const cell = (content, index) =>
    element("td", { "data-label": columns[index] }, content instanceof Node ? content : visible(content ?? ""));
  return element("div", { class: "scrolls", tabindex: "0", role: "group", "aria-label": caption },
    element("table", properties,
      element("caption", { class: "unseen", text: caption }),
      element("thead", {}, element("tr", {}, columns.map((text) => element("th", { scope: "col", text })))),
      element("tbody", {}, rows.map((cells) => element("tr", {}, cells.map(cell))))));
}

/** The state of a part that has nothing to show, with what the reader can do. */
function emptyState(title, ...children) {
  return element("div", { class: "empty" }, element("p", { class: "empty-title", text: title }), children);
}

/** A command to copy. */
function command(text) {
  return element("div", { class: "command" },
    block(text, "Command"),
    button("Copy", (event) => copy(text, event.currentTarget)),
  );
}

/** Copies a text, and says so on the button. */
async function copy(text, origin) {
  const label = origin.textContent;
  try {
    await navigator.clipboard.writeText(text);
    origin.textContent = "Copied";
    announce("Copied");
  } catch {
    origin.textContent = "Select the text and copy it";
  }
  setTimeout(() => { origin.textContent = label; }, 2000);
}

/** Saves a text as a file. */
function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has read the blob when the download starts, some time after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Has a screen reader say a sentence when it is idle. */
function announce(text) {
  setText(byID("announcement"), text);
}

// Fields and a table that keep what is typed, and the keeper that sends it.
// Every edit has a number. An input is overwritten only by data that knows its last edit.

const PAUSE = 120; // milliseconds without a key, after which a text is sent
const HELD = ".st-key-built-at-the-click button"; // such a click waits until the server has all
const CALM = 10; // looks, 10 milliseconds apart
const SILENCE = 10000; // milliseconds after which nobody waits for the server any more
const AGAIN = 3000; // milliseconds after which what has not arrived is sent again, then twice that
const before = globalThis.gaiSheets;
const gai = before?.mount ? before : Object.assign(globalThis.gaiSheets = {}, {
  of: "", n: 0, sent: 0, seen: 0, visit: 0, edits: [], newest: {}, timer: 0, send: null, passing: false, mount, stored,
});

export default function keeper({ data, setStateValue }) {
  gai.send = (list, times) => setStateValue("edits", { of: gai.of, list, times });
  if (gai.of !== data.of) {
    gai.newest = {};
    if (awaitsDesk(data)) gai.send = null; else begin();
  }
  if (gai.send) gai.of = data.of;
  gai.seen = data.seen;
  gai.edits = gai.edits.filter(edit => edit.n > data.seen);
  tell();
  if (!gai.listening) listen();
  const waiting = before?.waiting?.splice(0) ?? [];
  waiting.forEach(mount);
  flush();
}

function listen() {
  gai.listening = true;
  // The keyboard or the mouse goes elsewhere: the text is sent before anything else is.
  for (const name of ["pointerdown", "focusout", "visibilitychange"]) document.addEventListener(name, flush, true);
  document.addEventListener("paste", () => setTimeout(flush), true);
  for (const name of ["pagehide", "popstate", "beforeunload"]) addEventListener(name, flush, true);
  addEventListener("pagehide", store);
  document.addEventListener("keydown", event => { if (["Enter", "Tab"].includes(event.key)) flush(); }, true);
  document.addEventListener("keydown", undo, true);
  document.addEventListener("click", hold, true);
}

// Whether the server has everything; after a reload it must have the desk of this tab first.
function arrived() { return gai.send && !gai.edits.length; }

// Whether it has, and what it has drawn of it has come here.
function settled() {
  const busy = document.querySelector("[data-testid=stApp]:not([data-test-script-state=notRunning])");
  return arrived() && !busy && (document.querySelector(HELD)?.gai?.seen ?? gai.n) >= gai.n;
}

// Streamlit sends what a component says a moment later: a click that came in between would go
// out first, and be taken back by the older message. So it waits until the server says that it has
// what was typed, or does not answer; one that asks for a file of the study waits until all of it
// is drawn. A click into a field of our own asks the server for nothing, and what is typed after it
// must not overtake it.
function hold(event) {
  if (event.target.dataset?.sheet) return;
  const built = event.target.closest?.(HELD);
  const end = Date.now() + SILENCE;
  const ready = () => (built ? settled() : arrived() || Date.now() > end);
  if (gai.passing || event.ctrlKey || event.metaKey || event.shiftKey || ready()) return;
  event.stopImmediatePropagation();
  event.preventDefault();
  flush();
  const pass = (calm = 0) => { // Streamlit draws a few moments after it says that it is done
    if (!ready()) return setTimeout(pass, 10);
    if (built && calm < CALM) return setTimeout(pass, 10, calm + 1);
    gai.passing = true;
    const target = built ? document.querySelector(HELD) : sameAs(event.target, event.clientX, event.clientY);
    target?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true }));
    gai.passing = false;
  };
  pass();
}

// What was clicked on, or what has taken its place when the page was drawn anew meanwhile.
function sameAs(clicked, x, y) {
  if (clicked.isConnected) return clicked;
  const there = document.elementFromPoint(x, y);
  return there?.textContent === clicked.textContent ? there : null;
}

// For tests and the curious: whether something typed has not arrived yet.
function tell() {
  document.documentElement.toggleAttribute("data-gai-typing", gai.edits.length > 0);
}

function flush() {
  clearTimeout(gai.timer);
  const last = gai.edits.at(-1);
  if (!last || last.n <= gai.sent || !gai.send) return;
  gai.sent = last.n;
  send(0);
}

// The server takes every edit once, however often it comes; a message may get lost on the way.
function send(times) {
  gai.send(gai.edits, times);
  clearTimeout(gai.again);
  gai.again = setTimeout(() => { if (gai.edits.length && gai.send) send(times + 1); }, AGAIN * 2 ** times);
}

function edited(edit) {
  const last = gai.edits.at(-1);
  if (last?.path !== undefined && last.path === edit.path && last.n > gai.sent) gai.edits.pop();
  edit.n = gai.newest[edit.sheet] = ++gai.n;
  gai.edits.push(edit);
  record(edit);
  tell();
  clearTimeout(gai.timer);
  gai.timer = setTimeout(flush, PAUSE);
}

function typed(input) {
  const text = input.type === "checkbox" ? (input.checked ? "true" : "") : input.value;
  const { sheet, path, reads } = input.dataset;
  edited({ sheet, path, reads, text, visit: gai.visit });
}

// Undo is the study's, not the browser's; what was just typed is the first thing to be undone.
function undo(event) {
  const ours = event.target.dataset?.sheet || !/^(input|textarea)$/i.test(event.target.tagName);
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || !ours) return;
  const step = event.shiftKey ? "redo" : "undo";
  if (!document.querySelector(`.st-key-${step}`)) return;
  event.preventDefault();
  edited({ sheet: step, step });
  flush();
}

function wire(input) {
  let fresh = false;
  input.addEventListener("focus", () => { gai.visit += 1; fresh = true; });
  input.addEventListener("click", () => { if (fresh && input.inputMode) input.select(); fresh = false; });
  input.addEventListener("input", () => { fresh = false; typed(input); });
  input.addEventListener("pointerenter", () => showWhole(input));
}

function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function knows(data) { return data.seen >= (gai.newest[data.sheet] ?? 0); }

function pending(path) { return gai.edits.findLast(edit => edit.path === path)?.text; }

function put(input, text) {
  if (input.type === "checkbox") input.checked = text !== "";
  else if (input.value !== text) input.value = text;
}

// What is wrong with it. Only what changes is written: a table has a hundred cells.
function blame(input, note, words = "") {
  const invalid = words ? "true" : "false";
  if (input.getAttribute("aria-invalid") !== invalid) input.setAttribute("aria-invalid", invalid);
  if (note.textContent !== words) note.textContent = words;
  if (input.title !== words) input.title = words;
}

// Under the mouse, and only there, it is measured whether a text is too long for its field.
function showWhole(input) {
  if (input.getAttribute("aria-invalid") !== "true") input.title = input.scrollWidth > input.clientWidth ? input.value : "";
}

function mount({ data, parentElement }) {
  (data.columns ? table : data.content ? download : field)(data, parentElement);
  return true;
}

function field(data, parent) {
  let root = parent.querySelector(":scope > .gai-field");
  if (!root) {
    const id = `gai-${data.path.replaceAll(".", "-")}`;
    const input = make(data.lines > 1 ? "textarea" : "input", { id, autocomplete: "off", spellcheck: false });
    if (data.lines > 1) input.rows = data.lines; else input.type = "text";
    Object.assign(input.dataset, { path: data.path, sheet: data.path, reads: data.reads });
    if (data.numeric) input.inputMode = "decimal";
    const head = make("div", { className: "gai-head" }, make("label", { htmlFor: id }), make("span", { className: "gai-help", textContent: "?" }));
    const note = make("div", { className: "gai-unseen", id: `${id}-note` });
    input.setAttribute("aria-describedby", note.id);
    root = make("div", { className: "gai-field" }, head, input, note);
    wire(input);
    input.value = knows(data) ? data.value : pending(data.path) ?? data.value;
    parent.append(root);
  }
  const [head, input, note] = root.children;
  const [label, help] = head.children;
  label.textContent = data.label;
  head.classList.toggle("gai-unseen", data.hidden);
  help.title = data.help;
  help.hidden = !data.help;
  help.ariaHidden = true;
  input.placeholder = data.placeholder;
  if (knows(data)) put(input, data.value);
  blame(input, note, data.error);
}

function table(data, parent) {
  let root = parent.querySelector(":scope > .gai-sheet");
  if (!root) {
    root = make("div", { className: "gai-sheet" }, make("div", { className: "gai-scroll" }), make("p", { className: "gai-note", role: "status" }), make("div", { className: "gai-unseen" }));
    parent.append(root);
  } else if (!knows(data)) return; // newer text is on its way; the answer to it will come
  const shape = JSON.stringify(data.columns), lines = root.querySelectorAll("tbody tr").length;
  root.gai = data;
  if (root.gaiShape !== shape || lines !== Math.min(data.rows.length + 1, data.most)) {
    root.gaiShape = shape;
    build(root, data);
  }
  for (const input of root.querySelectorAll("input")) {
    const { row, column } = input.dataset, text = data.rows[row]?.[column] ?? "";
    put(input, knows(data) ? text : pending(input.dataset.path) ?? text);
  }
  name(root);
}

// All cells anew; the cursor stays in its cell.
function build(root, data) {
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  const where = active?.dataset.path, from = active?.selectionStart, to = active?.selectionEnd;
  const head = make("tr", {}, ...data.columns.map(column => make("th", { scope: "col", textContent: column.label, title: column.help, className: column.kind === "number" ? "gai-number" : "" })), make("th", {}, make("span", { className: "gai-unseen", textContent: "Remove" })));
  const body = make("tbody");
  root.firstChild.replaceChildren(make("table", { className: "gai-table" }, make("thead", {}, head), body));
  for (let row = 0; row <= data.rows.length && row < data.most; row++) add(root, body);
  const again = where && root.querySelector(`[data-path="${where}"]`);
  if (again) {
    gai.visit -= 1; // the same visit goes on
    again.focus();
    if (from !== null && from !== undefined) again.setSelectionRange(from, to);
  }
}

function add(root, body) {
  const data = root.gai, row = body.rows.length;
  const cells = data.columns.map((column, position) => {
    const input = make("input", { type: column.kind === "flag" ? "checkbox" : "text", autocomplete: "off", spellcheck: false });
    if (column.kind === "number") { input.className = "gai-number"; input.inputMode = "decimal"; }
    Object.assign(input.dataset, { sheet: data.sheet, path: column.path.replace("{row}", row), row, column: position });
    wire(input);
    input.addEventListener("input", () => { grow(root); name(root); });
    input.addEventListener("keydown", event => move(root, input, event));
    input.addEventListener("paste", event => paste(root, input, event));
    return make("td", { className: column.kind === "flag" ? "gai-middle" : "" }, input);
  });
  // Tab goes from cell to cell, whether the row is new or not; by keyboard a row goes with Ctrl+Delete.
  const button = make("button", { type: "button", textContent: "×", tabIndex: -1 });
  const line = make("tr", {}, ...cells, make("td", { className: "gai-middle" }, button));
  button.addEventListener("click", () => remove(root, line));
  body.append(line);
}

function remove(root, line) {
  const body = line.parentElement, row = [...body.rows].indexOf(line), data = root.gai;
  edited({ sheet: data.sheet, remove: row });
  line.remove();
  data.rows.splice(row, 1);
  [...body.rows].forEach((other, position) => {
    for (const input of other.querySelectorAll("input")) {
      input.dataset.row = position;
      input.dataset.path = data.columns[input.dataset.column].path.replace("{row}", position);
    }
  });
  name(root);
  flush();
}

// There is always an empty row at the end.
function grow(root) {
  const body = root.querySelector("tbody");
  const filled = [...body.lastChild.querySelectorAll("input")].some(input => input.type === "checkbox" ? input.checked : input.value);
  if (filled && body.rows.length < root.gai.most) { add(root, body); return true; }
  return false;
}

function name(root) {
  const { columns, errors, rows } = root.gai;
  const notes = root.lastChild, before = new Map([...notes.children].map(note => [note.id, note])), now = [];
  [...root.querySelectorAll("tbody tr")].forEach((line, row) => {
    const inputs = [...line.querySelectorAll("input")];
    const label = inputs[0].value || (row < rows.length ? `dose arm ${row + 1}` : "new dose arm");
    inputs.forEach((input, position) => {
      const name = `${label}, ${columns[position].label}`, id = `gai-note-${row}-${position}`;
      if (input.ariaLabel !== name) input.ariaLabel = name;
      const note = before.get(id) ?? make("span", { id });
      now.push(note);
      if (input.getAttribute("aria-describedby") !== id) input.setAttribute("aria-describedby", id);
      blame(input, note, errors[input.dataset.path]);
    });
    const remove = line.querySelector("button");
    remove.ariaLabel = `Remove ${label}`;
    remove.hidden = row >= rows.length && !line.nextSibling;
  });
  if (now.length !== before.size || now.some(note => !before.has(note.id))) notes.replaceChildren(...now);
}

function cell(root, row, column) {
  return root.querySelector(`input[data-row="${row}"][data-column="${column}"]`);
}

function move(root, input, event) {
  if (event.key === "Delete" && (event.ctrlKey || event.metaKey)) {
    const { row, column } = input.dataset, line = input.closest("tr");
    event.preventDefault();
    if (!line.querySelector("button").hidden) remove(root, line);
    cell(root, row, column)?.focus();
    return;
  }
  const by = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined || event.isComposing) return;
  event.preventDefault();
  flush();
  const next = cell(root, +input.dataset.row + by, input.dataset.column);
  next?.focus();
  next?.select?.();
}

// A block of a spreadsheet is spread over the cells from here on.
function paste(root, input, event) {
  const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n+$/, "");
  if (!/[\t\n]/.test(text)) return;
  event.preventDefault();
  const lines = text.split("\n").map(line => line.split("\t"));
  let lost = 0;
  lines.forEach((line, down) => line.forEach((words, across) => {
    grow(root);
    const found = cell(root, +input.dataset.row + down, +input.dataset.column + across);
    if (!found) { lost += 1; return; }
    const tick = /^\s*(1|x|true|yes|ja|wahr|✓)\s*$/i.test(words);
    put(found, found.type === "checkbox" ? (tick ? "true" : "") : words.trim().replace(/^"(.*)"$/, "$1"));
    typed(found);
  }));
  grow(root);
  name(root);
  flush();
  root.children[1].textContent = lost ? `${lost} pasted ${lost === 1 ? "cell" : "cells"} did not fit into the table.` : "";
}

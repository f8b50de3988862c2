// Sorts and filters the tables of this page, and follows a figure to its rows. Nothing here is
// needed to read the page: without it every row stands there, in its order.
"use strict";

const ORDER = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const PLAIN = new Intl.NumberFormat("en");
// name=value is the whole cell of a column, name:value a part of it; quotes hold words together, and
// a dash before all of that leaves rows out.
const TERM = /(-?)(?:(\w+)([:=]))?(?:"([^"]*)"|(\S+))/g;

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function all(where, selector) {
  return [...where.querySelectorAll(selector)];
}

/** A table whose rows can be put in order by any column, and of which some can be looked at. */
class Rows {
  constructor(table) {
    this.body = table.tBodies[0];
    this.heads = all(table, "thead th");
    this.rows = [...this.body.rows];
    this.names = this.heads.map((head) => (head.dataset.name ?? "").toLowerCase());
    this.sorted = { column: -1, factor: 1 };
    if (this.rows.length < 2) return;
    this.heads.forEach((head, column) => this.addButton(head, column));
    if (table.classList.contains("searched")) this.addFilter(table);
  }

  addButton(head, column) {
    const button = element("button", { type: "button", className: "sort" });
    button.append(...head.childNodes);
    button.addEventListener("click", () => this.sort(column));
    head.append(button);
  }

  addFilter(table) {
    const caption = table.caption.textContent.trim();
    this.input = element("input", { type: "search", autocomplete: "off", spellcheck: false });
    const columns = this.names.filter(Boolean);
    if (columns.length) this.input.placeholder = `words, or ${columns[1] ?? columns[0]}:word`;
    this.input.setAttribute("aria-label", `Filter: ${caption}`);
    this.said = element("output", {});
    this.input.addEventListener("input", () => this.filter());
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.show("");
    });
    const label = element("label", {}, element("span", { textContent: "Filter" }), this.input);
    table.closest(".scroll").before(element("div", { className: "tools" }, label, this.said));
    this.say(this.rows.length);
  }

  /** The first click of a column with numbers shows the largest first, of others the first. */
  sort(column) {
    const head = this.heads[column];
    const isNumeric = head.classList.contains("n");
    const first = isNumeric ? -1 : 1;
    const factor = this.sorted.column === column ? -this.sorted.factor : first;
    this.sorted = { column, factor };
    const keyed = this.rows.map((row) => [key(row.cells[column], isNumeric), row]);
    keyed.sort(([one], [other]) => compared(one, other, factor));
    this.body.append(...keyed.map(([, row]) => row));
    this.heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", factor > 0 ? "ascending" : "descending");
  }

  show(filter) {
    if (!this.input) return;
    this.input.value = filter;
    this.filter();
  }

  filter() {
    const terms = this.terms(this.input.value.toLowerCase());
    let count = 0;
    for (const row of this.rows) {
      row.hidden = !terms.every((term) => fits(row, term) === term.isWanted);
      count += row.hidden ? 0 : 1;
    }
    this.say(count);
  }

  /** What has no column before its colon is looked for as it stands: an address has colons. */
  terms(text) {
    return [...text.matchAll(TERM)].map(([whole, dash, name, sign, quoted, word]) => {
      const column = name === undefined ? -1 : this.names.indexOf(name);
      const isWhole = column >= 0 && sign === "=";
      const isLiteral = name !== undefined && column < 0;
      const value = isLiteral ? whole.slice(dash.length) : (quoted ?? word);
      return { column, value, isWhole, isWanted: dash === "" };
    });
  }

  say(count) {
    const rows = PLAIN.format(this.rows.length);
    const noun = this.rows.length === 1 ? "row" : "rows";
    const isAll = count === this.rows.length;
    this.said.textContent = isAll ? `${rows} ${noun}` : `${PLAIN.format(count)} of ${rows} ${noun}`;
    this.said.classList.toggle("partial", !isAll);
    this.said.dataset.filter = isAll ? "" : this.input.value;
  }
}

function valueOf(cell) {
  return (cell.dataset.value ?? cell.textContent).trim();
}

/** Numbers where the column has them; null where a cell says nothing. */
function key(cell, isNumeric) {
  const text = cell.dataset.sort ?? valueOf(cell);
  if (!isNumeric) return text === "" ? null : text;
  const number = Number(text.replaceAll(",", ""));
  return text === "" || Number.isNaN(number) ? null : number;
}

/** Cells that say nothing stand last, whichever way the others go. */
function compared(one, other, factor) {
  if (one === null || other === null) return (one === null) - (other === null);
  const order = typeof one === "number" ? one - other : ORDER.compare(one, other);
  return factor * order;
}

function fits(row, { column, value, isWhole }) {
  if (column < 0) return row.textContent.toLowerCase().includes(value);
  const cell = valueOf(row.cells[column]).toLowerCase();
  return isWhole ? cell === value : cell.includes(value);
}

/** Opens what a link leads into, as browsers do that know how. */
function reveal(target) {
  for (let each = target; each; each = each.parentElement) {
    if (each.tagName === "DETAILS") each.open = true;
  }
}

function targetOf(link) {
  return document.getElementById(link.hash.slice(1));
}

const tables = new Map(all(document, "table.rows").map((table) => [table, new Rows(table)]));

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  const target = link && targetOf(link);
  if (!target) return;
  reveal(target);
  const table = target.querySelector("table.rows");
  if (link.dataset.filter !== undefined) tables.get(table)?.show(link.dataset.filter);
});

if (location.hash) {
  const target = targetOf(location);
  if (target) reveal(target);
}

// Paper has nothing to click on: what is closed is opened, and closed again afterwards.
let opened = [];
addEventListener("beforeprint", () => {
  opened = all(document, "details:not([open])");
  opened.forEach((each) => (each.open = true));
});
addEventListener("afterprint", () => {
  opened.forEach((each) => (each.open = false));
});

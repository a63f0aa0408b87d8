// A program that shows recorded dialogs one after the other, takes keys as the agents do, and records what was chosen. It
// runs under a name by which it is taken for an agent. Usage: node dialogAgent.mjs <log file> <options as JSON>. Each choice
// becomes a line of JSON in the log: [name of the dialog, label]. Ctrl-N goes on to the next dialog as if it was answered
// elsewhere, and drops what is typed until the terminal shows that: no tool can see a prompt that is not drawn yet. The last
// screen is shown when all dialogs are done.
import { appendFileSync } from "node:fs";

const [log, json] = process.argv.slice(2);
/**
 * `title`: process title and so the program's name. `dialogs`: { name, text, title, options, mark, digits, confirms, escapes,
 * colours, field, stuck, slowMs }. `mark`: the sign before the chosen option, drawn where the text has it; `colours`: it is
 * told by colour, the options stand in one row; `digits`: a digit chooses at once; `escapes`: label that Escape stands for;
 * `field`: index of the row that takes typed text; `stuck`: keys are taken and nothing happens; `slowMs`: keys are dropped
 * that long; `boxes`: how many of the options have a box, which a digit turns; the rows after them are moved to, and the last one
 * submits; `stuckBox`: index of one that does not turn; `isHeld`: it opens at Ctrl-N. `last`: { text, title }.
 */
const options = JSON.parse(json);
if (options.processTitle !== undefined) process.title = options.processTitle;
const out = process.stdout;
let at = 0;
let selected = 0;
let typed = "";
let ticked = new Set();
let openedAt = performance.now();

const now = () => (performance.now() < openedAt ? null : (options.dialogs[at] ?? null));

const rowOf = (rows, label) => rows.findLastIndex((row) => row.includes(label));

/** The rows of a dialog with its selection where it is now. */
const drawn = (dialog) => {
  const rows = dialog.text.split("\n");
  if (dialog.colours === true) {
    const row = rowOf(rows, dialog.options[0]);
    let line = rows[row];
    for (const [index, label] of dialog.options.entries()) {
      const colour = index === selected ? "\u001b[48;5;215m\u001b[38;5;232m" : "\u001b[38;5;8m";
      line = line.replace(label, `${colour}${label}\u001b[0m`);
    }
    rows[row] = line;
  } else if (dialog.mark !== undefined) {
    const marked = rows.findLastIndex(
      (row) => row.includes(`${dialog.mark} `) && row.includes(dialog.options[0]),
    );
    const column = rows[marked].indexOf(dialog.mark);
    for (const [index, label] of dialog.options.entries()) {
      const row = dialog.options.length === 1 ? marked : rowOf(rows, label);
      const sign = index === selected ? dialog.mark : " ";
      rows[row] = `${rows[row].slice(0, column)}${sign}${rows[row].slice(column + 1)}`;
      if (ticked.has(index)) rows[row] = rows[row].replace("[ ]", "[✔]");
    }
  }
  if (dialog.field !== undefined && typed !== "") rows[dialog.field] = `  ${typed}`;
  return rows;
};

const draw = () => {
  const dialog = now();
  const rows = dialog === null ? options.last.text.split("\n") : drawn(dialog);
  const title = (dialog ?? options.last).title;
  const lines = rows.slice(0, out.rows).map((row, index) => `\u001b[${index + 1};1H${row}\u001b[0m`);
  out.write(`\u001b]0;${title}\u0007\u001b[?25l\u001b[?7l\u001b[2J${lines.join("")}${cursor(dialog, rows)}`);
};

/** Hidden, on the chosen option, as Claude Code and Codex have it; at rest where it was recorded. */
const cursor = (dialog, rows) => {
  const { x, y } = options.last.cursor ?? { x: 0, y: 0 };
  if (dialog === null) return `\u001b[${y + 1};${x + 1}H`;
  if (dialog.mark === undefined) return "";
  const row = rowOf(rows, `${dialog.mark} ${selected + 1}.`);
  return row < 0 ? "" : `\u001b[${row + 1};${rows[row].indexOf(dialog.mark) + 1}H`;
};

const goOn = () => {
  at += 1;
  selected = 0;
  typed = "";
  ticked = new Set();
  openedAt = options.dialogs[at]?.isHeld === true ? Infinity : performance.now();
};

const choose = (label) => {
  appendFileSync(log, `${JSON.stringify([now().name, label])}\n`);
  if (now().stuck !== true) goOn();
};

/** The terminal answers in the order of what it is told: it has drawn what was written before. */
const ASK_FOR_CURSOR = "\u001b[6n";
// oxlint-disable-next-line no-control-regex -- keys are control characters
const CURSOR = /\u001b\[\d+;\d+R/u;
let isUndrawn = false;

const KEYS = { "\u001b[A": -1, "\u001b[D": -1, "\u001b[B": 1, "\u001b[C": 1 };

/** As Claude Code takes them: in the field for a text a digit is typed. */
const onBoxKey = (dialog, key) => {
  const isSubmit = selected === dialog.options.length - 1;
  const box = key === "\r" ? selected : Number(key) - 1;
  if (key === "\r" && isSubmit)
    choose(
      [...ticked]
        .toSorted((a, b) => a - b)
        .map((index) => dialog.options[index])
        .join("+"),
    );
  else if (selected >= dialog.boxes && !isSubmit) typed += key;
  else if (box >= 0 && box < dialog.boxes && box !== dialog.stuckBox) {
    if (!ticked.delete(box)) ticked.add(box);
  }
};

const onKey = (key) => {
  if (key === "\u000e") {
    if (openedAt === Infinity) openedAt = performance.now();
    else goOn();
    draw();
    isUndrawn = true;
    return out.write(ASK_FOR_CURSOR);
  }
  if (isUndrawn) {
    isUndrawn = !CURSOR.test(key);
    return undefined;
  }
  const dialog = now();
  if (dialog === null) return appendFileSync(log, `${JSON.stringify(["idle", key])}\n`);
  if (performance.now() - openedAt < (dialog.slowMs ?? 0)) return undefined;
  if (KEYS[key] !== undefined) {
    if (dialog.digits === "only") return undefined;
    selected = Math.max(0, Math.min(dialog.options.length - 1, selected + KEYS[key]));
  } else if (dialog.boxes !== undefined && key !== "\u001b") onBoxKey(dialog, key);
  else if (key === "\u001b") choose(dialog.escapes ?? "escape");
  else if (key === "\r") choose(dialog.field === undefined ? dialog.options[selected] : typed);
  else if (dialog.field !== undefined) typed += key;
  else if (dialog.digits !== undefined && dialog.options[Number(key) - 1] !== undefined)
    choose(dialog.options[Number(key) - 1]);
  return undefined;
};

process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8");
process.stdin.on("data", (data) => {
  // oxlint-disable-next-line no-control-regex -- keys are control characters
  for (const [key] of data.matchAll(/\u001b\[(?:[A-D]|\d+;\d+R)|[\s\S]/gu)) onKey(key);
  draw();
});
process.stdout.on("resize", draw);
draw();

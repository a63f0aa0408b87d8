// A program with an input box, as agents draw one, for tests of typing: raw keys, bracketed paste, Enter apart from text.
// It runs under a path by which it is taken for an agent. Usage: node cli.mjs <log file> <options as JSON>. Each submitted
// text becomes a line of JSON in the log, each Escape the line "escape".
import { appendFileSync, existsSync, readFileSync } from "node:fs";

const [log, json] = process.argv.slice(2);
/**
 * `swallowMs`: Enter that soon after text is a part of it. `enters`: how many are needed. `deaf`: typed text is not shown.
 * `placeholderAbove`: longer pastes are shown as a mark. `dialog`: a screen that is drawn as soon as text comes.
 * `lateMs`: it draws its box at once, and takes keys only then.
 * `turnMs`: it works so long on each text, and shows it; longer while there is a file `held`. `times`: a file for when it got each text and ended its turn, epoch ms.
 * `swallows`: what was typed leaves the box and begins nothing, as where a menu takes it for a choice.
 * `ignoresSignals`: INT and TERM do nothing. `working`: a screen that is shown until Escape was pressed `escapes` times.
 */
const options = {
  swallowMs: 100,
  enters: 1,
  deaf: false,
  placeholderAbove: Infinity,
  dialog: null,
  ...JSON.parse(json),
};
const out = process.stdout;
const transcript = [];
let box = "";
let paste = null;
let isPasted = false;
let lastTextAt = 0;
let enters = 0;
let dialog = null;

const wrap = (text, width) =>
  text.split("\n").flatMap((line) => line.match(new RegExp(`.{1,${width}}`, "gsu")) ?? [""]);

/** Until when it works on the last text, and how long it did. */
let turn = null;
let escapes = 0;
let isWorking = options.working !== undefined;

const draw = () => {
  if (isWorking) {
    out.write(`\u001b[2J\u001b[H${readFileSync(options.working, "utf8").trimEnd().replaceAll("\n", "\r\n")}`);
    return;
  }
  if (dialog !== null) {
    out.write(`\u001b[2J\u001b[H${dialog.replaceAll("\n", "\r\n")}`);
    return;
  }
  const width = out.columns - 6;
  const shown =
    isPasted && box.length > options.placeholderAbove
      ? `[Pasted text #1 +${box.split("\n").length} lines]`
      : box;
  const rows = wrap(options.deaf ? "" : shown, width).slice(-8);
  const border = "─".repeat(out.columns - 1);
  const lines = [
    ...transcript.slice(-12),
    "",
    ...(turn === null ? [] : [turn, ""]),
    border,
    ...rows.map((row, at) => (at === 0 ? `❯ ${row}` : `  ${row}`)),
    border,
  ];
  const footer = turn?.includes("…") === true ? "  esc to interrupt" : "  ? for shortcuts";
  out.write(`\u001b[2J\u001b[H${lines.join("\r\n")}\r\n${footer}\u001b[${lines.length - 1};1H`);
  // The cursor stands after the text.
  out.write(`\u001b[${lines.length - 1};1H${rows.length > 1 ? "  " : "❯ "}${rows.at(-1)}`);
};

const stamp = (what) => {
  if (options.times !== undefined) appendFileSync(options.times, `${what} ${Date.now()}\n`);
};

const submit = () => {
  if (box === "") return;
  enters += 1;
  if (enters < options.enters) return;
  enters = 0;
  appendFileSync(log, `${JSON.stringify(box)}\n`);
  stamp("got");
  if (options.swallows === true) {
    box = "";
    return;
  }
  transcript.push(...wrap(`> ${box}`, out.columns - 6).slice(-4), "");
  if (options.turnMs === undefined) transcript.push("* working");
  box = "";
  isPasted = false;
  if (options.turnMs === undefined) return;
  turn = "✻ Baking… (1s · esc to interrupt)";
  setTimeout(endTurn, options.turnMs);
};

const endTurn = () => {
  if (options.held !== undefined && existsSync(options.held)) {
    setTimeout(endTurn, 100);
    return;
  }
  turn = "✻ Baked for 1s";
  draw();
  stamp("ended");
};

const onText = (text) => {
  box += text;
  lastTextAt = performance.now();
  if (options.dialog !== null) dialog = readFileSync(options.dialog, "utf8");
};

const onInput = (data) => {
  let rest = data;
  while (rest !== "") {
    if (paste !== null) {
      const end = rest.indexOf("\u001b[201~");
      paste += end === -1 ? rest : rest.slice(0, end);
      rest = end === -1 ? "" : rest.slice(end + 6);
      if (end !== -1) {
        isPasted = true;
        onText(paste);
        paste = null;
      }
    } else if (rest.startsWith("\u001b[200~")) {
      paste = "";
      rest = rest.slice(6);
    } else if (rest.startsWith("\u001b")) {
      appendFileSync(log, "escape\n");
      escapes += 1;
      if (escapes >= (options.escapes ?? 1)) isWorking = false;
      rest = rest.slice(1);
    } else if (rest.startsWith("\r")) {
      if (performance.now() - lastTextAt < options.swallowMs) box += "\n";
      else submit();
      rest = rest.slice(1);
    } else {
      // oxlint-disable-next-line no-control-regex -- keys are control characters
      const end = rest.search(/[\r\u001b]/);
      onText(end === -1 ? rest : rest.slice(0, end));
      rest = end === -1 ? "" : rest.slice(end);
    }
  }
  draw();
};

if (options.ignoresSignals === true) for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8");
setTimeout(() => process.stdin.on("data", onInput), options.lateMs ?? 0);
out.write("\u001b[?2004h");
draw();

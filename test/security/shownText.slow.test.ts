// For any text of a request: every surface that offers an approval shows exactly that text, after an escaping that can be read
// back. The dialog is drawn as Claude Code draws it, the event is its hook's.
import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { NO_LIMITS } from "../../ui/actions/disabledReasons.ts";
import { createClaudeAdapter } from "../../adapters/claude/index.ts";
import { toNotification } from "../../core/api/notifications/notificationScheduler.ts";
import { promptLines } from "../../cli/render/clean.ts";
import { shownPrompt } from "../../core/engine/dialogOwner.ts";
import { requestView, type PromptRequest, type RequestView } from "../../core/model/request.ts";
import { redactText } from "../../core/store/redact.ts";
import { Parts } from "../../renderer/components/CardBody.tsx";
import { cardView } from "../../ui/actions/cardView.ts";
import { actionOf } from "../../ui/actions/paneActions.ts";
import { fitsAtOnce } from "../../ui/text/requestText.ts";
import { makePane } from "../factories/view.ts";

const adapter = createClaudeAdapter();

const readBack = (shown: string): string =>
  shown.replaceAll(/⟨U\+([0-9A-F]{4,6})⟩/g, (_mark, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );

/** What the agent does with what it cannot show: leave it out, or put a sign in its place (both recorded). */
type Drawing = "faithful" | "drops" | "replaces";
const HIDDEN = /[\p{Cc}\p{Cf}]/gu;
const drawnText = (text: string, drawing: Drawing): string => {
  if (drawing === "faithful") return text;
  return text.replaceAll(HIDDEN, (sign) => (sign === "\n" ? sign : drawing === "drops" ? "" : "\ufffd"));
};

const wrapLine = (line: string, columns: number): string[] => {
  const rows: string[] = [];
  let row: string | null = null;
  for (let word of line.split(" ")) {
    if (row !== null && row.length + 1 + word.length <= columns) {
      row = `${row} ${word}`;
      continue;
    }
    if (row !== null) rows.push(row);
    for (; word.length > columns; word = word.slice(columns)) rows.push(word.slice(0, columns));
    row = word;
  }
  return [...rows, row ?? ""];
};

const screenOf = (text: string, { width, height }: { width: number; height: number }): string[] => {
  const rows = text.split("\n").flatMap((line) => wrapLine(line, width - 4));
  const body = rows.length === 1 ? [` ${rows[0] ?? ""}`] : rows.map((row) => ` │ ${row}`);
  const dots = "╌".repeat(width);
  const lines = [
    "❯ go",
    "",
    "─".repeat(width),
    " Bash command",
    dots,
    ...body,
    dots,
    " Do you want to proceed?",
    " ❯ 1. Yes",
    "   2. No",
  ];
  const isTall = lines.length + 2 > height;
  const all = [
    ...lines,
    isTall ? ` ↑ ${lines.length + 2 - height} more lines` : "",
    " Esc to cancel · Tab to amend",
  ];
  return all.slice(-height).map((line) => line.trimEnd());
};

const announce = (command: string): PromptRequest => {
  const { signals } = adapter.normalize(
    {
      spoolName: "1",
      agentType: "claude",
      eventName: "PermissionRequest",
      tmuxSocket: null,
      tmuxServerPid: null,
      paneId: null,
      parentPid: null,
      eventTime: 1,
      payload: {
        hook_event_name: "PermissionRequest",
        session_id: "s",
        tool_name: "Bash",
        tool_input: { command },
      },
      payloadProblem: null,
    },
    { confirmRequests: false },
  );
  const asked = signals.find((signal) => signal.kind === "request");
  if (asked?.kind !== "request") throw new Error("the hook asks");
  return asked.request;
};

const textOfHtml = (html: string): string =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

/** The text of a request as each surface shows it; null where that surface offers no approval. */
const surfaces = (request: RequestView): Record<"cli" | "popover" | "notice", string | null> => {
  const pane = makePane({ state: "waiting_approval", request, fingerprint: "f" });
  const isShownWhole = true;
  const around = { isConnected: true, isUnreachable: false, ...NO_LIMITS };
  const context = { ...around, isShownWhole: () => isShownWhole };
  const { parts } = cardView(pane, context);
  const drawn = renderToStaticMarkup(createElement(Parts, { parts, isWhole: isShownWhole }));
  const notice = toNotification("n", pane, {
    kind: "waiting_approval",
    sound: "none",
    redact: (text) => redactText(text, 70_000),
  });
  const offersNotification = notice.actions.some(({ kind }) => kind === "approve");
  const lines = promptLines(request, 0);
  const body = lines.slice(
    0,
    lines.findIndex((line) => line.startsWith("  1. ")),
  );
  return {
    cli: request.is_whole ? body.map((line) => line.slice(4)).join("\n") : null,
    popover:
      actionOf("approve").disabledReason(pane, context) === null
        ? textOfHtml(/<pre[^>]*>\n?([\s\S]*?)<\/pre>/.exec(drawn)?.[1] ?? "")
        : null,
    notice: offersNotification ? (notice.body.split("\n")[0] ?? "") : null,
  };
};

const PIECES = [
  "rm -rf ~",
  " ",
  "  ",
  "\n",
  "\t",
  "\u202e",
  "\u200b",
  "\u2066",
  "\u{e0041}",
  "\u00a0",
  "\r",
  "\u001b[2K",
  "⟨U+202E⟩",
  "[redacted]",
  "…[cut from 9 characters]",
  "token=abcdefgh12345678",
  "cookie: a; rm -rf b",
  "https://a:secret@host.invalid/x",
  "-----BEGIN RSA PRIVATE KEY-----",
  "漢字",
  "👩‍💻",
  "Tip: ",
  " ❯ 1. Yes",
  "╌╌╌╌╌╌╌╌╌╌",
  "&amp;<b>",
];
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z/.$;|-]{1,12}$/) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const text = fc.oneof(
  { weight: 12, arbitrary: fc.array(piece, { minLength: 1, maxLength: 30 }).map((parts) => parts.join("")) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 19_000, max: 70_000 })
      .map((size) => `echo ${"ab ".repeat(size / 3)}; rm -rf ~`),
  },
);

it("what is offered for approval is shown to the letter, whatever is asked", () => {
  let offered = { cli: 0, popover: 0, notice: 0 };
  fc.assert(
    fc.property(
      text.filter((one) => one.trim() !== ""),
      fc.constantFrom<Drawing>("faithful", "drops", "replaces"),
      fc.integer({ min: 40, max: 250 }),
      fc.constantFrom(20, 40, 60),
      fc.boolean(),
      (command, drawing, width, height, isAnnounced) => {
        const drawn = drawnText(command, drawing);
        const screen = {
          lines: screenOf(drawn, { width, height }),
          title: "✳ Claude Code",
          isAlternate: true,
          width,
          height,
        };
        const seen = adapter.readScreen(screen)?.request ?? null;
        const shown = isAnnounced ? shownPrompt(announce(command), seen) : seen;
        if (shown === null) return;
        // Without the event nobody knows more than what the agent draws.
        const expected = isAnnounced && shown.body === command ? command : null;
        for (const [surface, given] of Object.entries(surfaces(requestView(shown)))) {
          if (given === null) continue;
          // A notice marks nothing: it offers only what needs no mark.
          const read = surface === "notice" ? given : readBack(given);
          if (expected !== null) expect([surface, read]).toEqual([surface, command]);
          else expect(drawn.replaceAll(/\s/g, "")).toBe(read.replaceAll(/\s/g, ""));
          offered = { ...offered, [surface]: offered[surface as keyof typeof offered] + 1 };
        }
      },
    ),
    { numRuns: 3_000, seed: 12 },
  );
  // A rule that never offers anything would pass as well.
  expect(Object.values(offered).every((count) => count > 50)).toBe(true);
});

it("a request as it is shown fits in the row at once, or is folded", () => {
  const view = requestView({ ...announce("make"), options: [] });
  expect(fitsAtOnce(view)).toBe(true);
  expect(fitsAtOnce({ ...view, body: "make\n".repeat(60) })).toBe(false);
});

// Every recorded screen of an agent, as it looks when somebody prints, pages, edits, compares or logs it, behind a program in which
// no process is seen: never a row. The same screens, drawn by their agent: always.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { listFrames, loadRecording, labelsOf, screenOf } from "../../adapters/testkit/recordings.ts";
import { isWaiting } from "../../core/model/state.ts";
import type { AgentAdapter, Screen } from "../../core/ports/agentAdapter.ts";
import { onScreenAlone } from "../../core/ports/screenAlone.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const KINDS = ["recordings", "variants", "views", "dialogs", "drafts", "layouts", "published"] as const;
const PROGRAMS = ["ssh", "tmux", "screen"] as const;
const STATUS = '[work] 0:bash- 1:ssh*                                 "devbox" 04:10 28-Nov-26';

interface Shown {
  name: string;
  screen: Screen;
}

const FRAMES: readonly Shown[] = KINDS.flatMap((kind) =>
  readdirSync(join(FIXTURES, kind), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: agent }) => {
      const folder = join(FIXTURES, kind, agent);
      return listFrames(folder).map((frame) => ({
        name: `${kind}/${agent}/${frame}`,
        screen: screenOf(loadRecording(folder, frame)),
      }));
    }),
);

const adapters = createAdapterRegistry().list();
const aloneIn = (inside: string): AgentAdapter[] =>
  adapters.flatMap((adapter) => onScreenAlone(adapter, inside) ?? []);
const ALONE = new Map(PROGRAMS.map((inside) => [inside, aloneIn(inside)]));

/** The agents of which it would be a row. */
const takenFor = (screen: Screen, inside: (typeof PROGRAMS)[number]): string[] =>
  (ALONE.get(inside) ?? [])
    .filter((adapter) => (adapter.readScreen(screen)?.status.state ?? "unknown") !== "unknown")
    .map(({ agentType }) => agentType);

// How a text is changed before it is shown.

const PREFIXES: Readonly<Record<string, (line: string, at: number) => string>> = {
  plain: (line) => line,
  numbered: (line, at) => `${String(at + 1).padStart(6)}\t${line}`,
  found: (line, at) => `screen.txt:${at + 1}:${line}`,
  added: (line) => `+${line}`,
  unchanged: (line) => ` ${line}`,
  quoted: (line) => `> ${line}`,
  indented: (line) => `    ${line}`,
  logged: (line) => `2026-11-28T04:10:00.123Z ${line}`,
  bulleted: (line, at) => (at === 0 ? `● ${line}` : `  ${line}`),
};

/** As rows of a pane of this width: long lines go on in the next row. */
const wrapped = (lines: readonly string[], width: number): string[] =>
  lines.flatMap((line) => {
    const chars = Array.from(line);
    if (chars.length <= width) return [line];
    return Array.from({ length: Math.ceil(chars.length / width) }, (_, row) =>
      chars.slice(row * width, (row + 1) * width).join(""),
    );
  });

// Where it is shown. Each gives screens with the cursor where the program has it.

type Pane = Pick<Screen, "width" | "height" | "title">;
type View = (lines: readonly string[], pane: Pane) => Screen[];

const shown = (
  pane: Pane,
  lines: readonly string[],
  {
    x,
    y,
    isVisible = true,
    isAlternate,
  }: { x: number; y: number; isVisible?: boolean; isAlternate: boolean },
): Screen => ({ ...pane, lines, isAlternate, cursor: { x, y, isVisible } });

const inShell =
  (tail: readonly string[], x: number): View =>
  (lines, pane) => {
    const rows = [...lines, ...tail].slice(-pane.height);
    // Between the output and a prompt that has not come yet the cursor is in an empty row.
    const all = tail.length === 0 && rows.length === pane.height ? [...rows.slice(1), ""] : rows;
    const y = tail.length === 0 ? Math.min(rows.length, pane.height - 1) : all.length - 1;
    return [shown(pane, all, { x, y, isAlternate: false })];
  };

const inPager =
  (status: string): View =>
  (lines, pane) =>
    [0, 1].map((left) => {
      const body = lines.slice(0, lines.length - left).slice(-(pane.height - 1));
      const rows = [...body, status];
      return shown(pane, rows, { x: status.length, y: rows.length - 1, isAlternate: true });
    });

const BELOW = ["", '"screen.txt" 40L, 3072B', `${" ".repeat(100)}37,1          Bot`, "-- INSERT --"];
/** The person may have put the cursor on any row; an agent's own is in the lowest with a sign of it. */
const HOLDS_SIGN = /[❯›>]/;
const inEditor: View = (lines, pane) =>
  BELOW.flatMap((below) =>
    [1, 2].flatMap((own) => {
      const body = lines.slice(-(pane.height - own));
      const rows = [...body, ...(own === 2 ? ["screen.txt                37,1  Bot"] : []), below];
      const lowest = body.findLastIndex((row) => HOLDS_SIGN.test(row));
      return body.flatMap((row, y) =>
        y === 0 || y === lowest
          ? [shown(pane, rows, { x: Math.min(2, row.length), y, isAlternate: true })]
          : [],
      );
    }),
  );

const VIEWS: Readonly<Record<string, View>> = {
  "printed above a prompt": inShell(["dev@devbox:~$ "], 14),
  "printed above a prompt of two rows": inShell(["~/project main", "❯ "], 2),
  "printed, and not yet done": inShell([], 0),
  "in less": inPager(":"),
  "at the end of less": inPager("(END)"),
  "in man": inPager(" Manual page screen(1) line 1 (press h for help or q to quit)"),
  "in an editor": inEditor,
  "in watch": (lines, pane) => {
    const rows = ["Every 2.0s: cat screen.txt        devbox: Sat Nov 28 04:10:00 2026", "", ...lines];
    const cut = rows.slice(0, pane.height);
    const [x, y] = [pane.width - 1, pane.height - 1];
    return [
      shown(pane, cut, { x, y, isAlternate: true }),
      ...[0, cut.length - 1].map((row) =>
        shown(pane, cut, { x: 0, y: row, isVisible: false, isAlternate: true }),
      ),
    ];
  },
};

const withStatus = (screen: Screen): Screen => {
  const rows = screen.lines.slice(0, screen.height);
  const rest = Array<string>(screen.height - rows.length).fill("");
  return { ...screen, height: screen.height + 1, lines: [...rows, ...rest, STATUS] };
};

it.each(Object.entries(VIEWS))("a recorded screen %s is nobody's own", (_where, view) => {
  const taken: string[] = [];
  for (const { name, screen } of FRAMES)
    for (const [how, prefix] of Object.entries(PREFIXES)) {
      const isVaried = /^(?:dialogs|recordings)\//.test(name) && view !== inEditor;
      if (how !== "plain" && !isVaried) continue;
      const lines = wrapped(screen.lines.map(prefix), screen.width);
      for (const one of view(lines, screen)) {
        const agents = [
          ...takenFor(one, "ssh"),
          ...(how === "plain" ? [...takenFor(withStatus(one), "tmux"), ...takenFor(one, "screen")] : []),
        ];
        if (agents.length > 0)
          taken.push(`${name} ${how}: ${agents.join()} (${one.cursor?.x},${one.cursor?.y})`);
      }
    }
  expect(taken).toEqual([]);
});

it("a screen is its own agent's, or nobody's", () => {
  const taken = FRAMES.flatMap(({ name, screen }) =>
    takenFor(screen, "ssh")
      .filter((agent) => agent !== name.split("/")[1])
      .map((agent) => `${name}: ${agent}`),
  );
  expect(taken).toEqual([]);
});

/** Their cursor was not recorded with them, but made up. */
const isMadeUp = (name: string): boolean => /2_1_197|limit_(?:date|time)/.test(name);
/**
 * A turn that only the title tells, and a dialog that is drawn in part: a row without a state, and none. With the mark below the boxes of a
 * question the cursor stands elsewhere, which proves nothing inside another program.
 */
const UNTOLD = new Set([
  "codex/no_alternate_streaming",
  "codex/running",
  "codex/title_behind_streaming",
  "codex/redrawn_in_part",
  "claude/question_several_next_120_columns",
]);
/** A view of another process's session shows its cursor. */
const isAttached = (name: string): boolean => name.startsWith("attached_");

it.each(["claude", "codex"])("each recorded screen of %s is its own, with its state", (agent) => {
  const folder = join(FIXTURES, "recordings", agent);
  const labels = labelsOf("recordings");
  const wrong: string[] = [];
  let count = 0;
  for (const name of listFrames(folder)) {
    const state = labels[`${agent}/${name}`]?.state ?? "none";
    if (state === "none" || isMadeUp(name) || isAttached(name) || UNTOLD.has(`${agent}/${name}`)) continue;
    const screen = screenOf(loadRecording(folder, name));
    count += 1;
    for (const [inside, one] of [
      ["ssh", screen],
      ["ssh", withStatus(screen)],
      ["tmux", withStatus(screen)],
      ["screen", screen],
    ] as const) {
      const adapter = ALONE.get(inside)?.find(({ agentType }) => agentType === agent);
      const reading = adapter?.readScreen(one) ?? null;
      const expected = [state, ...(labels[`${agent}/${name}`]?.also ?? [])];
      const isRight =
        adapter?.isOwnScreen?.(one) === true &&
        expected.includes(reading?.status.state ?? "unknown") &&
        (!isWaiting(reading?.status.state ?? "unknown") || reading?.request !== null);
      if (!isRight) wrong.push(`${name} in ${inside}: ${reading?.status.state} instead of ${state}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(90);
});

it.each(["claude", "codex"])("the box of %s can be read above the status line of another tmux", (agent) => {
  const recording = loadRecording(join(FIXTURES, "recordings", agent), "completed");
  const styledLines = [...recording.ansi.split("\n").slice(0, recording.height), STATUS];
  const screen = { ...withStatus(screenOf(recording)), styledLines };
  const adapter = ALONE.get("tmux")?.find(({ agentType }) => agentType === agent);
  expect(adapter?.readDraft?.(screen)).toBe("");
});

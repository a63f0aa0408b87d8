// Whatever agents, repositories and tmux put into a row: what the picker writes to the terminal steers nothing, no line is wider than
// the screen, and a card that may be approved has all of its request on the screen, to the letter.
/* oxlint-disable no-control-regex -- control characters are what this is about */
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import * as fc from "fast-check";
import stringWidth from "string-width";
import { expect, it } from "vitest";
import { displayLine } from "../../ui/text/displayText.ts";
import { NO_LIMITS } from "../../ui/actions/disabledReasons.ts";
import { lastLines } from "../../cli/picker/preview.ts";
import { plainOf, toTerminal } from "../../cli/picker/line.ts";
import { Arranger, cardKey, INITIAL_STATE, type ListView, type Mode } from "../../cli/picker/pickerState.ts";
import { frameOf } from "../../cli/picker/screens.ts";
import type { Frame, Size } from "../../cli/picker/frame.ts";
import { SCHEMA_VERSION } from "../../core/model/schemaVersion.ts";
import type { FileDiff, TreeDiff } from "../../core/model/treeDiff.ts";
import { diffRows } from "../../ui/lists/diffRows.ts";
import type { PaneView, TargetView } from "../../core/model/view.ts";
import { INITIAL_FEED_STATE, type FeedState } from "../../ui/lists/feedReducer.ts";
import { makeJob } from "../factories/job.ts";
import { makeRule } from "../factories/rule.ts";
import { armingText } from "../../ui/text/ruleText.ts";
import { makePane, makeTarget } from "../factories/view.ts";
import { commandRequest, editRequest, waiting } from "../picker/pickerPanes.ts";

const HOSTILE = [
  "a",
  "b",
  " ",
  "$",
  "'",
  '"',
  "`",
  ";",
  "|",
  "&",
  "<",
  ">",
  "⟨",
  "⟩",
  "\\",

  "\u001B[2J",
  "\u001B]0;x\u0007",
  "\u001B]52;c;eA==\u0007",
  "\u009B31m",
  "\u0090q\u009C",
  "\u0007",
  "\b",
  "\r",
  "\n",
  "\t",

  "\u202E",
  "\u2066",
  "\u200B",
  "\u2028",
  "\u00AD",
  "\u{E0041}",
  "é",
  "e\u0301",
  "漢字",
  "😀",
  "👩‍👩‍👧",
  "🇩🇪",
  "…",
  "─",
  "→",
];
const hostile = fc.string({ unit: fc.constantFrom(...HOSTILE), maxLength: 120 });
const size: fc.Arbitrary<Size> = fc.record({
  columns: fc.integer({ min: 60, max: 250 }),
  rows: fc.integer({ min: 16, max: 60 }),
});

const LIST: Mode = { kind: "list" };

const draw = (
  panes: readonly PaneView[],
  at: Size,
  more: { mode?: Mode; output?: readonly string[]; view?: ListView; target?: TargetView } = {},
): Frame => {
  const feed: FeedState = {
    ...INITIAL_FEED_STATE,
    connection: { kind: "live" },
    hasSnapshot: true,
    panes: new Map(panes.map((pane) => [pane.identity.pane_ref, pane])),
    targets: new Map([["host", more.target ?? makeTarget()]]),
  };
  const { view = INITIAL_STATE.view } = more;
  const state = { ...new Arranger().arrange(INITIAL_STATE, { feed, view }), mode: more.mode ?? LIST };
  return frameOf({
    state,
    size: at,
    scrollTop: 0,
    look: {
      now: Date.now(),
      hasMachines: false,
      contextOf: (_pane, isShownWhole) => ({
        isConnected: true,
        isUnreachable: false,
        ...NO_LIMITS,
        isShownWhole: () => isShownWhole,
      }),
    },
    outputSource: "screen",
    output: (count) => ({ lines: lastLines(more.output ?? [], count), total: 0 }),
    documentNames: displayLine((more.output ?? []).join("")),
  });
};

/** Styles, and the move to a column: all that the picker itself writes into a line. */
const OWN = /\u001B\[[0-9;:]*m|\u001B\[\d+G/g;
const STEERING = /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

it("writes no sequence of others, and no line that is wider than the screen", () => {
  fc.assert(
    fc.property(
      fc.array(hostile, { minLength: 12, maxLength: 12 }),
      size,
      fc.boolean(),
      (texts, at, hasColour) => {
        const [
          title = "",
          prompt = "",
          said = "",
          branch = "",
          folder = "",
          session = "",
          name = "",
          body = "",
          label = "",
          about = "",
          progress = "",
          screen = "",
        ] = texts;
        const activity = {
          prompt,
          said,
          branch,
          folder: `/${folder}`,
          tool: { name: label, subject: about },
        };
        const place = { title, session, windowName: name, agentName: name, progress, activity };
        const request = {
          ...commandRequest(body),
          title: name,
          options: [{ label, description: about, keys: ["1"] }],
        };
        const panes = [
          waiting(1, request, place),
          makePane({ pane: 2, window: 2, state: "running", reason: label, ...place }),
          makePane({ pane: 3, window: 3, state: "completed", ...place }),
          makePane({ pane: 4, window: 4, state: "error", ...place }),
        ];
        const key = panes[0]?.identity.pane_ref ?? "";
        const job = makeJob({ text: title, about: session, when: name, waits_for: body, channel: label });
        const target = makeTarget({
          health: "down",
          health_reason: said,
          remedy: about,
          connection_ref: name,
        });
        const armed = { kind: "armed", runtimeId: null, selectedId: null, problem: progress } as const;
        const jobs = { items: [job, { ...job, job_id: said, runtime_id: "rt1" }], paused_at: null };
        const told = [{ at: job.created_at, runtime_id: null, outcome: prompt }];
        const rule = makeRule({
          name,
          when: { commands: [[body]], cwd: [folder], sessions: [session] },
          notes: [about],
          last: {
            at: job.created_at,
            runtime_id: "rt1",
            ref: label,
            verdict: said,
            command: body,
            outcome: prompt,
          },
        });
        const problems = [{ line: 1, path: label, message: said, rule: name }];
        const rules = {
          path: folder,
          exists: true,
          paused_at: null,
          blocks_approval: true,
          problems,
          items: [rule],
        };
        const draft = {
          rule: { name: about, when: { commands: [[about]] }, then: "approve" as const },
          text: body,
          notes: [about],
        };
        const drafted = {
          kind: "rule",
          verdict: "deny",
          added: null,
          isJson: false,
          problem: progress,
        } as const;
        const lines = [` ${body}`, `-${screen}`, `+${said}`, `+${label}`].map((line) =>
          line.replaceAll("\n", " "),
        );
        const file: FileDiff = {
          identity: { path: folder },
          old_path: name,
          change: "renamed",
          is_untracked: false,
          is_binary: false,
          added: 2,
          removed: 1,
          hunks: [{ old_start: 1, new_start: 1, heading: about, lines }],
          left_out: progress,
        };
        const diff: TreeDiff = {
          schema_version: SCHEMA_VERSION,
          generated_at: job.created_at,
          target: "host",
          work_tree: folder,
          branch,
          base: { kind: "branch", name: branch, commit: "3f2a1c0" },
          summary: { files: 1, added: 2, removed: 1 },
          left_out: [said],
          items: [file, { ...file, identity: { path: title }, is_binary: true, hunks: [] }],
        };
        const comment = { path: folder, side: "new", line: 2, quoted: said, words: prompt } as const;
        const changed = [true, false].flatMap((isSplit) => {
          const rows = diffRows(diff, { toggled: new Set(), isSplit });
          const shown = { isSplit, rows, diff, toggled: new Set<string>(), selected: 2, comments: [comment] };
          const rest = { isSending: false, said: null, problem: progress, pane: waiting(1, request, place) };
          const mode = { kind: "changes", ...shown, ...rest } as const;
          return [
            { ...mode, writing: null },
            { ...mode, writing: comment, problem: null, said },
          ];
        });
        const frames = [
          ...changed.map((mode) => draw(panes, at, { mode })),
          ...(["sessions", "targets"] as const).map((kind) =>
            draw(panes, at, { view: { kind, isMerged: false }, target }),
          ),
          draw(panes, at, { mode: { ...armed, jobs, rules, open: null } }),
          draw(panes, at, {
            mode: {
              ...armed,
              jobs,
              rules,
              open: {
                kind: "job",
                detail: { schema_version: SCHEMA_VERSION, generated_at: job.created_at, job, told },
              },
            },
          }),
          draw(panes, at, { mode: { ...armed, jobs, rules, open: { kind: "rule", name } } }),
          draw(panes, at, { mode: { ...drafted, pane: waiting(1, request, place), draft } }),
          draw(panes, at, { mode: { ...drafted, pane: waiting(1, request, place), draft, isJson: true } }),
          draw(panes, at, { mode: { ...drafted, pane: waiting(1, request, place), draft: null } }),
          draw(panes, at, {
            mode: {
              kind: "question",
              back: { kind: "list" },
              question: {
                title: name,
                text: armingText(rule).join("\n"),
                confirmLabel: "arm it",
                onConfirm: () => {},
              },
            },
          }),
        ];
        for (const mode of [
          LIST,
          { kind: "whole", key, top: 0, readTo: 0 },
          { kind: "output", key, source: "screen", up: 0 },
          { kind: "search" },
        ] as const)
          frames.push(draw(panes, at, { mode, output: [`\u001B[1;31m${screen}\u001B[0m`, screen] }));
        for (const frame of frames) {
          expect(frame.lines).toHaveLength(at.rows);
          for (const line of frame.lines) {
            expect(stringWidth(plainOf(line))).toBeLessThanOrEqual(at.columns);
            const written = toTerminal(line, hasColour);
            expect(STEERING.test(written.replaceAll(hasColour ? OWN : /\u001B\[\d+G/g, ""))).toBe(false);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

const readBack = (shown: string): string =>
  shown.replaceAll(/⟨U\+([0-9A-F]{4,6})⟩/g, (_mark, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );

it("shows all of a request that it takes for shown whole, to the letter", () => {
  let wholes = 0;
  fc.assert(
    fc.property(
      hostile.map((text) => `x${text}y`),
      fc.option(hostile),
      size,
      (body, content, at) => {
        const request = content === null ? commandRequest(body) : { ...editRequest("a.ts", content), body };
        const pane = waiting(1, request);
        const frame = draw([pane], at);
        const card = frame.cards.find(({ key }) => key === cardKey(pane));
        if (card?.isWhole !== true) return;
        wholes += 1;
        const left = frame.lines.map((line) =>
          plainOf(line.slice(0, line.findIndex(({ column }) => column !== undefined) >>> 0)),
        );
        // Lines of the card begin with the sign of the selection; its text is indented, and padded up to the preview.
        const rows = left.filter((line) => line.startsWith("▌  ")).map((line) => line.slice(3));
        const shown = readBack(rows.map((row) => row.trimEnd()).join("")).replaceAll(/\s/g, "");
        expect(shown).toContain(`${body}${content ?? ""}`.replaceAll(/\s/g, ""));
      },
    ),
    { numRuns: 300 },
  );
  expect(wholes).toBeGreaterThan(50);
});

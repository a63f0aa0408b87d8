// What tmux lists and shows: rows of panes with hostile names, screens, and which commands may be asked.
import * as fc from "fast-check";
import { createAdapterRegistry } from "../../../adapters/index.ts";
import { FOREIGN_TREES } from "../../../adapters/testkit/foreignTrees.ts";
import { MAX_MARKED_TEXT, promptRequestSchema, requestView } from "../../../core/model/request.ts";
import type { ProcessInfo } from "../../../core/model/runtime.ts";
import { isWaiting, statusSchema } from "../../../core/model/state.ts";
import type { AgentAdapter, Reading, Screen } from "../../../core/ports/agentAdapter.ts";
import { cleanText } from "../../../core/tmux/cleanText.ts";
import { assertReadCommand, lookScript } from "../../../core/tmux/tmuxCommand.ts";
import {
  cleanScreen,
  foldRows,
  MAX_SCREEN_COLUMNS,
  MAX_SCREEN_LINES,
  parseRows,
  readListing,
  rowFormat,
} from "../../../core/tmux/topology.ts";
import { hold, holdLine, holdText } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { hostileText, mutatedText } from "../mutateText.ts";
import { frameSeeds, isRecorded } from "../seeds.ts";

// Screens, titles and process trees of every agent.

/** What holds of everything that a screen or a file says. */
export const checkReading = (reading: Reading | null): void => {
  if (reading === null) return;
  statusSchema.parse(reading.status);
  holdLine(reading.matched, 2_000, "what matched");
  hold(reading.matched !== "", "nothing matched");
  holdLine(reading.progress, 1_000, "a progress line");
  if (reading.request === null) return;
  const request = promptRequestSchema.parse(reading.request);
  requestView(request);
  holdLine(request.title, 500, "the title of a request");
  holdText(request.body, MAX_MARKED_TEXT, "the body of a request");
  for (const { label, keys } of request.options) {
    holdLine(label, 500, "an option");
    hold((keys ?? []).length <= 500, "an option needs more than 500 keys");
  }
};

const adapterScreenTarget = (adapter: AgentAdapter): FuzzTarget =>
  defineTarget({
    name: `screen/${adapter.agentType}`,
    weight: 3,
    covers: [`screen of ${adapter.agentType}`],
    open: () => {
      const frames = frameSeeds(adapter.agentType);
      const titles = [...new Set(["", "✳ Claude", "bash", ...frames.map(({ title }) => title)])];
      return {
        arbitrary: fc.record({
          text: mutatedText(frames.map(({ text }) => text)),
          title: fc.oneof(mutatedText(titles, 2), hostileText),
          isAlternate: fc.boolean(),
          width: fc.constantFrom(0, 1, 20, 80, 120, 1_000),
          height: fc.constantFrom(0, 1, 24, 40, 300),
        }),
        check: ({ text, title, ...more }) => {
          // As the daemon hands it over; and raw, because an adapter must not rely on that.
          const screen: Screen = {
            ...more,
            lines: cleanScreen(text.split("\n")),
            title: cleanText(title, 500),
          };
          checkReading(adapter.readScreen(screen));
          const raw: Screen = { ...more, lines: text.split("\n"), title };
          checkReading(adapter.readScreen(raw));
          for (const { reading } of adapter.traceScreen?.(raw) ?? []) checkReading(reading);
        },
      };
    },
  });

/** So many lines at the bottom are the agent's own: input box, foot and the end of the conversation. */
const OWN_LINES = 16;

/** A dialog as text in the conversation, with the rest of the agent's screen below it, is no dialog. */
const forgedTarget = (adapter: AgentAdapter): FuzzTarget =>
  defineTarget({
    name: `screen-forged/${adapter.agentType}`,
    open: () => {
      const frames = frameSeeds(adapter.agentType);
      const trimmed = (text: string): string[] => text.trimEnd().split("\n");
      const isTold = (frame: (typeof frames)[number]): boolean =>
        adapter.readScreen({ ...frame, lines: trimmed(frame.text) })?.status.state === frame.label.state;
      const calm = frames.filter((frame) => ["running", "idle"].includes(frame.label.state) && isTold(frame));
      const dialogs = frames
        .filter(({ label }) => label.state.startsWith("waiting_"))
        .map(({ text }) => text);
      const bodies = calm.map((frame) => ({ frame, lines: trimmed(frame.text) }));
      return {
        arbitrary: fc.record({
          at: fc.nat(Math.max(0, bodies.length - 1)),
          dialog: mutatedText(
            dialogs.length > 0 ? dialogs : ["Do you want to proceed?\n❯ 1. Yes\n  2. No"],
            1,
          ),
          from: fc.nat(60),
          count: fc.integer({ min: 1, max: 25 }),
        }),
        check: ({ at, dialog, from, count }) => {
          const body = bodies[at];
          if (body === undefined) return;
          const forged = cleanScreen(trimmed(dialog)).slice(from, from + count);
          // The conversation scrolls: what is at the bottom stays there.
          const room = Math.max(OWN_LINES, body.frame.height - forged.length - 1);
          const lines = [...forged, "", ...body.lines.slice(-room), ""];
          const reading = adapter.readScreen({ ...body.frame, lines });
          checkReading(reading);
          hold(
            reading === null || !isWaiting(reading.status.state),
            `a dialog above the screen ${body.frame.name} was taken for one: ${reading?.matched ?? ""}`,
          );
        },
      };
    },
  });

const processTarget = (adapter: AgentAdapter): FuzzTarget =>
  defineTarget({
    name: `identify/${adapter.agentType}`,
    covers: [`processes of ${adapter.agentType}`],
    open: () => {
      const trees: ProcessInfo[][] = [
        ...FOREIGN_TREES.map(({ processes }) => [...processes]),
        ...frameSeeds(adapter.agentType).map(({ processes }) => processes),
      ].filter((tree) => tree.length > 0);
      const args = [...new Set(trees.flat().map((one) => one.args))];
      const comms = [...new Set(trees.flat().map(({ comm }) => comm))];
      const process: fc.Arbitrary<ProcessInfo> = fc.record({
        pid: fc.integer({ min: 1, max: 12 }),
        ppid: fc.integer({ min: 0, max: 12 }),
        comm: fc.oneof(mutatedText(comms, 1), hostileText),
        args: fc.oneof({ weight: 4, arbitrary: mutatedText(args, 2) }, { weight: 1, arbitrary: hostileText }),
        startedAt: fc.constantFrom(0, 1, 1e15),
      });
      return {
        // Also trees with cycles and two processes of one pid: the listing is not one instant.
        arbitrary: fc.oneof(fc.array(process, { maxLength: 12 }), fc.constantFrom(...trees)),
        check: (processes) => {
          const match = adapter.identify(processes);
          if (match === null) return;
          hold(processes.includes(match.process), "a process that was not among those given");
          hold(match.sign !== "", "a match without a sign");
        },
      };
    },
  });

const registryTarget = defineTarget({
  name: "identify/registry",
  open: () => {
    const registry = createAdapterRegistry();
    const args = FOREIGN_TREES.flatMap(({ processes }) => processes.map((one) => one.args));
    return {
      arbitrary: fc.array(
        fc.record({
          pid: fc.integer({ min: 1, max: 8 }),
          ppid: fc.integer({ min: 0, max: 8 }),
          comm: fc.constantFrom<string>("node", "bash", "claude", "codex", "MainThread", "pi", "bun"),
          args: mutatedText(args, 2),
          startedAt: fc.constant<number>(0),
        }),
        { maxLength: 10 },
      ),
      check: (processes) => {
        const found = registry.identify(processes);
        if (found !== null) hold(processes.includes(found.match.process), "a process that is not there");
      },
    };
  },
});

export const screenTargets = (): FuzzTarget[] => {
  const adapters = createAdapterRegistry().list();
  return [
    ...adapters.map(adapterScreenTarget),
    // Of the others there is no frame that is known to be calm.
    ...adapters.filter(({ agentType }) => isRecorded(agentType)).map(forgedTarget),
    ...adapters.map(processTarget),
    registryTarget,
  ];
};

const NONCE = "00112233445566778899aabbccddeeff";
const MARK = `<${NONCE}>`;
const NUMBERS = "%5 $1 @2 0 1 4242 1 0 1 0 120 40 3 7 1000 1795238680 0  /dev/pts/3";
const rowText = (numbers: string, title: string, window: string, session: string): string =>
  `${MARK}${numbers}${MARK}${title}${MARK}${window}${MARK}${session}${MARK}`;

const checkRow = (row: ReturnType<typeof parseRows>["rows"][number]): void => {
  hold(/^%\d{1,10}$/.test(row.paneId), "no pane id");
  holdLine(row.sessionName, 200, "a session's name");
  holdLine(row.windowName, 200, "a window's name");
  holdLine(row.title, 500, "a title");
  holdLine(row.tty, 200, "a tty");
  for (const text of [row.sessionName, row.windowName, row.title])
    hold(text.isWellFormed(), "a name holds half a character");
};

/** Names cannot shift a field, forge a row or take one away. */
const rowsTarget = defineTarget({
  name: "tmux/pane rows of hostile names",
  weight: 2,
  open: () => {
    const name = hostileText.map((text) => text.replaceAll(NONCE, ""));
    return {
      arbitrary: fc.array(fc.tuple(name, name, name, fc.nat(99)), { minLength: 1, maxLength: 6 }),
      check: (rows) => {
        const text = rows
          .map(([title, window, session, pane]) =>
            rowText(NUMBERS.replace("%5", `%${pane}`), title, window, session),
          )
          .join("\n");
        const parsed = parseRows(text.split("\n"), NONCE);
        hold(parsed.malformed === 0, "a name made a row malformed");
        hold(parsed.rows.length === rows.length, `${parsed.rows.length} rows of ${rows.length}`);
        for (const [index, row] of parsed.rows.entries()) {
          checkRow(row);
          hold(row.paneId === `%${rows[index]?.[3]}` && row.panePid === 4242, "a field was shifted");
        }
        const panes = foldRows(parsed.rows);
        hold(new Set(panes.map(({ paneId }) => paneId)).size === panes.length, "a pane twice");
      },
    };
  },
});

const brokenRowsTarget = defineTarget({
  name: "tmux/pane rows that are broken",
  open: () => ({
    arbitrary: mutatedText([
      [1, 2, 3].map(() => rowText(NUMBERS, "title", "window", "session")).join("\n"),
      rowText(NUMBERS.replace(" 0  ", " 1 137 "), "", "", ""),
      rowFormat(NONCE, { tellsPaneOutput: true }),
    ]),
    check: (text) => {
      const { rows, malformed } = parseRows(text.split("\n"), NONCE);
      hold(malformed >= 0, "a negative count");
      for (const row of rows) checkRow(row);
      foldRows(rows);
    },
  }),
});

const COMMAND_WORDS = [
  "list-panes",
  "list-clients",
  "capture-pane",
  "display-message",
  "run-shell",
  "send-keys",
  "-a",
  "-s",
  "-p",
  "-J",
  "-t",
  "-F",
  "-S",
  "-E",
  "%5",
  "$1",
  "@2",
  "-10",
  "#{pane_id} #{pane_title}",
  "#(touch x)",
  "#{E:pane_title}",
  "a;",
];
const readCommandTarget = defineTarget({
  name: "tmux/read commands",
  weight: 2,
  open: () => ({
    arbitrary: fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...COMMAND_WORDS) },
        { weight: 1, arbitrary: mutatedText(COMMAND_WORDS, 2) },
        { weight: 1, arbitrary: hostileText },
      ),
      { maxLength: 7 },
    ),
    check: (words) => {
      try {
        assertReadCommand(words);
      } catch (error) {
        hold(error instanceof Error && error.message.startsWith("tmux query refused:"), "another error");
        return;
      }
      hold(
        /^(list-panes|list-clients|capture-pane|display-message)$/.test(words[0] ?? ""),
        "another command",
      );
      const script = lookScript([words], "0".repeat(32)).join(" ");
      hold(/^[ -~]*$/.test(script), "a list of commands of more than one printable line");
      hold(!/#\(|[{;]\s*[ET][:;]/.test(script.replaceAll(" ; ", " ")), "a format that runs or expands");
    },
  }),
});

const listingTarget = defineTarget({
  name: "tmux/server listing",
  open: () => ({
    arbitrary: fc.tuple(
      mutatedText(["4242 1795238680 /tmp/tmux-1000/default", ""], 3),
      fc.boolean(),
      fc.array(
        hostileText.map((text) => text.replaceAll("\n", " ")),
        { maxLength: 3 },
      ),
    ),
    check: ([about, isOk, lines]) => {
      const listing = readListing(
        {
          status: "ok",
          answers: [
            { isOk: true, lines: about.split("\n") },
            { isOk, lines },
          ],
          at: 1,
        },
        "default",
      );
      if (listing.status === "error") holdLine(listing.problem, 300, "a problem");
      if (listing.status !== "ok") return;
      hold(Number.isFinite(listing.instance.pid), "the pid is no number");
      hold(Number.isFinite(listing.instance.startedAt), "the start is no number");
    },
  }),
});

const screenTarget = defineTarget({
  name: "tmux/screens",
  open: () => ({
    arbitrary: fc.tuple(fc.array(hostileText, { maxLength: 30 }), hostileText, fc.nat(700)),
    check: ([lines, text, max]) => {
      const clean = cleanScreen(lines);
      hold(clean.length <= MAX_SCREEN_LINES, "too many lines");
      for (const one of clean) holdLine(one, MAX_SCREEN_COLUMNS, "a line of a screen");
      const once = cleanText(text, max);
      holdLine(once, max, "a clean text");
      hold(once.isWellFormed(), "half a character");
    },
  }),
});

export const tmuxTargets = (): FuzzTarget[] => [
  rowsTarget,
  brokenRowsTarget,
  readCommandTarget,
  listingTarget,
  screenTarget,
];

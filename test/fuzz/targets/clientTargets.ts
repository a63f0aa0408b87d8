// What reads the daemon's answers and a person's words: the command line, its tables, the popover's reducers and texts, the
// message port, the event stream, errors as they go over the wire.
import { CommanderError } from "commander";
import * as fc from "fast-check";
import { createRouter } from "../../../core/api/router.ts";
import { AgtmuxError, ERROR_CODES } from "../../../core/model/errors.ts";
import type { RequestView } from "../../../core/model/request.ts";
import {
  feedEntrySchema,
  SCHEMA_VERSION,
  type FeedEntry,
  type PaneList,
  type PaneView,
} from "../../../core/model/view.ts";
import { createDocumentWriter } from "../../../core/rpc/documentText.ts";
import { readEventStream } from "../../../core/rpc/eventStream.ts";
import { createRouterCaller, serveMessages } from "../../../core/rpc/messageBridge.ts";
import { serverMessageSchema } from "../../../core/rpc/messages.ts";
import { fromConnectionError, fromErrorShape } from "../../../core/rpc/wireError.ts";
import type { CliContext } from "../../../cli/context.ts";
import { exitCodeOf, renderFailure, toFailure } from "../../../cli/failure.ts";
import type { Verb } from "../../../cli/grammar/verb.ts";
import { parseCount } from "../../../cli/parse/count.ts";
import { parseColumns } from "../../../cli/parse/columns.ts";
import { readDuration } from "../../../cli/parse/duration.ts";
import { parseFilters } from "../../../cli/parse/filters.ts";
import { parseGuards } from "../../../cli/parse/guards.ts";
import { parseSince } from "../../../cli/parse/since.ts";
import { parseTmuxPath, parseTransport } from "../../../cli/parse/targetSettings.ts";
import { createProgram, fromCommander, pointToHelp } from "../../../cli/program.ts";
import { PANE_FIELDS } from "../../../cli/render/paneFields.ts";
import { renderFlat, renderPlain } from "../../../cli/render/field.ts";
import { PLAIN_MEASURE } from "../../../cli/render/measure.ts";
import { createPaint } from "../../../cli/render/paint.ts";
import { renderPanes } from "../../../cli/render/paneTable.ts";
import { promptLines } from "../../../cli/render/prompt.ts";
import { paintTmux } from "../../../cli/render/tmuxText.ts";
import { PANE_SORT, parseSort } from "../../../cli/sort.ts";
import { parseConditions } from "../../../cli/wait/condition.ts";
import { trackMany, trackOne } from "../../../cli/wait/tracker.ts";
import { applyEntries, INITIAL_FEED_STATE } from "../../../renderer/state/feedReducer.ts";
import { arrange } from "../../../renderer/state/groups.ts";
import { summariseSessions, windowsOf } from "../../../renderer/state/sessions.ts";
import { agentName, paneLabel, paneName, panePlace, requestLine } from "../../../renderer/text/paneText.ts";
import { shellCommand } from "../../../renderer/text/shellCommand.ts";
import { FakeDaemon } from "../../fakes/fakeDaemon.ts";
import { makeCounts, makePane, makeTarget } from "../../factories/view.ts";
import { hold, holdLine, orRefused } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson, mutatedValue } from "../mutateJson.ts";
import { cutBytes, cutsArbitrary, hostileText, mutatedText } from "../mutateText.ts";

const NOW = Date.UTC(2026, 10, 21, 9);
/** Whatever asks for more than printing has done something: no verb runs here. */
const context = new Proxy({} as CliContext, {
  get: (_target, name) => {
    if (name === "version") return "0.0.0";
    if (name === "width") return 80;
    if (name === "print") return () => {};
    if (name === "env") return {};
    throw new Error(`a verb ran: it asked for ${String(name)}`);
  },
});

const checkFailure = (failure: AgtmuxError): void => {
  hold(Object.hasOwn(ERROR_CODES, failure.code), `the code ${failure.code}`);
  hold(Number.isInteger(exitCodeOf(failure)), "no exit status");
  for (const line of renderFailure(failure, false, NOW).split("\n"))
    holdLine(line, 200_000, "a line of a failure");
  JSON.parse(renderFailure(failure, true, NOW));
};

/** Verbs are only parsed: their actions do nothing. */
const disarm = (command: Verb | Verb["commands"][number]): void => {
  for (const child of command.commands) {
    child.action(() => {});
    disarm(child);
  }
};
const wordsOf = (command: Verb | Verb["commands"][number]): string[] => [
  ...command.options.flatMap(({ short, long }) => [short ?? "", long ?? ""]),
  ...command.commands.flatMap((child) => [child.name(), ...child.aliases(), ...wordsOf(child)]),
];

const argumentsTarget = defineTarget({
  name: "command line/arguments",
  weight: 0.5,
  open: () => {
    const words = [
      ...new Set(wordsOf(createProgram(context, { exitCode: 0 }))),
      ...["pane:host/work/@1/%3", "runtime:rt1", "30s", "idle", "--", "-", "--json=1", "5", "--help", "help"],
    ].filter((word) => word !== "");
    return {
      arbitrary: fc.array(
        fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom(...words) },
          { weight: 1, arbitrary: mutatedText(words, 1) },
          { weight: 1, arbitrary: hostileText },
        ),
        { minLength: 1, maxLength: 7 },
      ),
      check: async (args) => {
        const program = createProgram(context, { exitCode: 0 }, args[0]);
        disarm(program);
        try {
          await program.parseAsync(args, { from: "user" });
        } catch (error) {
          hold(
            error instanceof CommanderError || error instanceof AgtmuxError,
            `another error: ${String(error)}`,
          );
          const found = error instanceof CommanderError ? fromCommander(error, args) : toFailure(error);
          if (found !== null) checkFailure(pointToHelp(found, program, args));
        }
      },
    };
  },
});

const valuesTarget = defineTarget({
  name: "command line/values of options",
  weight: 2,
  open: () => {
    const usual = [
      "30s",
      "1.5m",
      "2026-11-21T09:00:00Z",
      "idle,error",
      "1234",
      "-age,needs",
      "state,ref",
      "/usr/bin/tmux",
    ];
    return {
      arbitrary: fc.tuple(fc.oneof(mutatedText(usual, 3), hostileText), hostileText),
      check: ([text, other]) => {
        const ms = readDuration(text);
        hold(ms === null || (ms > 0 && Number.isFinite(new Date(NOW - ms).getTime())), `the duration ${ms}`);
        const since = orRefused(() => parseSince(text, NOW));
        if (since !== null)
          for (const part of [since.version, since.time])
            hold(part === null || Number.isFinite(part), "no number");
        const filters = orRefused(() => parseFilters({ state: [text], agent: [other], session: [text] }));
        for (const state of [filters?.state ?? []].flat()) hold(typeof state === "string", "no state");
        orRefused(() => parseGuards({ ifState: text, ifUpdatedWithin: other }));
        for (const condition of orRefused(() => parseConditions([text])) ?? [])
          hold(
            [
              "needs-action",
              "gone",
              "error",
              "waiting_approval",
              "waiting_input",
              "running",
              "completed",
              "idle",
              "unknown",
            ].includes(condition),
            condition,
          );
        const sort = orRefused(() => parseSort([text], PANE_SORT));
        if (sort !== null) hold(Number.isFinite(sort(makePane(), makePane({ pane: 2 }))), "no order");
        for (const field of orRefused(() => parseColumns([text], PANE_FIELDS)) ?? [])
          hold(typeof field.cell === "function", "a column without cells");
        const count = orRefused(() => parseCount(text, "--lines", { min: 1, max: 9 }));
        hold(count === null || (count >= 1 && count <= 9), "a count out of its bounds");
        orRefused(() => parseTransport(text));
        orRefused(() => parseTmuxPath(text));
      },
    };
  },
});

const request: RequestView = {
  kind: "command",
  title: "Run it?",
  body: "touch x\nrm y",
  tool_name: "Bash",
  options: [{ label: "Yes", keys: null, role: "approve" }],
  expires_at: null,
};
const STATES = [
  "error",
  "waiting_approval",
  "waiting_input",
  "running",
  "completed",
  "idle",
  "unknown",
  null,
] as const;
/** Rows as a daemon may tell them: every text of theirs is a stranger's. */
const rowArbitrary: fc.Arbitrary<PaneView> = fc
  .record({
    pane: fc.nat(9),
    state: fc.constantFrom(...STATES),
    session: hostileText,
    windowName: hostileText,
    title: hostileText,
    agentName: fc.option(hostileText),
    target: fc.constantFrom("host", "box", "__proto__", "toString"),
    reason: hostileText,
    label: hostileText,
    body: fc.option(hostileText),
    progress: fc.option(hostileText),
  })
  .map(({ label, body, progress, session, ...options }): PaneView => ({
    ...makePane({ ...options, session: session.toWellFormed() }),
    request:
      options.state?.startsWith("waiting") === true
        ? { ...request, title: label, body, options: [{ label, keys: null, role: null }] }
        : null,
    progress,
  }));

const tablesTarget = defineTarget({
  name: "command line/tables of hostile rows",
  weight: 2,
  open: () => ({
    arbitrary: fc.tuple(fc.array(rowArbitrary, { maxLength: 6 }), fc.option(fc.constantFrom(1, 20, 80, 200))),
    check: ([items, width]) => {
      const options = { paint: createPaint(false), width, measure: PLAIN_MEASURE, now: NOW };
      const list: PaneList = {
        schema_version: SCHEMA_VERSION,
        generated_at: new Date(NOW).toISOString(),
        filters: {},
        problems: [items[0]?.title ?? ""],
        summary: makeCounts(items),
        items,
      };
      const fields = Object.values(PANE_FIELDS);
      const lines = [
        ...renderPanes(list, options),
        ...renderFlat(list, fields, "pane", options),
        ...items.flatMap(({ request: asked }) => (asked === null ? [] : promptLines(asked, NOW))),
      ];
      for (const line of lines) holdLine(line, 200_000, "a line of a table");
      // Columns of a script are divided by tabs, which no value may bring.
      for (const line of renderPlain(items, fields, NOW)) {
        holdLine(line.replaceAll("\t", ""), 1_000_000, "a line for a script");
        hold(line.split("\t").length === fields.length, "a value became two columns");
      }
      for (const { title } of items) {
        const text = paintTmux("red", title);
        hold(text.startsWith("#[fg=red]") && text.endsWith("#[default]"), "no style");
        const inner = text.slice("#[fg=red]".length, -"#[default]".length);
        hold(!inner.replaceAll("##", "").includes("#"), "a format for tmux");
      }
    },
  }),
});

const SEED_ENTRIES: readonly unknown[] = [
  {
    kind: "snapshot",
    version: 1,
    at: NOW,
    panes: [makePane(), makePane({ pane: 2, state: "running" })],
    targets: [makeTarget()],
    summary: makeCounts([]),
  },
  {
    kind: "state",
    version: 2,
    at: NOW,
    pane: makePane({ state: "waiting_approval", request }),
    previous_state: null,
  },
  {
    kind: "state",
    version: 3,
    at: NOW,
    pane: makePane({ pane: 3, agent: null, state: null }),
    previous_state: "idle",
  },
  { kind: "removed", version: 4, at: NOW, pane_ref: makePane().identity.pane_ref, runtime_id: "rt1" },
  { kind: "target", version: 5, at: NOW, target: makeTarget({ target: "box", health: "down" }) },
  { kind: "gap", version: 6, at: NOW, reason: "pruned" },
];

const feedTarget = defineTarget({
  name: "feed/reducers and trackers",
  weight: 2,
  open: () => ({
    arbitrary: fc.tuple(
      fc.array(mutatedValue(SEED_ENTRIES, 3), { maxLength: 6 }),
      fc.array(rowArbitrary, { maxLength: 3 }),
      hostileText,
    ),
    check: ([values, rows, text]) => {
      const entries: FeedEntry[] = [
        ...values.flatMap((value) => feedEntrySchema.safeParse(value).data ?? []),
        ...rows.map((pane, index) => ({
          kind: "state" as const,
          version: 10 + index,
          at: NOW,
          pane,
          previous_state: null,
        })),
      ];
      const state = applyEntries(INITIAL_FEED_STATE, entries, NOW);
      const oneByOne = entries.reduce(
        (before, entry) => applyEntries(before, [entry], NOW),
        INITIAL_FEED_STATE,
      );
      hold(
        JSON.stringify([...state.panes]) === JSON.stringify([...oneByOne.panes]),
        "entries together and one by one differ",
      );
      for (const [ref, pane] of state.panes) {
        hold(pane.identity.pane_ref === ref, "a pane under another reference");
        // Ids are checked where they are listed; what is a stranger's text is in the made rows.
        if (!rows.includes(pane)) continue;
        for (const words of [
          paneLabel(pane),
          paneName(pane),
          agentName(pane),
          panePlace(pane),
          requestLine(pane),
        ])
          holdLine(words, 100_000, "a text of the popover");
      }
      arrange(state.panes.values(), state.targets, { text, states: new Set() });
      summariseSessions(state.panes.values(), state.targets, true);
      windowsOf([...state.panes.values()]);
      const wanted = { conditions: ["needs-action", "gone"] as const, after: null };
      const trackers = [
        trackOne(makePane(), wanted),
        trackMany(() => true, "any", wanted),
        trackMany(() => true, "every", wanted),
      ];
      for (const tracker of trackers) {
        for (const entry of entries) tracker.take(entry);
        tracker.look([...state.panes.values()]);
      }
      hold(!shellCommand([text]).includes("\n") || text.includes("\n"), "a line break from nowhere");
    },
  }),
});

const errorTarget = defineTarget({
  name: "wire/errors",
  weight: 2,
  open: () => ({
    arbitrary: mutatedValue([
      {
        message: "no",
        data: { agtmuxCode: "E_USAGE", remedy: "Do this.", details: ["a"], code: "BAD_REQUEST" },
      },
      {
        message: '[{"path":["a"],"message":"x"}]',
        data: { agtmuxCode: "E_REF_AMBIGUOUS", remedy: "", details: [] },
      },
      { message: "ECONNREFUSED", code: "ECONNREFUSED" },
    ]),
    check: (value) => {
      checkFailure(fromErrorShape(value));
      checkFailure(fromConnectionError(value));
      const code = typeof value === "string" ? value : "ECONNRESET";
      checkFailure(fromConnectionError(Object.assign(new Error("x"), { code })));
    },
  }),
});

async function* yieldAll(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
const eventStreamTarget = defineTarget({
  name: "wire/event stream in pieces",
  open: () => ({
    arbitrary: fc.record({
      values: fc.array(mutatedJson([{ a: 1 }, "x\ny", [1, 2]], 2), { maxLength: 4 }),
      broken: mutatedText(
        ['event: connected\ndata: {}\n\ndata: {"a":1}\nid: 7\n\nevent: return\ndata: \n\n'],
        4,
      ),
      cuts: cutsArbitrary,
    }),
    check: async ({ values, broken, cuts }) => {
      const told = values.flatMap((text) => {
        try {
          return [JSON.stringify(JSON.parse(text))];
        } catch {
          return [];
        }
      });
      const text = told.map((one) => `data: ${one}\n\n`).join("event: ping\ndata: \n\n");
      const got: unknown[] = [];
      for await (const event of readEventStream(yieldAll(cutBytes(Buffer.from(text), cuts)), (json) => json))
        got.push(event.kind === "data" ? event.value : event.kind);
      hold(JSON.stringify(got) === JSON.stringify(told), "other events");
      try {
        for await (const event of readEventStream(yieldAll(cutBytes(Buffer.from(broken), cuts)), JSON.parse))
          hold(["data", "error", "end"].includes(event.kind), "another kind");
      } catch (error) {
        hold(error instanceof SyntaxError, `another error: ${String(error)}`);
      }
    },
  }),
});

const MESSAGES: readonly unknown[] = [
  { kind: "call", id: 1, type: "query", path: "panes", input: {} },
  { kind: "call", id: 2, type: "subscription", path: "feed", input: { all: true } },
  { kind: "call", id: 3, type: "mutation", path: "dismiss", input: { ref: "x", surface: "y" } },
  { kind: "stop", id: 2 },
  { kind: "ack", id: 2 },
];
const messagesTarget = defineTarget({
  name: "wire/messages of a page",
  open: () => {
    const caller = createRouterCaller(createRouter(new FakeDaemon([makePane()])));
    return {
      arbitrary: fc.array(mutatedValue(MESSAGES, 3), { maxLength: 6 }),
      check: async (messages) => {
        let deliver: (message: unknown) => void = () => {};
        const answered = Promise.withResolvers<void>();
        const bridge = serveMessages({
          caller,
          port: {
            send: (message) => {
              const parsed = serverMessageSchema.parse(message);
              if (parsed.id === 77_777) answered.resolve();
              hold(!JSON.stringify(message).includes("/test/fuzz/"), "a stack in an answer");
            },
            onMessage: (listener) => {
              deliver = listener;
              return () => {};
            },
          },
        });
        for (const message of messages) deliver(message);
        hold(bridge.openCalls() <= messages.length, "more calls than messages");
        deliver({ kind: "call", id: 77_777, type: "query", path: "hello", input: undefined });
        await answered.promise;
        bridge.close();
        hold(bridge.openCalls() === 0, "calls after the end");
      },
    };
  },
});

const documentTarget = defineTarget({
  name: "wire/documents",
  open: () => ({
    arbitrary: mutatedValue(
      [{ filters: {}, summary: { total: 1 }, items: [makePane(), makePane()] }, { items: [] }],
      4,
    ),
    check: (value) => {
      let text: string;
      try {
        text = JSON.stringify(value);
      } catch (error) {
        // Deeper than any document of ours.
        hold(error instanceof RangeError, String(error));
        return;
      }
      const write = createDocumentWriter();
      for (let time = 0; time < 2; time += 1) hold(write(value) === text, "another text than JSON");
    },
  }),
});

export const clientTargets = (): FuzzTarget[] => [
  argumentsTarget,
  valuesTarget,
  tablesTarget,
  feedTarget,
  errorTarget,
  eventStreamTarget,
  messagesTarget,
  documentTarget,
];

// Rows and feed entries with hostile texts: the tables of the command line, the popover's reducers and words.
import * as fc from "fast-check";
import { renderFlat, renderPlain, PANE_FIELDS } from "../../../cli/render/field.ts";
import { PLAIN_MEASURE, createPaint } from "../../../cli/render/table.ts";
import { renderPanes } from "../../../cli/command/listing.ts";
import { promptLines } from "../../../cli/render/clean.ts";
import { paintTmux } from "../../../cli/verbs/status.ts";
import { trackMany, trackOne } from "../../../cli/verbs/wait.ts";
import {
  rollUp,
  feedEntrySchema,
  SCHEMA_VERSION,
  type FeedEntry,
  type PaneList,
  type PaneView,
} from "../../../core/model/view.ts";
import type { RequestView } from "../../../core/model/request.ts";
import { applyEntries, INITIAL_FEED_STATE } from "../../../ui/lists/feedReducer.ts";
import { arrange } from "../../../ui/lists/groups.ts";
import { summariseSessions, windowsOf } from "../../../ui/lists/sessions.ts";
import { shellCommand } from "../../../ui/text/displayText.ts";
import { agentName, paneLabel, paneName, panePlace, requestLine } from "../../../ui/text/rowText.ts";
import { makePane, makeTarget } from "../../factories/view.ts";
import { hold, holdLine } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedValue } from "../mutateJson.ts";
import { hostileText } from "../mutateText.ts";

const NOW = Date.UTC(2026, 10, 21, 9);

const request: RequestView = {
  kind: "command",
  title: "Run it?",
  body: "touch x\nrm y",
  is_whole: true,
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
      const options = {
        paint: createPaint(false),
        width,
        measure: PLAIN_MEASURE,
        now: NOW,
        hasMachines: items.length > 1,
        hasOneServer: items.length < 2,
      };
      const list: PaneList = {
        schema_version: SCHEMA_VERSION,
        generated_at: new Date(NOW).toISOString(),
        filters: {},
        problems: [items[0]?.title ?? ""],
        hints: [],
        summary: rollUp(items),
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
    summary: rollUp([]),
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
  {
    kind: "removed",
    version: 4,
    at: NOW,
    pane_ref: makePane().identity.pane_ref,
    runtime_id: "rt1",
    identity: makePane().identity,
  },
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

export const feedTargets = (): FuzzTarget[] => [tablesTarget, feedTarget];

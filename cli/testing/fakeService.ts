// A scriptable daemon service for tests of the surfaces: rows are set by the test, the feed and its versions behave as the
// daemon's do, and every action is recorded. It decides nothing.
import { matchesFilters } from "../../core/api/paneFilter.ts";
import {
  PROTOCOL_VERSION,
  type DaemonService,
  type Hello,
  type ListFilters,
} from "../../core/api/service.ts";
import type { AdapterList } from "../../core/model/adapterView.ts";
import type { ActionOutcome, ActionResult } from "../../core/model/actionView.ts";
import { DEFAULT_CONFIG } from "../../core/model/config.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { settingsOf } from "../../core/model/settings.ts";
import { CANONICAL_STATES, type CanonicalState } from "../../core/model/state.ts";
import {
  SCHEMA_VERSION,
  type Counts,
  type FeedEntry,
  type PaneView,
  type SessionView,
  type TargetView,
  type WindowView,
} from "../../core/model/view.ts";

const NOW = "2026-11-21T09:00:00.000Z";

/** A row of an agent that runs; the test overrides what matters to it. */
export const makePane = (
  overrides: Omit<Partial<PaneView>, "identity"> & { identity?: Partial<PaneView["identity"]> } = {},
): PaneView => {
  const { identity: part, ...rest } = overrides;
  const identity = {
    target: "host",
    tmux_server: "default",
    session_name: "work",
    window_id: "@1",
    pane_id: "%1",
    runtime_id: "rt1",
    ...part,
  };
  return {
    also_in: [],
    window_index: 1,
    window_name: "editor",
    pane_index: 0,
    title: "",
    agent: "claude",
    agent_name: "Claude Code",
    state: "running",
    reason_code: "thinking",
    confidence: "high",
    state_version: 1,
    needs_action: false,
    since: NOW,
    confirmed_at: NOW,
    request: null,
    prompt_fingerprint: null,
    progress: null,
    agent_session_id: null,
    ...rest,
    identity: {
      ...identity,
      pane_ref:
        part?.pane_ref ??
        `pane:${identity.target}${identity.tmux_server === "default" ? "" : `:${identity.tmux_server}`}/${encodeURIComponent(identity.session_name)}/${identity.window_id}/${identity.pane_id}`,
    },
  };
};

const byState = (panes: readonly PaneView[]): Record<CanonicalState, number> => {
  const counts: Record<CanonicalState, number> = {
    error: 0,
    waiting_approval: 0,
    waiting_input: 0,
    running: 0,
    completed: 0,
    idle: 0,
    unknown: 0,
  };
  for (const pane of panes) if (pane.state !== null) counts[pane.state] += 1;
  return counts;
};

const countBy = (
  panes: readonly PaneView[],
  key: (pane: PaneView) => string | null,
): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const pane of panes) {
    const name = key(pane);
    if (name !== null) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

const countsOf = (panes: readonly PaneView[]): Counts => ({
  total: panes.length,
  needs_action: panes.filter((pane) => pane.needs_action).length,
  by_state: byState(panes),
  by_agent: countBy(panes, (pane) => pane.agent),
  by_target: countBy(panes, (pane) => pane.identity.target),
});

const topOf = (panes: readonly PaneView[]): CanonicalState | null =>
  CANONICAL_STATES.find((state) => panes.some((pane) => pane.state === state)) ?? null;

const groupBy = (panes: readonly PaneView[], key: (pane: PaneView) => string): PaneView[][] => [
  ...Map.groupBy(panes, key).values(),
];

const rollUp = (panes: readonly PaneView[]) => ({
  pane_count: panes.length,
  agent_count: panes.filter((pane) => pane.agent !== null).length,
  top_state: topOf(panes),
  waiting_count: panes.filter((pane) => pane.state === "waiting_approval" || pane.state === "waiting_input")
    .length,
  running_count: panes.filter((pane) => pane.state === "running").length,
  by_state: byState(panes),
});

const toWindow = (panes: PaneView[]): WindowView[] => {
  const [first] = panes;
  if (first === undefined) return [];
  const { target, tmux_server, session_name, window_id } = first.identity;
  return [
    {
      identity: { target, tmux_server, session_name, window_id },
      window_index: first.window_index,
      window_name: first.window_name,
      ...rollUp(panes),
    },
  ];
};

const toSession = (panes: PaneView[]): SessionView[] => {
  const [first] = panes;
  if (first === undefined) return [];
  const { target, tmux_server, session_name } = first.identity;
  return [
    {
      identity: { target, tmux_server, session_name },
      window_count: new Set(panes.map((pane) => pane.identity.window_id)).size,
      ...rollUp(panes),
      by_agent: countBy(panes, (pane) => pane.agent),
      targets: [{ target, tmux_server, agent_count: panes.length, by_state: byState(panes) }],
    },
  ];
};

const isShown = (pane: PaneView, filters: ListFilters): boolean =>
  matchesFilters(pane, filters) && (filters.all === true || pane.agent !== null);

export interface FakeService extends DaemonService {
  /** Adds or replaces rows and tells the feed. */
  set(...panes: PaneView[]): void;
  /** What is watched, and what is missing from every list. */
  targets: TargetView[];
  problems: string[];
  /** Takes a row away and tells the feed. */
  remove(paneRef: string): void;
  /** Everything that was asked to act, oldest first. */
  readonly actions: { action: string; input: unknown }[];
  /** Feeds that are open now. */
  openFeeds(): number;
  /** What the fake says in hello. */
  greeting: Hello;
  /** The command that `prepareAttach` answers with. */
  attachArgv: string[];
  /** The outcome of every action that has one. */
  outcome: ActionOutcome;
  /** Resolves once `shutdown` was asked for. */
  readonly stopped: Promise<void>;
}

export const LOCAL_TARGET: TargetView = {
  target: "host",
  kind: "local",
  health: "ok",
  health_reason: null,
  last_seen_at: NOW,
  connection_ref: null,
  enabled: true,
  transport: null,
  rtt_ms: null,
  remedy: null,
  next_attempt_at: null,
  servers: [{ tmux_server: "default", status: "ok", mode: "control", problem: null, pane_count: 1 }],
};

/** `log` carries stored feed entries from a former life, so that a restart can be played. */
export const createFakeService = (
  options: { panes?: PaneView[]; log?: FeedEntry[]; adapterProblems?: AdapterList["problems"] } = {},
): FakeService => {
  const panes = new Map((options.panes ?? []).map((pane) => [pane.identity.pane_ref, pane]));
  const log: FeedEntry[] = options.log ?? [];
  const wakers = new Set<() => void>();
  const actions: FakeService["actions"] = [];
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const lastVersion = () => log.at(-1)?.version ?? 1;
  const append = (entry: FeedEntry) => {
    log.push(entry);
    for (const wake of wakers) wake();
  };
  const list = (filters: ListFilters) => [...panes.values()].filter((pane) => isShown(pane, filters));
  const frame = (filters: object, rows: readonly PaneView[]) => ({
    schema_version: SCHEMA_VERSION as typeof SCHEMA_VERSION,
    generated_at: NOW,
    filters: { ...filters },
    summary: countsOf(rows),
    problems: service.problems,
  });
  const find = (ref: string): PaneView => {
    const pane = [...panes.values()].find(
      (row) => row.identity.pane_ref === ref || `runtime:${row.identity.runtime_id}` === ref,
    );
    if (pane === undefined) throw new AgtmuxError("E_REF_NOT_FOUND", `nothing is at ${ref}`);
    return pane;
  };
  const record = (action: string, input: unknown) => actions.push({ action, input });

  const answer = (action: ActionResult["action"], input: unknown, pane: PaneView): ActionResult => {
    record(action, input);
    return {
      schema_version: SCHEMA_VERSION,
      action_id: "act1",
      action,
      pane_ref: pane.identity.pane_ref,
      runtime_id: pane.identity.runtime_id,
      snapshot_id: "snap1",
      outcome: service.outcome,
      detail: "It is what it is.",
      notes: ["2 control characters were left out."],
      is_repeat: false,
    };
  };

  async function* feed(
    input: { since: number | null; sinceTime: number | null },
    signal: AbortSignal,
  ): AsyncGenerator<FeedEntry> {
    let next = log.length;
    if (input.since === null && input.sinceTime === null)
      yield {
        kind: "snapshot",
        version: lastVersion(),
        at: Date.parse(NOW),
        panes: list({}),
        targets: service.targets,
        summary: countsOf(list({})),
      };
    else {
      const from = log.findIndex(
        (entry) => entry.version > (input.since ?? -1) && entry.at >= (input.sinceTime ?? -Infinity),
      );
      next = from === -1 ? log.length : from;
    }
    let wake: (() => void) | null = null;
    const rouse = () => wake?.();
    wakers.add(rouse);
    signal.addEventListener("abort", rouse);
    try {
      while (!signal.aborted) {
        const entry = log[next];
        if (entry !== undefined) {
          next += 1;
          yield entry;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      wakers.delete(rouse);
      signal.removeEventListener("abort", rouse);
    }
  }

  const findTarget = (name: string): TargetView => {
    const found = service.targets.find(({ target }) => target === name);
    if (found === undefined) throw new AgtmuxError("E_TARGET_UNKNOWN", `there is no target '${name}'`);
    return found;
  };

  const service: FakeService = {
    actions,
    stopped,
    targets: [LOCAL_TARGET],
    problems: [],
    attachArgv: ["true"],
    outcome: "delivered",
    greeting: {
      name: "agtmux",
      version: "0.1.0",
      protocol: PROTOCOL_VERSION,
      pid: process.pid,
      startedAt: Date.parse(NOW),
      host: "test",
      isOnDemand: false,
    },
    openFeeds: () => wakers.size,
    set: (...rows) => {
      for (const pane of rows) {
        const previous = panes.get(pane.identity.pane_ref)?.state ?? null;
        panes.set(pane.identity.pane_ref, pane);
        append({
          kind: "state",
          version: lastVersion() + 1,
          at: Date.parse(NOW),
          pane,
          previous_state: previous,
        });
      }
    },
    remove: (paneRef) => {
      const pane = find(paneRef);
      panes.delete(paneRef);
      append({
        kind: "removed",
        version: lastVersion() + 1,
        at: Date.parse(NOW),
        pane_ref: paneRef,
        runtime_id: pane.identity.runtime_id,
      });
    },
    hello: () => service.greeting,
    shutdown: () => stop(),
    listPanes: (filters) => ({ ...frame(filters, list(filters)), items: list(filters) }),
    listWindows: (filters) => ({
      ...frame(filters, list(filters)),
      items: groupBy(
        list(filters),
        ({ identity: id }) => `${id.target}/${id.tmux_server}/${id.session_name}/${id.window_id}`,
      ).flatMap(toWindow),
    }),
    listSessions: (filters) => ({
      ...frame(filters, list(filters)),
      items: groupBy(
        list(filters),
        ({ identity: id }) => `${id.target}/${id.tmux_server}/${id.session_name}`,
      ).flatMap(toSession),
    }),
    listTargets: () => service.targets,
    targetAdd: async ({ name, ssh_target }) => {
      const target: TargetView = { ...LOCAL_TARGET, target: name, kind: "ssh", connection_ref: ssh_target };
      service.targets = [...service.targets, target];
      return target;
    },
    targetChange: async ({ name, enabled }) => ({ ...findTarget(name), enabled: enabled ?? true }),
    targetConnect: async ({ name }) => findTarget(name),
    targetRemove: async ({ name, isConfirmed }) => {
      findTarget(name);
      if (!isConfirmed) throw new AgtmuxError("E_CONFIRMATION_REQUIRED", `target remove forgets '${name}'`);
      service.targets = service.targets.filter(({ target }) => target !== name);
    },
    feed,
    notices: async function* () {},
    lookNow: async () => {},
    explain: async (ref) => ({
      schema_version: SCHEMA_VERSION,
      generated_at: NOW,
      pane: find(ref),
      rule: "the newest evidence of the turn",
      evidence: [
        {
          source: "hook",
          event_type: "UserPromptSubmit",
          lane: "turn",
          state: "running",
          reason_code: "thinking",
          confidence: "high",
          at: NOW,
          outcome: "won",
          rule: "the newest boundary",
          matched: null,
        },
      ],
      screen: {
        state: "running",
        reason_code: "thinking",
        matched: "esc to interrupt",
        lines: [
          { row: 22, text: "❯", is_match: false },
          { row: 24, text: "  esc to interrupt", is_match: true },
        ],
      },
      timeline: [
        {
          state_version: 1,
          at: NOW,
          state: "running",
          reason_code: "thinking",
          duration_ms: 1_000,
          action_id: null,
        },
      ],
    }),
    prepareAttach: async (input) => {
      const pane = find(input.ref);
      const { ifState } = input.guards;
      if (ifState !== null && ifState !== pane.state)
        throw new AgtmuxError("E_STALE_SNAPSHOT", `the pane is ${pane.state}, not ${ifState}`);
      record("attach", input);
      return {
        snapshotId: "snap1",
        paneRef: pane.identity.pane_ref,
        argv: service.attachArgv,
        mode: "attach",
        existingClient: null,
      };
    },
    openAttach: async () => {
      throw new AgtmuxError("E_UNSUPPORTED", "this daemon has no terminal to open");
    },
    dismiss: async (input) => {
      const pane = find(input.ref);
      record("dismiss", input);
      return { paneRef: pane.identity.pane_ref };
    },
    viewOutput: async (input) => {
      const pane = find(input.ref);
      record("view-output", input);
      return {
        schema_version: SCHEMA_VERSION,
        generated_at: NOW,
        pane_ref: pane.identity.pane_ref,
        runtime_id: pane.identity.runtime_id,
        snapshot_id: "snap1",
        has_ansi: input.ansi,
        is_alternate: true,
        source: input.source ?? "screen",
        transcript_offered: input.source !== "transcript",
        cut: "none",
        lines: ["first", "last"],
      };
    },
    send: async (input) => answer("send", input, find(input.ref)),
    answer: async (input) => {
      const pane = find(input.ref);
      if (input.guards.ifPrompt === null)
        throw new AgtmuxError("E_PROMPT_UNCONFIRMED", "an answer must name the prompt that it is for");
      return answer("answer", input, pane);
    },
    interrupt: async (input) => answer("interrupt", input, find(input.ref)),
    kill: async (input) => {
      const pane = find(input.ref);
      if (!input.isConfirmed)
        throw new AgtmuxError("E_CONFIRMATION_REQUIRED", `kill sends ${input.signal} to process 42`);
      return answer("kill", input, pane);
    },
    listAudit: () => ({
      schema_version: SCHEMA_VERSION,
      generated_at: NOW,
      items: [
        {
          action_id: "act1",
          at: NOW,
          surface: "cli",
          action: "send",
          ref: "runtime:rt1",
          runtime_id: "rt1",
          snapshot_id: "snap1",
          outcome: "delivered",
          prompt_fingerprint: null,
          text_length: 5,
          followed_by: [
            { kind: "event", at: NOW, state_version: null, what: "UserPromptSubmit", why: "hook" },
            { kind: "transition", at: NOW, state_version: 7, what: "running", why: "thinking" },
          ],
        },
      ],
    }),
    adapters: () => ({
      schema_version: SCHEMA_VERSION,
      generated_at: NOW,
      contract_version: "1.0",
      items: [
        {
          agent_type: "one",
          display_name: "Agent One",
          version: "1.2.3",
          enabled: true,
          source: "built-in",
          files: [],
          recorded_versions: ["7.0"],
          verified: true,
          has_integration: true,
          capabilities: { event_driven: true, polling_required: true, supports_completed: true },
        },
        {
          agent_type: "two",
          display_name: "Agent Two",
          version: "1.0.0",
          enabled: false,
          source: "file",
          files: ["two.json"],
          recorded_versions: [],
          verified: false,
          has_integration: false,
          capabilities: { event_driven: false, polling_required: true, supports_completed: false },
        },
      ],
      problems: options.adapterProblems ?? [],
      disabled_unknown: ["gone"],
    }),
    adapterCheck: ({ name, text }) => ({
      schema_version: SCHEMA_VERSION,
      agent_type: text.includes("bad") ? null : "two",
      problems: text.includes("bad")
        ? [{ file: name, line: 3, path: "screens.0.pattern", message: "it is bad" }]
        : [],
    }),
    sshAliases: async () => ({ aliases: [], problems: [] }),
    configGet: () => ({
      path: "config.json",
      problem: null,
      values: settingsOf(DEFAULT_CONFIG),
      defaults: settingsOf(DEFAULT_CONFIG),
    }),
    configSet: async ({ key }) => {
      throw new AgtmuxError("E_USAGE", `'${key}' cannot be set from here`);
    },
    integrationList: async () => [],
    adapterSwitch: async ({ agent, enabled }) => {
      if (agent !== "one")
        throw new AgtmuxError("E_USAGE", `there is no agent '${agent}'`, { remedy: "There is one." });
      return { schema_version: SCHEMA_VERSION, agent_type: agent, enabled, changed: !enabled };
    },
    adapterTry: async ({ ref, file }) => ({
      schema_version: SCHEMA_VERSION,
      generated_at: NOW,
      pane_ref: find(ref).identity.pane_ref,
      title: "a title",
      line_count: 24,
      agent: "one",
      trials: [
        {
          agent_type: file === null ? "one" : "two",
          source: file === null ? "built-in" : "file",
          identifies: { pid: 42, sign: 'process name "one"', confidence: "high" },
          matches: [
            {
              rule: "screens.0",
              state: "waiting_approval",
              reason_code: "permission_tool",
              confidence: "medium",
              matched: "Run it?",
              request: null,
            },
          ],
        },
        { agent_type: "three", source: "built-in", identifies: null, matches: [] },
      ],
    }),
    integrationChange: async (input) => {
      record("integrationChange", input);
      return {
        agent: input.agent,
        changes: [{ path: "/home/me/.agent/settings.json", diff: "+ agtmux" }],
        applied: !input.dryRun,
        backups: input.dryRun ? [] : ["/home/me/.agent/settings.json.agtmux-backup"],
      };
    },
    integrationVerify: async (input) => ({
      agent: input.agent,
      entriesPresent: true,
      missing: [],
      problems: [],
      deliveryWorks: true,
      deliveryDetail: "a test event arrived in 12 ms",
      lastRealEventAt: null,
    }),
    doctor: async () => ({ findings: [] }),
  };
  return service;
};

// `agtmux target add|connect|set|enable|disable|remove|list`: the machines that are watched, and how each is reached. The daemon
// connects to them. A connection is described in the same words after adding it, after connecting it and in the list.
import type { TargetView } from "../../core/model/view.ts";
import { formatAge } from "../../core/model/words.ts";
import { cleanLine } from "../render/clean.ts";
import { plural, countBy } from "../render/mark.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type {
  TargetAddedDocument,
  TargetDocument,
  TargetRemovedDocument,
  TargetListDocument,
} from "../../core/model/documents.ts";
import {
  callDaemon,
  withDaemon,
  type CliContext,
  type DaemonClient,
  refreshWorkTrees,
} from "../command/context.ts";
import { toFailure, printDocument } from "../command/document.ts";
import { parseSshTarget, parseTmuxPath, parseTransport } from "../parse/values.ts";
import { uncommittedText } from "../../core/model/workspace.ts";
import { ask, leaveUndone } from "../command/ask.ts";
import { measureFor, type Paint, type Cell, type Column, renderTable } from "../render/table.ts";

/** The tmux servers, separated by semicolons; empty while the target is down. */
export const describeServers = ({ health, servers }: TargetView): string =>
  (health === "down" ? [] : servers)
    .map(({ tmux_server, status, mode, problem, pane_count }) => {
      if (status === "no_server") return `${tmux_server}: not running`;
      if (status === "error") return `${tmux_server}: ${cleanLine(problem ?? "error")}`;
      return `${tmux_server}: ${plural(pane_count, "pane")}, ${mode}`;
    })
    .join("; ");

/** `ssh2, 1.3 ms`; empty for this machine and without a connection. */
export const describeLink = ({ transport, rtt_ms }: TargetView): string =>
  transport === null || rtt_ms === null ? "" : `${transport}, ${rtt_ms} ms`;

const describeNext = (inMs: number): string =>
  inMs < 1_000 ? "next attempt at once" : `next attempt in ${formatAge(inMs)}`;

/** What is wrong, what to do about it and when it is tried again; nothing for a target that is well. */
export const describeTrouble = (target: TargetView, now: number): string[] => {
  const { health_reason, remedy, next_attempt_at } = target;
  if (health_reason === null) return [];
  return [
    cleanLine(health_reason),
    ...(remedy === null ? [] : [cleanLine(remedy)]),
    ...(next_attempt_at === null ? [] : [describeNext(Date.parse(next_attempt_at) - now)]),
  ];
};

/** `connected over ssh2, 1.3 ms: 12 panes (default)`, for a connected target. */
export const describeConnected = (target: TargetView): string => {
  const running = target.servers.filter(({ status }) => status === "ok");
  const count = running.reduce((sum, { pane_count }) => sum + pane_count, 0);
  const panes =
    running.length === 0
      ? "no tmux server runs there yet"
      : `${plural(count, "pane")} (${running.map(({ tmux_server }) => tmux_server).join(", ")})`;
  return `connected over ${describeLink(target)}: ${panes}`;
};

// Add: waits a while for the first connection, because a person wants to know whether it works. The exit status does not depend on
// the connection.

interface TargetAddOptions {
  kind?: string;
  sshTarget?: string;
  transport?: string;
  tmuxPath?: string;
  /** False with `--no-wait`. */
  wait?: boolean;
  json?: boolean;
}

/** Longer than an attempt may take: connecting, a slow login shell, and the first listing of tmux. */
const WAIT_MS = 30_000;

interface Attempt {
  /** Null: the attempt was not awaited, or it still runs. */
  failure: AgtmuxError | null;
  isOver: boolean;
}

const waitForFirst = async (client: DaemonClient, name: string): Promise<Attempt> => {
  const limit = AbortSignal.timeout(WAIT_MS);
  try {
    await client.call((api) => api.targetConnect.mutate({ name }, { signal: limit }));
    return { failure: null, isOver: true };
  } catch (error) {
    return limit.aborted ? { failure: null, isOver: false } : { failure: toFailure(error), isOver: true };
  }
};

const describe = (target: TargetView, { failure, isOver }: Attempt): string[] => {
  const name = cleanLine(target.target);
  if (failure !== null)
    return [
      `${name} was added, but is not connected: ${cleanLine(failure.message)}`,
      cleanLine(failure.remedy),
      ...failure.details.map((detail) => `  ${cleanLine(detail)}`),
      `agtmux goes on trying; 'agtmux target connect ${name}' tries now.`,
    ];
  if (!isOver) return [`${name} was added; see 'agtmux target list' for how connecting goes.`];
  const reason = target.health_reason === null ? [] : [cleanLine(target.health_reason)];
  return [
    `${name} was added and is ${describeConnected(target)}.`,
    ...reason,
    `For exact states install hooks there: 'agtmux integrate <agent> --target ${name}'.`,
  ];
};

/** There is one local target, which always exists, so there is nothing to add (docs/adr/0015). */
const addLocal = async (context: CliContext, name: string, options: TargetAddOptions): Promise<void> => {
  if (name !== HOST_TARGET)
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `there is one local target, '${HOST_TARGET}', which is this machine and always watched`,
      {
        remedy:
          'For other tmux servers of this machine set "tmux_servers" in config.json; for another machine use --kind ssh.',
      },
    );
  if (options.sshTarget !== undefined || options.transport !== undefined || options.tmuxPath !== undefined)
    throw new AgtmuxError("E_USAGE", "a local target has no SSH settings", {
      remedy: 'Leave them out; "tmux_path" in config.json says where tmux is on this machine.',
    });
  await withDaemon(context, async (client) => {
    const all = await client.call((api) => api.targets.query());
    const item = all.find(({ target }) => target === HOST_TARGET);
    if (item === undefined)
      throw new AgtmuxError("E_TARGET_UNKNOWN", "the daemon does not list this machine");
    if (options.json === true) printDocument<TargetAddedDocument>(context, { item, problem: null });
    else context.print(`${HOST_TARGET} is this machine and is watched already.\n`);
  });
};

export const runTargetAdd = async (
  context: CliContext,
  name: string,
  options: TargetAddOptions,
): Promise<void> => {
  const { kind = "ssh" } = options;
  if (kind === "local") return addLocal(context, name, options);
  if (kind !== "ssh")
    throw new AgtmuxError("E_USAGE", `--kind: unknown value '${kind}'`, {
      remedy: "Kinds are ssh and local.",
    });
  const input = {
    name,
    sshTarget: parseSshTarget(options.sshTarget ?? name),
    transport: parseTransport(options.transport),
    tmuxPath: parseTmuxPath(options.tmuxPath),
  };
  await withDaemon(context, async (client) => {
    const added = await client.call((api) => api.targetAdd.mutate(input));
    const attempt: Attempt =
      options.wait === false ? { failure: null, isOver: false } : await waitForFirst(client, name);
    const all = await client.call((api) => api.targets.query());
    const target = all.find((one) => one.target === name) ?? added;
    if (options.json === true) {
      const { failure } = attempt;
      const problem =
        failure === null
          ? null
          : {
              code: failure.code,
              message: failure.message,
              remedy: failure.remedy,
              details: [...failure.details],
            };
      printDocument<TargetAddedDocument>(context, { item: target, problem });
    } else context.print(`${describe(target, attempt).join("\n")}\n`);
  });
};

// Changes of an existing target: connect, set, enable, disable, remove.

interface Answer {
  json?: boolean;
}

const print = (context: CliContext, target: TargetView, options: Answer, lines: readonly string[]): void => {
  if (options.json === true) printDocument<TargetDocument>(context, { item: target });
  else context.print(`${lines.join("\n")}\n`);
};

/** Makes one attempt now. Fails with the reason why the target is not connected: E_TARGET_UNREACHABLE, _HOST_KEY, _AUTH. */
export const runTargetConnect = async (context: CliContext, name: string, options: Answer): Promise<void> => {
  const target = await callDaemon(context, (api) => api.targetConnect.mutate({ name }));
  print(context, target, options, [
    `${cleanLine(target.target)} is ${describeConnected(target)}.`,
    ...describeTrouble(target, context.now()),
  ]);
};

/** A disabled target stays in the configuration and in the list, and nothing connects to it. */
export const runTargetSwitch = async (
  context: CliContext,
  name: string,
  isEnabled: boolean,
  options: Answer,
): Promise<void> => {
  const target = await callDaemon(context, (api) => api.targetChange.mutate({ name, enabled: isEnabled }));
  const shown = cleanLine(target.target);
  print(context, target, options, [
    isEnabled
      ? `${shown} is enabled; 'agtmux target list' shows how connecting goes.`
      : `${shown} is disabled: nothing connects to it until 'agtmux target enable ${shown}'.`,
  ]);
};

/** Fails with E_USAGE when no setting is given. */
export const runTargetSet = async (
  context: CliContext,
  name: string,
  options: Answer & {
    transport?: string;
    tmuxPath?: string;
  },
): Promise<void> => {
  const transport = parseTransport(options.transport);
  const tmuxPath = parseTmuxPath(options.tmuxPath);
  if (transport === undefined && tmuxPath === undefined)
    throw new AgtmuxError("E_USAGE", "target set needs something to set", {
      remedy: "Give --transport or --tmux-path.",
    });
  const target = await callDaemon(context, (api) => api.targetChange.mutate({ name, transport, tmuxPath }));
  print(context, target, options, [
    `${cleanLine(target.target)} was changed; 'agtmux target list' shows how connecting goes.`,
  ]);
};

/** What is not committed on the machine, a line for each worktree. */
const uncommittedLines = async (client: DaemonClient, name: string): Promise<string[]> => {
  await refreshWorkTrees(client, {});
  const { items } = await client.call((api) => api.panes.query({ target: name }));
  const places = items.map(({ workspace, activity }) =>
    uncommittedText(workspace, activity?.work_tree ?? activity?.folder ?? "its folder"),
  );
  return [...new Set(places)].filter((place) => place !== "").map((place) => `! ${cleanLine(place)}`);
};

/** Forgets a machine, after asking. Resolves with the exit status; if the person did not agree, with that of `leaveUndone`. */
export const runTargetRemove = async (
  context: CliContext,
  name: string,
  options: Answer & {
    yes?: boolean;
  },
): Promise<number> => {
  const shown = cleanLine(name);
  const asJson = options.json === true;
  const canAsk = options.yes !== true && context.stdin.isTTY && context.stdout.isTTY && !asJson;
  return withDaemon(context, async (client) => {
    if (canAsk) {
      context.print(
        `Hooks that were installed on ${shown} stay there: take them out first with 'agtmux integrate <agent> --target ${shown} --uninstall'.\n`,
      );
      for (const line of await uncommittedLines(client, name)) context.print(`${line}\n`);
      const answer = await ask(`Forget ${shown} and its panes? [y/N] `, context);
      if (answer !== true) return leaveUndone(context, answer !== null);
    }
    // Without a terminal and without --yes the daemon refuses, and says what would have happened.
    const isConfirmed = options.yes === true || canAsk;
    await client.call((api) => api.targetRemove.mutate({ name, isConfirmed }));
    if (asJson) printDocument<TargetRemovedDocument>(context, { removed: name });
    else context.print(`${shown} was removed.\n`);
    return 0;
  });
};

// List: one row for each target, and below it what is wrong.

const COLUMNS: readonly Column[] = [
  { title: "TARGET", min: 6 },
  { title: "KIND", min: null },
  { title: "HEALTH", min: null },
  { title: "VIA", min: null },
  { title: "SEEN", min: null, align: "right" },
  { title: "TMUX SERVERS", min: 12 },
];

const healthCell = (target: TargetView, paint: Paint): Cell => {
  switch (target.health) {
    case "ok":
      return { text: "ok", paint: (text) => paint("green", text) };
    case "degraded":
      return { text: "degraded", paint: (text) => paint("yellow", text) };
    case "down":
      return { text: "down", paint: (text) => paint("red", text) };
  }
};

const toRow = (target: TargetView, context: CliContext): Cell[] => [
  { text: cleanLine(target.target) },
  { text: target.kind },
  healthCell(target, context.paint),
  { text: describeLink(target) },
  {
    text: target.last_seen_at === null ? "never" : formatAge(context.now() - Date.parse(target.last_seen_at)),
  },
  { text: describeServers(target) },
];

export const runTargetList = async (context: CliContext, options: { json?: boolean }): Promise<void> => {
  const targets = await callDaemon(context, (api) => api.targets.query());
  if (options.json === true) {
    printDocument<TargetListDocument>(context, {
      filters: {},
      summary: { total: targets.length, by_health: countBy(targets, ({ health }) => health) },
      items: targets.map((target) => ({ identity: { target: target.target }, ...target })),
    });
    return;
  }
  const troubles = targets.map((target) => describeTrouble(target, context.now()).map((line) => `  ${line}`));
  const rows = targets.map((target) => toRow(target, context));
  const lines = renderTable(COLUMNS, rows, {
    width: context.width,
    paint: context.paint,
    measure: await measureFor(targets),
    below: (index) => troubles[index] ?? [],
  });
  context.print(`${lines.join("\n")}\n`);
};

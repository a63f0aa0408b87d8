// Attaching: the plan, which is the command that a terminal becomes to show one pane (`buildAttachPlan`), and carrying it out
// (`showPlan`). A plan names everything by tmux's own ids, in one command list that either lands on exactly that pane or does
// nothing. Who is attached is the only question that it asks tmux.
import type { RuntimeEntry } from "../ingest/liveState.ts";
import type { Account, ServerInstance, Pane, PaneKey } from "../model/runtime.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { AttachPlan, ExistingClient } from "../model/action.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { VerifiedAction } from "./prepare.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import type { TmuxCalls } from "../tmux/tmuxCalls.ts";
import { listTmuxClients } from "./attention.ts";
import { openingCommand } from "./background.ts";
import type { ConnectedTarget, ConnectedTargets } from "../connections/connectedTarget.ts";
import { backgroundIdOf } from "../model/shortRef.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";

/** `$TMUX` of a process inside tmux: socket path, server pid, number of the session it was started in. */
interface InsideTmux {
  socketPath: string;
  serverPid: number;
  sessionId: string;
}

/** Null for anything that tmux would not have written. The path may hold commas. */
export const parseInsideTmux = (text: string | null): InsideTmux | null => {
  const match = /^(\/.+),(\d+),(\d+)$/s.exec(text ?? "");
  return match === null
    ? null
    : { socketPath: match[1] ?? "", serverPid: Number(match[2]), sessionId: `$${match[3]}` };
};

const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** By pid and file name: the same socket has several paths where /tmp is a symlink. */
export const isSameServer = (inside: InsideTmux, server: ServerInstance): boolean =>
  inside.serverPid === server.pid && fileName(inside.socketPath) === fileName(server.socketPath);

/**
 * The terminal that the person sits at: the plain one that was used last, those in the caller's own session first. tmux's own
 * choice may fall on a control client, which would be moved in its place. Where only a native client shows the caller's session,
 * the caller sits in one of its windows.
 */
const chooseCaller = (clients: readonly TmuxClient[], sessionId: string): TmuxClient => {
  const inSession = clients.filter((client) => client.sessionId === sessionId);
  const caller =
    inSession.find(({ isNative }) => !isNative) ?? inSession[0] ?? clients.find(({ isNative }) => !isNative);
  if (caller !== undefined) return caller;
  throw new AgtmuxError(
    "E_UNSUPPORTED",
    "Switching to the pane: no terminal is attached to this tmux server.",
    { remedy: "Run the command in a terminal outside of tmux." },
  );
};

/** The pane as reached through one session in which it is shown. */
const pathsIn = (sessionId: string, pane: Pane): { windowPath: string; panePath: string } => ({
  windowPath: `${sessionId}:${pane.windowId}`,
  panePath: `${sessionId}:${pane.windowId}.${pane.paneId}`,
});

const toWords = (commands: readonly (readonly string[])[]): string[] =>
  commands.flatMap((command, index) => (index === 0 ? [...command] : [";", ...command]));

/** The client's session comes to show the pane; nothing happens when the pane is no longer there. */
const focusIn = (client: TmuxClient, pane: Pane): string[] => {
  const { windowPath, panePath } = pathsIn(client.sessionId, pane);
  if (!client.isNative) return ["switch-client", "-c", client.tty, "-t", panePath];
  return toWords([
    ["has-session", "-t", panePath],
    ["select-window", "-t", windowPath],
    ["select-pane", "-t", panePath],
  ]);
};

/**
 * Of the clients that show one of the pane's sessions: a native one first, because no other may be opened beside it; a plain one in
 * the session that stands for the pane before one in another session of its group. A read-only one is no place to answer an agent.
 */
const chooseShowing = (clients: readonly TmuxClient[], pane: Pane): TmuxClient | null => {
  const sessions = [pane.sessionId, ...pane.alsoIn.map(({ sessionId }) => sessionId)];
  const showing = clients.filter((one) => !one.isReadOnly && sessions.includes(one.sessionId));
  return (
    showing.find(({ isNative }) => isNative) ??
    showing.find(({ sessionId }) => sessionId === pane.sessionId) ??
    showing[0] ??
    null
  );
};

interface AttachInput {
  action: VerifiedAction;
  /** The pane's row in the topology, as of now. */
  pane: Pane;
  /** Null: the server is known by its socket only, so the caller cannot be inside it. */
  server: ServerInstance | null;
  kind: TargetExecutor["kind"];
  tmux: TmuxCalls;
  /** The caller's `$TMUX`, or null. */
  insideTmux: string | null;
  /** The caller can bring a terminal that shows the pane already to the front, by its tty. */
  mayFocus: boolean;
  /** The caller has no terminal of its own: the one on the pane's server that was used last is to show the pane. */
  maySwitch: boolean;
  /** Makes a command of the target one of this machine, for a person's terminal. */
  toTerminal: (argv: readonly string[]) => string[];
}

/**
 * Outside of the pane's server: attach to the session that stands for the pane, then select window and pane in it. A first
 * `has-session` on the full path stops the list before anything moves when the pane is no longer there. The window is selected
 * within that session only, so clients of other sessions of a group stay where they are; clients of the same session follow,
 * because tmux keeps the current window per session.
 * Where a terminal shows the session natively (iTerm2's `-CC`), a second client would resize its windows: there the pane is
 * selected, and the terminal brings its own tab to the front. With `mayFocus` the same goes for a plain terminal.
 * Inside of it: `switch-client`, which does all that in one command, for the caller's own terminal by name. With `maySwitch` the
 * same for the terminal that was used last.
 * @throws AgtmuxError E_SOCKET_UNSAFE for a server of another user, E_UNSUPPORTED when the caller is inside but no terminal is
 *   attached, or a native one that shows another session.
 */
export const buildAttachPlan = async (input: AttachInput): Promise<AttachPlan> => {
  const { action, pane, kind, tmux } = input;
  const { snapshot, subject } = action;
  if (
    pane.targetId !== snapshot.targetId ||
    pane.server !== snapshot.server ||
    pane.paneId !== snapshot.paneId
  ) {
    throw new Error(`buildAttachPlan: ${pane.paneId} is not the pane of snapshot ${snapshot.snapshotId}`);
  }
  const { windowPath, panePath } = pathsIn(pane.sessionId, pane);
  const common = { snapshotId: snapshot.snapshotId, paneRef: subject.paneRef, existingClient: null };
  // Terminals of another machine cannot be brought to the front from here.
  const clients = kind === "local" ? await listTmuxClients(tmux) : [];
  const showing = chooseShowing(clients, pane);
  const focus = async (client: TmuxClient): Promise<AttachPlan> => ({
    ...common,
    mode: "focus_client",
    argv: await tmux.forTerminal(focusIn(client, pane)),
    existingClient: { tty: client.tty, isNative: client.isNative },
  });

  const inside = parseInsideTmux(input.insideTmux);
  if (inside !== null && input.server !== null && kind === "local" && isSameServer(inside, input.server)) {
    const caller = chooseCaller(clients, inside.sessionId);
    if (!caller.isNative)
      return {
        ...common,
        mode: "switch_client",
        argv: await tmux.forTerminal(["switch-client", "-c", caller.tty, "-t", panePath]),
      };
    if (showing?.isNative === true) return focus(showing);
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `Going to ${subject.paneRef}: this terminal shows another session, natively`,
      {
        remedy: "Open that session in the terminal's own list of tmux sessions, or run this outside of tmux.",
      },
    );
  }
  if (showing !== null && (showing.isNative || input.mayFocus)) return focus(showing);
  const last = input.maySwitch ? clients.find((one) => !one.isNative && !one.isReadOnly) : undefined;
  if (last !== undefined)
    return {
      ...common,
      mode: "switch_client",
      argv: await tmux.forTerminal(["switch-client", "-c", last.tty, "-t", panePath]),
      existingClient: { tty: last.tty, isNative: false },
    };
  return {
    ...common,
    mode: "attach",
    ...(kind === "local"
      ? {
          look: {
            argv: await tmux.forTerminal(["list-clients", "-F", "#{client_pid} #{pane_id}"]),
            paneId: pane.paneId,
          },
        }
      : {}),
    argv: input.toTerminal(
      await tmux.forTerminal(
        toWords([
          ["has-session", "-t", panePath],
          ["attach-session", "-t", pane.sessionId],
          ["select-window", "-t", windowPath],
          ["select-pane", "-t", panePath],
        ]),
      ),
    ),
  };
};

// A session that no pane shows.

/**
 * For a caller inside a tmux server of this machine: a new window of its session. With `maySwitch` a new window of the session that
 * was used last on any of them. Else the command of a terminal.
 */
const planBackgroundAttach = async (input: {
  action: VerifiedAction;
  id: string;
  adapter: AgentAdapter | null;
  account: Account | null;
  cwd: string | null;
  connected: ConnectedTarget;
  instanceOf: (server: string) => ServerInstance | null;
  insideTmux: string | null;
  maySwitch: boolean;
}): Promise<AttachPlan> => {
  const { action, id, connected, instanceOf } = input;
  const { subject, snapshot } = action;
  const command = await openingCommand({ ...input, paneRef: subject.paneRef });
  const common = { snapshotId: snapshot.snapshotId, paneRef: subject.paneRef };
  const inWindow = async (server: string, sessionId: string): Promise<string[] | undefined> =>
    connected
      .tmuxOf(server)
      ?.forTerminal(["new-window", "-t", `${sessionId}:`, "-n", `bg-${id}`, ...command]);

  const inside = parseInsideTmux(input.insideTmux);
  if (connected.executor.kind === "local")
    for (const { server } of connected.servers) {
      const instance = instanceOf(server);
      if (inside === null || instance === null || !isSameServer(inside, instance)) continue;
      const argv = await inWindow(server, inside.sessionId);
      if (argv !== undefined) return { ...common, mode: "switch_client", argv, existingClient: null };
    }
  if (input.maySwitch && connected.executor.kind === "local")
    for (const { server } of connected.servers) {
      const tmux = instanceOf(server) === null ? null : connected.tmuxOf(server);
      const clients = tmux === null ? [] : await listTmuxClients(tmux);
      const last = clients.find((one) => !one.isNative && !one.isReadOnly);
      const argv = last === undefined ? undefined : await inWindow(server, last.sessionId);
      if (last !== undefined && argv !== undefined)
        return {
          ...common,
          mode: "switch_client",
          argv,
          existingClient: { tty: last.tty, isNative: false },
        };
    }
  return { ...common, mode: "attach", argv: connected.toTerminal(command), existingClient: null };
};

/** As `AttachInput` describes them. */
type AttachCaller = Pick<AttachInput, "insideTmux" | "mayFocus" | "maySwitch">;
type PlanAttach = (action: VerifiedAction, caller: AttachCaller) => Promise<AttachPlan>;

/** Finds what a plan needs of the daemon: the pane's row, its server, and tmux. */
export const createAttachBuilder =
  ({
    connectedTargets,
    paneOf,
    instanceOf,
    agentOf,
  }: {
    connectedTargets: ConnectedTargets;
    /** That the action is about; undefined where it has none. */
    agentOf: (action: VerifiedAction) => Pick<RuntimeEntry, "adapter" | "account" | "cwd"> | undefined;
    paneOf: (key: PaneKey) => Pane | undefined;
    instanceOf: (targetId: string, server: string) => ServerInstance | null;
  }): PlanAttach =>
  async (action, caller) => {
    const { key, paneRef } = action.subject;
    const connected = connectedTargets.get(key.targetId);
    const { executor, tmuxOf, toTerminal } = connected;
    const id = backgroundIdOf(key.paneId);
    if (id !== null) {
      const { adapter = null, account = null, cwd = null } = agentOf(action) ?? {};
      return planBackgroundAttach({
        ...caller,
        action,
        id,
        adapter,
        account,
        cwd,
        connected,
        instanceOf: (server) => instanceOf(key.targetId, server),
      });
    }
    const pane = paneOf(key);
    const tmux = tmuxOf(key.server);
    if (pane === undefined || tmux === null)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `${paneRef} is no longer there`);
    return buildAttachPlan({
      action,
      pane,
      server: instanceOf(key.targetId, key.server),
      kind: executor.kind,
      tmux,
      toTerminal,
      ...caller,
    });
  };

// Carrying a plan out: the terminal that shows the pane already comes to the front, or a window is opened for it; where there is no
// desktop, the terminal that was used last comes to show it.

export interface DesktopActions {
  /** Runs a short command; resolves with its exit status, null when it was ended. */
  run(argv: readonly string[]): Promise<number | null>;
  /** Null where there is no desktop. */
  openTerminal: ((argv: readonly string[]) => Promise<void>) | null;
  /** Brings the terminal window or tab with this tty to the front; false when it was not found. Null where that is not known. */
  focusTerminal: FocusTerminal | null;
}
export type FocusTerminal = (client: ExistingClient) => Promise<boolean>;

/**
 * `planFor` makes a plan; it is asked again, without focusing, when the terminal that shows the pane could not be brought to
 * the front. Even then no window is opened beside a terminal that shows the pane natively.
 * @throws AgtmuxError E_STALE_SNAPSHOT when the pane went meanwhile, E_UNSUPPORTED where there is no desktop and no terminal
 *   on the pane's tmux server.
 */
export const showPlan = async (
  desktop: DesktopActions,
  planFor: (may: Pick<AttachCaller, "mayFocus" | "maySwitch">) => Promise<AttachPlan>,
): Promise<AttachPlan> => {
  const maySwitch = desktop.openTerminal === null;
  let plan = await planFor({ mayFocus: desktop.focusTerminal !== null, maySwitch });
  if (plan.mode !== "attach" && plan.existingClient !== null) {
    if ((await desktop.run(plan.argv)) !== 0)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `${plan.paneRef} is no longer there`);
    const isInFront = (await desktop.focusTerminal?.(plan.existingClient)) ?? false;
    if (isInFront || plan.existingClient.isNative || plan.mode === "switch_client") return plan;
    plan = await planFor({ mayFocus: false, maySwitch });
  }
  if (desktop.openTerminal === null)
    throw new AgtmuxError("E_UNSUPPORTED", "this machine can't open terminal windows", {
      remedy: `Run 'agtmux attach ${plan.paneRef}' in a terminal.`,
    });
  await desktop.openTerminal(plan.argv);
  return plan;
};

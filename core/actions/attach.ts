// The command that a terminal becomes to show one pane. It names everything by tmux's own ids, in one tmux command list
// that either lands on exactly that pane or does nothing. Who is attached is the only question it asks tmux.
import { AgtmuxError } from "../model/errors.ts";
import type { Pane, ServerInstance } from "../model/runtime.ts";
import type { AttachPlan } from "../model/snapshot.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { isSameServer, parseInsideTmux } from "./insideTmux.ts";
import type { VerifiedAction } from "./prepare.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import type { TmuxCalls } from "../tmux/tmuxCalls.ts";
import { listTmuxClients } from "./tmuxClients.ts";

/**
 * The terminal that the person sits at: of the plain ones the one that was used last, those in the caller's own session
 * first. tmux's own choice may fall on a control client, which would be moved in its place. Where only
 * a native client shows the caller's session, the caller sits in one of its windows.
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
 * Of the clients that show one of the pane's sessions: a native one first, because no other may be opened beside it; a plain
 * one in the session that stands for the pane before one in another session of its group. One that may only look is no place to
 * answer an agent.
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

export interface AttachInput {
  action: VerifiedAction;
  /** The pane's row in the topology, as of now. */
  pane: Pane;
  /** Null: the server is known by its socket only, so the caller cannot be inside it. */
  server: ServerInstance | null;
  kind: TargetExecutor["kind"];
  tmux: Pick<TmuxCalls, "run" | "forTerminal">;
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
 * `has-session` on the full path stops the list before anything moves when the pane is no longer there. The window is
 * selected within that session only, so clients of other sessions of a group stay where they are; clients of the same
 * session follow, because tmux keeps the current window per session.
 * Where a terminal shows the session natively (iTerm2's `-CC`), a second client would resize its windows: there the pane is
 * selected, and the terminal brings its own tab to the front. With `mayFocus` the same goes for a plain terminal.
 * Inside of it: `switch-client`, which does all that in one command, for the caller's own terminal by name. With `maySwitch` the
 * same for the terminal that was used last.
 * @throws AgtmuxError E_SOCKET_UNSAFE for a server of another user, E_UNSUPPORTED when the caller is inside but no terminal is attached, or a native one that shows
 *   another session.
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

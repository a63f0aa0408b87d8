// The command that a terminal becomes to show one pane. It names everything by tmux's own ids, in one tmux command list
// that either lands on exactly that pane or does nothing. Finding the caller's client is the only question it asks tmux.
import { AgtmuxError } from "../model/errors.ts";
import type { Pane, ServerInstance } from "../model/runtime.ts";
import type { AttachPlan } from "../model/snapshot.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { VerifiedAction } from "./prepare.ts";

const LIST_CLIENTS_TIMEOUT_MS = 2_000;
/** Nothing in it can hold a space: a number, an id, a device path. A control client has no device. */
const CLIENT_FORMAT = "#{client_control_mode} #{client_activity} #{session_id} #{client_tty}";

/** `$TMUX` of a process inside tmux: socket path, server pid, number of the session it was started in. */
interface InsideTmux {
  socketPath: string;
  serverPid: number;
  sessionId: string;
}

/** Null for anything that tmux would not have written. The path may hold commas. */
const parseInsideTmux = (text: string | null): InsideTmux | null => {
  const match = /^(\/.+),(\d+),(\d+)$/s.exec(text ?? "");
  return match === null
    ? null
    : { socketPath: match[1] ?? "", serverPid: Number(match[2]), sessionId: `$${match[3]}` };
};

const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** By pid and file name: the same socket has several paths where /tmp is a symlink. */
const isSameServer = (inside: InsideTmux, server: ServerInstance): boolean =>
  inside.serverPid === server.pid && fileName(inside.socketPath) === fileName(server.socketPath);

interface Client {
  isControl: boolean;
  activeAt: number;
  sessionId: string;
  tty: string;
}

const parseClient = (line: string): Client | null => {
  const match = /^([01]) (\d+) (\$\d+) (\/dev\/[A-Za-z0-9/._-]+)$/.exec(line);
  return match === null
    ? null
    : {
        isControl: match[1] === "1",
        activeAt: Number(match[2]),
        sessionId: match[3] ?? "",
        tty: match[4] ?? "",
      };
};

/**
 * The terminal that the person sits at: of the real clients the one that was used last, those in the caller's own session
 * first. tmux's own choice may fall on a control client (ours, just attached), which would be moved in its place.
 */
const chooseClient = (clients: readonly Client[], sessionId: string): Client | null => {
  const inSession = clients.filter((client) => client.sessionId === sessionId);
  const candidates = inSession.length > 0 ? inSession : clients;
  return candidates.toSorted((a, b) => b.activeAt - a.activeAt)[0] ?? null;
};

const findCallerTty = async (
  executor: Pick<TargetExecutor, "run">,
  tmux: readonly string[],
  inside: InsideTmux,
): Promise<string> => {
  const { stdout } = await executor.run([...tmux, "list-clients", "-F", CLIENT_FORMAT], {
    timeoutMs: LIST_CLIENTS_TIMEOUT_MS,
  });
  const clients = stdout
    .split("\n")
    .map(parseClient)
    .filter((client): client is Client => client !== null && !client.isControl);
  const client = chooseClient(clients, inside.sessionId);
  if (client === null) {
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      "Switching to the pane: no terminal is attached to this tmux server.",
      {
        remedy: "Run the command in a terminal outside of tmux.",
      },
    );
  }
  return client.tty;
};

export interface AttachInput {
  action: VerifiedAction;
  /** The pane's row in the topology, as of now. */
  pane: Pane;
  /** Null: the server is known by its socket only, so the caller cannot be inside it. */
  server: ServerInstance | null;
  executor: Pick<TargetExecutor, "run" | "kind">;
  tmuxPath: string;
  /** `-L name` or `-S path` as arguments. */
  socketArgs: readonly string[];
  /** The caller's `$TMUX`, or null. */
  insideTmux: string | null;
}

/**
 * Outside of the pane's server: attach to the session that stands for the pane, then select window and pane in it. A first
 * `has-session` on the full path stops the list before anything moves when the pane is no longer there. The window is
 * selected within that session only, so clients of other sessions of a group stay where they are; clients of the same
 * session follow, because tmux keeps the current window per session.
 * Inside of it: `switch-client`, which does all that in one command, for the caller's own terminal by name.
 * @throws AgtmuxError E_UNSUPPORTED when the caller is inside but no terminal is attached.
 */
export const buildAttachPlan = async (input: AttachInput): Promise<AttachPlan> => {
  const { action, pane, executor, socketArgs } = input;
  const { snapshot, subject } = action;
  if (
    pane.targetId !== snapshot.targetId ||
    pane.server !== snapshot.server ||
    pane.paneId !== snapshot.paneId
  ) {
    throw new Error(`buildAttachPlan: ${pane.paneId} is not the pane of snapshot ${snapshot.snapshotId}`);
  }
  const tmux = [input.tmuxPath, ...socketArgs];
  const windowPath = `${pane.sessionId}:${pane.windowId}`;
  const panePath = `${windowPath}.${pane.paneId}`;
  const common = { snapshotId: snapshot.snapshotId, paneRef: subject.paneRef };

  const inside = parseInsideTmux(input.insideTmux);
  if (
    inside !== null &&
    input.server !== null &&
    executor.kind === "local" &&
    isSameServer(inside, input.server)
  ) {
    const tty = await findCallerTty(executor, tmux, inside);
    return { ...common, mode: "switch_client", argv: [...tmux, "switch-client", "-c", tty, "-t", panePath] };
  }
  const commands = [
    ["has-session", "-t", panePath],
    ["attach-session", "-t", pane.sessionId],
    ["select-window", "-t", windowPath],
    ["select-pane", "-t", panePath],
  ];
  return {
    ...common,
    mode: "attach",
    argv: [...tmux, ...commands.flatMap((command, index) => (index === 0 ? command : [";", ...command]))],
  };
};

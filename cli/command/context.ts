// What a verb may touch: its streams, its environment and a way to the daemon. Passed in, so that a verb has no globals.
import type { SentTo } from "../../core/api/calls.ts";
import type { RuntimePaths } from "../../core/rpc/paths.ts";
import type { CallApi, DaemonClient as ClientOf } from "../../core/rpc/socketClient.ts";
import type { DaemonRouter } from "../../features/index.ts";
import type { WorkspacesCalls } from "../../features/workspaces/calls.ts";
import type { Paint } from "../render/table.ts";

/** Of a daemon with all features. */
export type DaemonClient = ClientOf<DaemonRouter>;
type DaemonApi = CallApi<DaemonRouter>;

export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Folder of the installation, without a final slash. */
  readonly root: string;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  readonly paint: Paint;
  /** Columns that tables have to fit into; null when the output is not a terminal: then nothing is cut. */
  readonly width: number | null;
  /** Epoch ms. */
  readonly now: () => number;
  /** Aborts on Ctrl-C and SIGTERM. The first use of it takes the signals over; without that they end the process at once. */
  readonly signal: AbortSignal;
  /** Fails with E_USAGE when the home's path is too long. */
  paths(): RuntimePaths;
  /** `start` false: connects only to a daemon that already runs. The caller closes the connection. */
  connect(options?: { start?: boolean; checkVersion?: boolean }): Promise<DaemonClient>;
  print(text: string): void;
}

/** Calls back once after `delayMs`; returns a cancel function. */
export const setTimer = (delayMs: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
};

/** Connects, runs `work`, and closes the connection whatever happens. */
export const withDaemon = async <T>(
  context: CliContext,
  work: (client: DaemonClient) => Promise<T>,
): Promise<T> => {
  const client = await context.connect();
  try {
    return await work(client);
  } finally {
    client.close();
  }
};

/** For a verb that asks one thing: `callDaemon(context, (api) => api.panes.query({}))`. */
export const callDaemon = <T>(context: CliContext, run: (api: DaemonApi) => Promise<T>): Promise<T> =>
  withDaemon(context, (client) => client.call(run));

/** The exit status of a verb; undefined means 0. */
export interface Outcome {
  exitCode: number;
}

/** So that the rows that are asked for next say what has changed in their worktrees. What cannot be read says so itself. */
export const refreshWorkTrees = async (
  client: DaemonClient,
  input: SentTo<WorkspacesCalls["look"]>,
): Promise<void> => {
  try {
    await client.call((api) => api.workspaces.look.mutate(input));
  } catch {
    // A daemon without this feature shows its rows without it.
  }
};

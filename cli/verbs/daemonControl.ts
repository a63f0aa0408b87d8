// `agtmux daemon status|stop`: talks to a running daemon of any version; never starts one.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import type { DaemonStatusDocument } from "../../core/model/documents.ts";
import { formatAge } from "../../core/model/words.ts";
import type { CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";
import { printDocument } from "../document.ts";

/** How long a daemon may take to stop. */
const STOP_TIMEOUT_MS = 15_000;

const connectAny = async (context: CliContext): Promise<DaemonClient | null> => {
  try {
    return await context.connect({ start: false, checkVersion: false });
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE") return null;
    throw error;
  }
};

/** Exit status 0 when a daemon runs, that of E_DAEMON_UNAVAILABLE (8) when none does. */
export const runDaemonStatus = async (context: CliContext, options: { json?: boolean }): Promise<number> => {
  const client = await connectAny(context);
  const home = context.paths().home;
  if (client === null) {
    if (options.json !== true)
      throw new AgtmuxError("E_DAEMON_UNAVAILABLE", `no daemon runs for ${home}`, {
        remedy: "It starts with the first command that needs it.",
      });
    printDocument<DaemonStatusDocument>(context, { running: false, home });
    return 8;
  }
  client.close();
  const { hello } = client;
  if (options.json === true) {
    const { pid, version, protocol, host } = hello;
    printDocument<Extract<DaemonStatusDocument, { running: true }>>(context, {
      running: true,
      home,
      pid,
      version,
      protocol,
      host,
      is_on_demand: hello.isOnDemand,
      started_at: new Date(hello.startedAt).toISOString(),
    });
    return 0;
  }
  const kind = hello.host === "app" ? "in the desktop app" : hello.isOnDemand ? "on demand" : "headless";
  const age = formatAge(context.now() - hello.startedAt);
  context.print(
    `Running ${kind} for ${age}: agtmux ${cleanLine(hello.version)}, pid ${hello.pid}, home ${home}\n`,
  );
  return 0;
};

/**
 * Asks it to stop and waits until it gave the home up, so that the next daemon can start. It is not an error if no daemon runs.
 */
export const runDaemonStop = async (context: CliContext): Promise<void> => {
  const client = await connectAny(context);
  if (client === null) {
    context.print("No daemon was running.\n");
    return;
  }
  const { pid, host } = client.hello;
  if (host === "app") {
    client.close();
    throw new AgtmuxError("E_UNSUPPORTED", `the desktop app (pid ${pid}) is the daemon`, {
      remedy: "Quit the app to stop it.",
    });
  }
  try {
    await client.call((api) => api.shutdown.mutate());
  } finally {
    client.close();
  }
  const { untilFree } = await import("../../core/rpc/ownership.ts");
  const { home, log } = context.paths();
  if (!(await untilFree(home, STOP_TIMEOUT_MS)))
    throw new AgtmuxError(
      "E_DAEMON_UNAVAILABLE",
      `the daemon (pid ${pid}) was asked to stop but still runs`,
      { remedy: `See its log, ${log}.` },
    );
  context.print("Stopped.\n");
};

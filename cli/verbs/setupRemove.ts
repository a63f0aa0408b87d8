// `agtmux setup --remove`: takes out again what agtmux put on this machine and its targets. Everything is shown first and asked once;
// what is not ours, or is not as we left it, stays and is named.
import { lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SetupDocument } from "../../core/model/documents.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { RemovalReport } from "../../core/model/integrationView.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { RuntimePaths } from "../../core/rpc/paths.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { ask, leaveUndone } from "../ask.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { changeLines } from "../render/changes.ts";
import { cleanLine } from "../render/clean.ts";

export interface RemoveOptions {
  target?: string;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

interface Plan {
  reports: RemovalReport[];
  /** Files and folders of this machine, beside settings. */
  paths: string[];
  hasLoginItem: boolean;
  /** What is not taken out, and why or how. */
  left: string[];
}

const kindOf = (path: string): "file" | "folder" | null => {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  return stat.isDirectory() ? "folder" : stat.isFile() ? "file" : null;
};

/** Below the prefix of a global installation by npm, which places no completions itself: a script of ours does. */
const COMPLETIONS = [
  "bash-completion/completions/agtmux",
  "zsh/site-functions/_agtmux",
  "fish/vendor_completions.d/agtmux.fish",
];
const completionsOf = (root: string): string[] =>
  COMPLETIONS.map((path) => join(root, "../../../share", path)).filter(
    (path) => kindOf(path) === "file" && readFileSync(path, "utf8").includes("made by 'agtmux completions"),
  );

const eventsIn = (folder: string): number => {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
};

/** The part of the home that hooks use; states, history and settings stay. */
const eventPaths = ({ spool, binDir }: RuntimePaths): string[] =>
  [join(binDir, "agtmux-event"), spool].filter((path) => kindOf(path) !== null);

const targetsOf = async (client: DaemonClient, wanted: string | undefined): Promise<string[]> => {
  if (wanted !== undefined) return [wanted];
  const targets = await client.call((api) => api.targets.query());
  return [HOST_TARGET, ...targets.map(({ target }) => target).filter((name) => name !== HOST_TARGET)];
};

const reportOf = async (client: DaemonClient, target: string, plan: Plan): Promise<void> => {
  try {
    const report = await client.call((api) => api.integrationRemoveAll.mutate({ target, dryRun: true }));
    plan.reports.push(report);
    plan.left.push(
      ...report.refused.map(({ agent, problem }) => `${target}: ${agent} is left alone. ${problem}`),
      ...report.keptBackups.map((path) => `${target}: ${path}, which differs from the settings of now`),
    );
  } catch (error) {
    if (!(error instanceof AgtmuxError) || error.code !== "E_TARGET_UNREACHABLE" || target === HOST_TARGET)
      throw error;
    plan.left.push(`${target} is not connected. When it is, run 'agtmux setup --remove --target ${target}'.`);
  }
};

const makePlan = async (
  client: DaemonClient,
  context: CliContext,
  wanted: string | undefined,
): Promise<Plan> => {
  const plan: Plan = { reports: [], paths: [], hasLoginItem: false, left: [] };
  for (const target of await targetsOf(client, wanted)) await reportOf(client, target, plan);
  if (wanted !== undefined && wanted !== HOST_TARGET) return plan;
  const paths = context.paths();
  const isApp = client.hello.host === "app";
  const login = await client.call((api) => api.loginItemOff.mutate({ dryRun: true }));
  plan.hasLoginItem = login?.wasOn === true;
  plan.paths.push(...completionsOf(context.root));
  const isRefused = plan.reports.some(({ target, refused }) => target === HOST_TARGET && refused.length > 0);
  if (isApp) plan.left.push(`${paths.spool}, which the desktop app uses while it runs`);
  else if (isRefused) plan.left.push(`${paths.spool}, for the hooks that are left`);
  else plan.paths.push(...eventPaths(paths));
  if (!isApp && process.platform === "darwin")
    plan.left.push("the app's login item, if it has one: see System Settings, General, Login Items");
  plan.left.push(`states, history and settings: rm -r ${paths.home}`);
  return plan;
};

const planLines = ({ reports, paths, hasLoginItem }: Plan, context: CliContext): string[] => [
  ...reports.flatMap(({ target, changes }) =>
    changes.length === 0
      ? []
      : [context.paint("bold", `On ${target}:`), "", ...changeLines(changes, context)],
  ),
  ...paths.map((path) => {
    const count = kindOf(path) === "folder" ? eventsIn(join(path, "new")) : 0;
    const events = count === 0 ? "" : ` (${count} ${count === 1 ? "event" : "events"} that nobody took)`;
    return `${cleanLine(path)} is removed${events}.`;
  }),
  ...(hasLoginItem ? ["agtmux no longer starts at login."] : []),
];

const stopDaemon = async (client: DaemonClient, context: CliContext): Promise<void> => {
  await client.call((api) => api.shutdown.mutate());
  const { untilFree } = await import("../../core/rpc/ownership.ts");
  if (!(await untilFree(context.paths().home, 15_000)))
    throw new AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon was asked to stop but still runs", {
      remedy: `See its log, ${context.paths().log}; the hooks are gone already.`,
    });
};

const apply = async (client: DaemonClient, context: CliContext, plan: Plan): Promise<void> => {
  for (const { target, changes } of plan.reports) {
    if (changes.length === 0) continue;
    const now = await client.call((api) => api.integrationRemoveAll.mutate({ target, dryRun: true }));
    if (JSON.stringify(now.changes) !== JSON.stringify(changes))
      throw new AgtmuxError("E_INTEGRATION_REFUSED", `settings on ${target} changed while you were asked`, {
        remedy: "Run the command again.",
      });
    await client.call((api) => api.integrationRemoveAll.mutate({ target, dryRun: false }));
  }
  if (plan.hasLoginItem) await client.call((api) => api.loginItemOff.mutate({ dryRun: false }));
  if (plan.paths.length === 0) return;
  // It makes its spool again whenever it starts.
  if (client.hello.host !== "app") await stopDaemon(client, context);
  for (const path of plan.paths) rmSync(path, { recursive: true, force: true });
  try {
    rmdirSync(context.paths().binDir);
  } catch {
    // Something else is in it, or it is gone.
  }
};

const isEmpty = ({ reports, paths, hasLoginItem }: Plan): boolean =>
  reports.every(({ changes }) => changes.length === 0) && paths.length === 0 && !hasLoginItem;

const remove = async (client: DaemonClient, context: CliContext, options: RemoveOptions): Promise<number> => {
  const plan = await makePlan(client, context, options.target);
  const left = plan.left.map((one) => `  ${cleanLine(one)}`);
  const finish = (applied: boolean, lines: readonly string[]): number => {
    if (options.json === true)
      printDocument<Extract<SetupDocument, { action: "remove" }>>(context, {
        action: "remove",
        targets: plan.reports.map(({ target, changes }) => ({ target, changes })),
        paths: plan.paths,
        login_item: plan.hasLoginItem,
        applied,
        left: plan.left,
      });
    else
      context.print(`${[...lines, ...(left.length === 0 ? [] : ["What is left:", ...left])].join("\n")}\n`);
    return 0;
  };
  if (isEmpty(plan)) return finish(false, ["Nothing of agtmux is installed here."]);
  const shown = planLines(plan, context);
  if (options.dryRun === true) return finish(false, [...shown, "Nothing was changed (--dry-run)."]);
  if (options.yes !== true) {
    if (!context.stdin.isTTY || !context.stdout.isTTY || options.json === true)
      throw new AgtmuxError("E_CONFIRMATION_REQUIRED", "setup --remove changes settings: nobody was asked", {
        remedy: "Look with --dry-run, then repeat with --yes.",
      });
    context.print(`${shown.join("\n")}\n\n`);
    const isWanted = await ask("Take all of this out? [y/N] ", context);
    if (isWanted !== true) return leaveUndone(context, isWanted !== null, "changed");
  }
  await apply(client, context, plan);
  return finish(true, [...(options.yes === true ? shown : []), "agtmux was taken out."]);
};

/** Resolves with the exit status. Fails with E_CONFIRMATION_REQUIRED, E_INTEGRATION_REFUSED or the daemon's error. */
export const runRemove = (context: CliContext, options: RemoveOptions): Promise<number> =>
  withDaemon(context, (client) => remove(client, context, options));

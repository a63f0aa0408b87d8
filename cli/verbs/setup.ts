// `agtmux setup` (the set-up screen in a terminal, for all agents at once), `setup --remove` (takes out what agtmux installed) and
// `agtmux integrate <agent>` (the hooks of one agent). Each shows the changes and asks, unless --yes is given. The daemon changes
// settings; only --remove deletes files itself.
import { type CliContext, callDaemon, withDaemon, type DaemonClient } from "../command/context.ts";
import { changeLines } from "../render/changes.ts";
import { cleanLine } from "../render/clean.ts";
import {
  askNotifiers,
  chooseAll,
  notifiedLines,
  notifierText,
  readNotifier,
  toAskAbout,
  type ChooseNotifier,
} from "./notifiers.ts";
import type { Colour } from "../render/table.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { IntegrationDocument, SetupDocument } from "../../core/model/documents.ts";
import { formatAge } from "../../core/model/words.ts";
import { ask, leaveUndone, askLine } from "../command/ask.ts";
import { printDocument } from "../command/document.ts";
import { lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type {
  RemovalReport,
  SetupAgent,
  SetupLook,
  IntegrationReport,
  IntegrationVerification,
} from "../../core/model/adapterView.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { RuntimePaths } from "../../core/rpc/paths.ts";
import {
  installAll,
  type InstallOutcome,
  setupScreen,
  type SetupMark,
  type SetupScreen,
} from "../../ui/setup/setupScreen.ts";

// Integrate: installs, repairs, verifies or removes our hooks in the settings of one agent.

interface IntegrateOptions {
  target?: string;
  /** One of NOTIFIERS, as typed. */
  notify?: string;
  dryRun?: boolean;
  verify?: boolean;
  uninstall?: boolean;
  repair?: boolean;
  yes?: boolean;
  json?: boolean;
}

const renderVerification = (result: IntegrationVerification, context: CliContext): string[] => {
  const mark = (isGood: boolean) => (isGood ? context.paint("green", "✓") : context.paint("red", "✗"));
  const real =
    result.lastRealEventAt === null
      ? "none yet"
      : `${formatAge(context.now() - Date.parse(result.lastRealEventAt))} ago`;
  return [
    `${mark(result.entriesPresent)} entries ${result.entriesPresent ? "present" : `missing: ${result.missing.map(cleanLine).join(", ") || "all"}`}`,
    ...result.problems.map((problem) => `  ${cleanLine(problem)}`),
    ...result.steps.map(({ what, how }) => `  Still to do: ${cleanLine(what)}. ${cleanLine(how)}`),
    `${mark(result.deliveryWorks)} delivery: ${cleanLine(result.deliveryDetail)}`,
    `${result.lastRealEventAt === null ? "·" : mark(true)} last real event: ${real}`,
  ];
};

const toVerified = (result: IntegrationVerification) => ({
  agent: result.agent,
  action: "verify" as const,
  entries_present: result.entriesPresent,
  missing: result.missing,
  problems: result.problems,
  steps: result.steps,
  delivery_works: result.deliveryWorks,
  delivery_detail: result.deliveryDetail,
  last_real_event_at: result.lastRealEventAt,
});

const verify = async (context: CliContext, agent: string, options: IntegrateOptions): Promise<number> => {
  const result = await callDaemon(context, (api) =>
    api.integrationVerify.mutate({ agent, target: options.target }),
  );
  if (options.json === true)
    printDocument<Extract<IntegrationDocument, { action: "verify" }>>(context, toVerified(result));
  else context.print(`${renderVerification(result, context).join("\n")}\n`);
  return result.entriesPresent && result.deliveryWorks ? 0 : 1;
};

const change = async (context: CliContext, agent: string, options: IntegrateOptions): Promise<number> => {
  const { target } = options;
  const who = readNotifier(options.notify);
  const asked = options.uninstall === true ? "uninstall" : options.repair === true ? "repair" : "install";
  const action = who === undefined ? asked : "notify";
  const print = (report: IntegrationReport, lines: string[]) => {
    if (options.json === true) printDocument<IntegrationDocument>(context, { action, ...report });
    else context.print(`${lines.join("\n")}\n`);
  };
  const onTarget = target === undefined ? "" : ` --target ${target}`;
  return withDaemon(context, async (client) => {
    const run = (dryRun: boolean): Promise<IntegrationReport> =>
      client.call((api) =>
        who === undefined
          ? api.integrationChange.mutate({ agent, target, action: asked, dryRun })
          : api.integrationNotifier.mutate({ agent, target, who, dryRun }),
      );
    const plan = await run(true);
    const name = cleanLine(plan.agent);
    if (plan.changes.length === 0 && who === undefined) {
      print(plan, [
        action === "uninstall"
          ? `agtmux has nothing installed in ${name}.`
          : `${name} is already integrated.`,
      ]);
      return 0;
    }
    if (options.dryRun === true) {
      print(plan, [...changeLines(plan.changes, context), "Nothing was changed (--dry-run)."]);
      return 0;
    }
    if (options.yes !== true) {
      if (!context.stdin.isTTY || !context.stdout.isTTY || options.json === true)
        throw new AgtmuxError(
          "E_CONFIRMATION_REQUIRED",
          `${action} changes ${plan.changes.length} ${plan.changes.length === 1 ? "file" : "files"} of ${name}`,
        );
      context.print(
        `${[...changeLines(plan.changes, context), ...(who === undefined ? [] : [notifierText(who, name)])].join("\n")}\n`,
      );
      const isWanted = await ask("Apply this change? [y/N] ", context);
      if (isWanted !== true) return leaveUndone(context, isWanted !== null, "changed");
    }
    const report = await run(false);
    const done = asked === "uninstall" ? `agtmux was removed from ${name}.` : `${name} is integrated.`;
    print(report, [
      ...(options.yes === true ? changeLines(report.changes, context) : []),
      who === undefined ? done : notifierText(who, name),
      ...report.backups.map((path) => `The old file is saved as ${cleanLine(path)}`),
      ...(action === "install" || action === "repair"
        ? [`Check it with 'agtmux integrate ${name}${onTarget} --verify'.`]
        : []),
    ]);
    return 0;
  });
};

const MODES = ["dryRun", "verify", "uninstall", "repair", "notify", "yes"] as const;

const list = async (context: CliContext, options: IntegrateOptions): Promise<number> => {
  if (MODES.some((mode) => options[mode] !== undefined))
    throw new AgtmuxError("E_USAGE", "integrate needs an agent for that", {
      remedy: "'agtmux integrate' lists the agents and what can be done.",
    });
  await (await import("./adapters.ts")).runIntegrationList(context, options);
  return 0;
};

/** The exit status: 1 when --verify found something missing. Fails with E_USAGE, E_CONFIRMATION_REQUIRED or the daemon's error. */
export const runIntegrate = (
  context: CliContext,
  agent: string | undefined,
  options: IntegrateOptions,
): Promise<number> => {
  if (agent === undefined) return list(context, options);
  const modes = [options.repair, options.uninstall, options.notify].filter((mode) => mode !== undefined);
  if (options.verify === true && (modes.length > 0 || options.dryRun === true || options.yes === true))
    throw new AgtmuxError("E_USAGE", "--verify stands alone: it changes nothing");
  if (modes.length > 1)
    throw new AgtmuxError("E_USAGE", "--repair, --uninstall and --notify exclude each other");
  return options.verify === true ? verify(context, agent, options) : change(context, agent, options);
};

/** Asks until the answer is not to show all of it. True: yes; null: the person ended it with Ctrl-C or Ctrl-D. */
const askShowing = async (
  question: string,
  all: () => readonly string[],
  context: CliContext,
): Promise<boolean | null> => {
  for (;;) {
    const answer = await askLine(`${question}? [y/N, d shows the changes] `, context);
    if (answer === null) return null;
    if (!/^d(iff)?$/i.test(answer)) return /^y(es)?$/i.test(answer);
    context.print(`${all().join("\n")}\n`);
  }
};

// Remove: takes out what agtmux put on this machine and its targets, after one question for all of it. What is not ours, or is not
// as we left it, stays and is named.

interface RemoveOptions {
  target?: string;
  notify?: string;
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

/** Below the prefix of a global npm installation. npm installs no completions; a script of ours does. */
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

const pathLines = (paths: readonly string[], hasLoginItem: boolean): string[] => [
  ...paths.map((path) => {
    const count = kindOf(path) === "folder" ? eventsIn(join(path, "new")) : 0;
    const events = count === 0 ? "" : ` (${count} ${count === 1 ? "event" : "events"} that nobody took)`;
    return `${cleanLine(path)} is removed${events}.`;
  }),
  ...(hasLoginItem ? ["agtmux no longer starts at login."] : []),
];

/** Lines that a diff takes out and puts in, without its head. */
const countLines = (diff: string): { taken: number; put: number } => {
  const lines = diff.slice(diff.indexOf("\n@@")).split("\n");
  const starting = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { taken: starting("-"), put: starting("+") };
};

const linesText = ({ taken, put }: { taken: number; put: number }): string =>
  [taken > 0 ? `\u2212${taken}` : "", put > 0 ? `+${put}` : ""].filter((part) => part !== "").join(" ");

/** Each file with the number of its lines that change; `planLines` shows them. */
const summaryLines = ({ reports, paths, hasLoginItem }: Plan, context: CliContext): string[] => [
  ...reports.flatMap(({ target, changes }) => {
    if (changes.length === 0) return [];
    const files = changes.length === 1 ? "1 file changes" : `${changes.length} files change`;
    const width = Math.max(...changes.map(({ path }) => cleanLine(path).length));
    return [
      context.paint("bold", `On ${target}, ${files}:`),
      ...changes.map(
        ({ path, diff }) => `  ${cleanLine(path).padEnd(width)}  ${linesText(countLines(diff))}`,
      ),
    ];
  }),
  ...pathLines(paths, hasLoginItem),
];

const planLines = ({ reports, paths, hasLoginItem }: Plan, context: CliContext): string[] => [
  ...reports.flatMap(({ target, changes }) =>
    changes.length === 0
      ? []
      : [context.paint("bold", `On ${target}:`), "", ...changeLines(changes, context)],
  ),
  ...pathLines(paths, hasLoginItem),
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
  // The daemon makes its spool again whenever it starts.
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
      context.print(`${[...lines, ...(left.length === 0 ? [] : ["Left in place:", ...left])].join("\n")}\n`);
    return 0;
  };
  if (isEmpty(plan)) return finish(false, ["agtmux has nothing installed here."]);
  const shown = planLines(plan, context);
  if (options.dryRun === true) return finish(false, [...shown, "Nothing was changed (--dry-run)."]);
  if (options.yes !== true) {
    if (!context.stdin.isTTY || !context.stdout.isTTY || options.json === true)
      throw new AgtmuxError("E_CONFIRMATION_REQUIRED", "setup --remove changes settings: nobody was asked", {
        remedy: "Look with --dry-run, then repeat with --yes.",
      });
    context.print(`${summaryLines(plan, context).join("\n")}\n\n`);
    const isWanted = await askShowing("Remove all of this", () => shown, context);
    if (isWanted !== true) return leaveUndone(context, isWanted !== null, "changed");
  }
  await apply(client, context, plan);
  return finish(true, [...(options.yes === true ? shown : []), "agtmux was removed."]);
};

/** Resolves with the exit status. Fails with E_CONFIRMATION_REQUIRED, E_INTEGRATION_REFUSED or the daemon's error. */
export const runRemove = async (context: CliContext, options: RemoveOptions): Promise<number> => {
  if (options.notify !== undefined)
    throw new AgtmuxError("E_USAGE", "--remove and --notify exclude each other");
  return withDaemon(context, (client) => remove(client, context, options));
};

// Set-up screen: what was found, one question for the hooks of all agents, and what is left to do.

interface SetupOptions {
  target?: string;
  /** One of NOTIFIERS, as typed. */
  notify?: string;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

const SIGNS: Readonly<Record<SetupMark, { sign: string; colour: Colour }>> = {
  ok: { sign: "✓", colour: "green" },
  open: { sign: "+", colour: "cyan" },
  problem: { sign: "✗", colour: "red" },
  none: { sign: "·", colour: "dim" },
};

/** How one of two notifications is switched off; each agent's own command is in the help. */
const CHOICE = "To be notified once: 'agtmux setup --notify agtmux', or '--notify agent'.";

/** `notifications`: those that are not asked about next. */
const screenLines = (
  { lines, button, headline, steps, notes }: Omit<SetupScreen, "notifications">,
  { paint }: CliContext,
  notifications: SetupScreen["notifications"],
): string[] => [
  ...lines.map(({ mark, name, text }) => {
    const { sign, colour } = SIGNS[mark];
    return `${paint(colour, sign)} ${paint("bold", name)}: ${text}`;
  }),
  "",
  headline,
  ...(button === null ? steps.map(({ how }) => `  ${cleanLine(how)}`) : []),
  ...notes,
  ...notifications.map(({ text }) => text),
  ...(notifications.some(({ now, choices }) => now === "both" && choices.some(({ who }) => who === "agtmux"))
    ? [CHOICE]
    : []),
];

const outcomeLines = (outcomes: readonly InstallOutcome[], { paint }: CliContext): string[] =>
  outcomes.flatMap(({ name, problem, backups }) => [
    problem === null
      ? `${paint("green", "✓")} ${cleanLine(name)} has its hooks.`
      : `${paint("red", "✗")} ${cleanLine(name)}: ${cleanLine(problem)}`,
    ...backups.map((path) => `  The old file is saved as ${cleanLine(path)}`),
  ]);

const toDocument = (
  look: SetupLook,
  outcomes: readonly InstallOutcome[],
  notified: readonly InstallOutcome[],
): Omit<Extract<SetupDocument, { action: "setup" }>, "schema_version" | "generated_at"> => ({
  action: "setup",
  target: look.target,
  tmux: look.tmux,
  items: look.agents.map(
    ({ agent, name, version, state, running, silent, problems, steps, changes, notifications }) => ({
      identity: { agent },
      agent_name: name,
      version,
      state,
      running,
      silent,
      problems,
      steps,
      changes,
      notifications,
    }),
  ),
  outcomes: outcomes.map(({ agent, problem, backups }) => ({ agent, problem, backups: [...backups] })),
  notified: notified.map(({ agent, problem, backups }) => ({ agent, problem, backups: [...backups] })),
  steps: [...setupScreen(look).steps],
});

const canBeSilenced = ({ state, changes, notifications }: SetupAgent): boolean =>
  (state === "installed" || changes.length > 0) &&
  notifications !== null &&
  notifications.path !== null &&
  notifications.told_by !== "unclear";

const setUp = async (client: DaemonClient, context: CliContext, options: SetupOptions): Promise<number> => {
  const { target } = options;
  const who = readNotifier(options.notify);
  const look = (): Promise<SetupLook> => client.call((api) => api.setupLook.query({ target }));
  const choose: ChooseNotifier = ({ agent, folder }, whom, dryRun) =>
    client.call((api) => api.integrationNotifier.mutate({ agent, folder, target, who: whom, dryRun }));
  const before = await look();
  const screen = setupScreen(before);
  const isJson = options.json === true;
  const print = (lines: readonly string[]): void => {
    if (!isJson) context.print(`${lines.join("\n")}\n`);
  };
  const finish = (
    now: SetupLook,
    outcomes: readonly InstallOutcome[],
    notified: readonly InstallOutcome[] = [],
  ): number => {
    if (isJson)
      printDocument<Extract<SetupDocument, { action: "setup" }>>(
        context,
        toDocument(now, outcomes, notified),
      );
    const isWrong = [...outcomes, ...notified].some(({ problem }) => problem !== null);
    return now.tmux.problem !== null || isWrong ? 1 : 0;
  };
  print(screenLines(screen, context, screen.notifications));
  if (screen.button === null && who === undefined) return finish(before, []);
  if (options.dryRun === true) {
    const changes = screen.installable.flatMap((one) => one.changes);
    const silenced = who === "agtmux" ? before.agents.filter(canBeSilenced) : [];
    for (const one of silenced) changes.push(...(await choose(one, "agtmux", true)).changes);
    print(["", ...changeLines(changes, context), "Nothing was changed (--dry-run)."]);
    return finish(before, []);
  }
  if (options.yes !== true) {
    if (!context.stdin.isTTY || !context.stdout.isTTY || isJson)
      throw new AgtmuxError(
        "E_CONFIRMATION_REQUIRED",
        `${screen.button ?? "Who notifies you"}: nobody was asked`,
        { remedy: "Look with --dry-run, then repeat with --yes." },
      );
    print([""]);
    const isWanted =
      screen.button === null
        ? await ask("Change notifications? [y/N] ", context)
        : await askShowing(
            screen.button,
            () =>
              changeLines(
                screen.installable.flatMap(({ changes }) => changes),
                context,
              ),
            context,
          );
    if (isWanted !== true) return leaveUndone(context, isWanted !== null, "changed");
  }
  const outcomes = await installAll(screen.installable, (input) =>
    client.call((api) => api.integrationChange.mutate({ ...input, target })),
  );
  const installed = await look();
  const { notifications, ...shown } = setupScreen(installed);
  const asked = options.yes === true || who !== undefined ? [] : toAskAbout(notifications, outcomes);
  const told = who === undefined ? notifications.filter((notifying) => !asked.includes(notifying)) : [];
  if (screen.button !== null)
    print(["", ...outcomeLines(outcomes, context), "", ...screenLines(shown, context, told)]);
  const wanted =
    who === undefined
      ? await askNotifiers(asked, choose, context)
      : notifications.filter(({ choices }) => choices.length > 0).map((notifying) => ({ notifying, who }));
  const notified = await chooseAll(wanted, choose);
  if (notified.length === 0) return finish(installed, outcomes);
  print(["", ...notifiedLines(wanted, notified, context)]);
  return finish(await look(), outcomes, notified);
};

/** Resolves with the exit status: 1 where tmux cannot be used or an installation failed. Fails with E_CONFIRMATION_REQUIRED. */
export const runSetup = (context: CliContext, options: SetupOptions): Promise<number> =>
  withDaemon(context, (client) => setUp(client, context, options));

// `agtmux integrate <agent>`: installs, verifies or removes our hook in an agent's settings. It shows the change first and
// asks before anything is written.
import type { IntegrationReport, IntegrationVerification } from "../../core/api/service.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { IntegrationDocument } from "../../core/model/documents.ts";
import { formatAge } from "../../core/model/words.ts";
import { ask, leaveUndone } from "../ask.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { changeLines } from "../render/changes.ts";
import { cleanLine } from "../render/clean.ts";
import { printDocument } from "../document.ts";

export interface IntegrateOptions {
  target?: string;
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
    ...result.steps.map(({ what, how }) => `  Left to do: ${cleanLine(what)}. ${cleanLine(how)}`),
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
  const result = await withDaemon(context, (client) =>
    client.call((api) => api.integrationVerify.mutate({ agent, target: options.target })),
  );
  if (options.json === true)
    printDocument<Extract<IntegrationDocument, { action: "verify" }>>(context, toVerified(result));
  else context.print(`${renderVerification(result, context).join("\n")}\n`);
  return result.entriesPresent && result.deliveryWorks ? 0 : 1;
};

const change = async (context: CliContext, agent: string, options: IntegrateOptions): Promise<number> => {
  const action = options.uninstall === true ? "uninstall" : options.repair === true ? "repair" : "install";
  const print = (report: IntegrationReport, lines: string[]) => {
    if (options.json === true) printDocument<IntegrationDocument>(context, { action, ...report });
    else context.print(`${lines.join("\n")}\n`);
  };
  const { target } = options;
  const onTarget = target === undefined ? "" : ` --target ${target}`;
  return withDaemon(context, async (client) => {
    const plan = await client.call((api) =>
      api.integrationChange.mutate({ agent, target, action, dryRun: true }),
    );
    const name = cleanLine(plan.agent);
    if (plan.changes.length === 0) {
      print(plan, [
        action === "uninstall"
          ? `Nothing of agtmux is installed in ${name}.`
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
      context.print(`${changeLines(plan.changes, context).join("\n")}\n`);
      const isWanted = await ask("Apply this change? [y/N] ", context);
      if (isWanted !== true) return leaveUndone(context, isWanted !== null, "changed");
    }
    const report = await client.call((api) =>
      api.integrationChange.mutate({ agent, target, action, dryRun: false }),
    );
    print(report, [
      ...(options.yes === true ? changeLines(report.changes, context) : []),
      action === "uninstall" ? `agtmux was removed from ${name}.` : `${name} is integrated.`,
      ...report.backups.map((path) => `The old file is kept as ${cleanLine(path)}`),
      ...(action !== "uninstall" ? [`Check it with 'agtmux integrate ${name}${onTarget} --verify'.`] : []),
    ]);
    return 0;
  });
};

const MODES = ["dryRun", "verify", "uninstall", "repair", "yes"] as const;

const list = async (context: CliContext, options: IntegrateOptions): Promise<number> => {
  if (MODES.some((mode) => options[mode] === true))
    throw new AgtmuxError("E_USAGE", "integrate needs an agent for that", {
      remedy: "'agtmux integrate' lists the agents and what can be done.",
    });
  await (await import("./integrations.ts")).runIntegrationList(context, options);
  return 0;
};

/** Resolves with the exit status: 1 when --verify found something missing. Fails with E_USAGE, E_CONFIRMATION_REQUIRED or the daemon's error. */
export const runIntegrate = (
  context: CliContext,
  agent: string | undefined,
  options: IntegrateOptions,
): Promise<number> => {
  if (agent === undefined) return list(context, options);
  const modes = [options.dryRun, options.verify, options.yes].filter((mode) => mode === true);
  if (options.verify === true && (modes.length > 1 || options.uninstall === true || options.repair === true))
    throw new AgtmuxError("E_USAGE", "--verify stands alone: it changes nothing");
  if (options.repair === true && options.uninstall === true)
    throw new AgtmuxError("E_USAGE", "--repair and --uninstall exclude each other");
  return options.verify === true ? verify(context, agent, options) : change(context, agent, options);
};

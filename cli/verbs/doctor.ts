// `agtmux doctor`: proves the chain from the agents' hooks to this command, link by link, and says what to do about each broken
// one. It changes nothing, and does what it can without a daemon.
import { join } from "node:path";
import { runChecks, toProblem, type Check } from "../../core/model/doctorCheck.ts";
import type { DoctorReport, Finding, FindingStatus } from "../../core/model/doctorView.ts";
import type { RuntimePaths } from "../../core/rpc/paths.ts";
import { SCHEMA_VERSION } from "../../core/model/view.ts";
import { setTimer, type CliContext } from "../context.ts";
import { clientChecks } from "../doctor/clientChecks.ts";
import { daemonChecks, findingsOfDaemon, tryDaemon, type Reached } from "../doctor/daemonChecks.ts";
import { homeChecks } from "../doctor/homeChecks.ts";
import { renderReport } from "../doctor/renderReport.ts";
import { storageChecks } from "../doctor/storageChecks.ts";

export interface DoctorOptions {
  target?: string;
  strict?: boolean;
  json?: boolean;
}

const PROBLEM_EXIT_CODE = 1;

/** The home's paths, or the finding that the home cannot be used. */
const pathsOf = (context: CliContext): RuntimePaths | Check => {
  try {
    return context.paths();
  } catch (error) {
    return {
      name: "home.path",
      place: { group: "home" },
      limitMs: 1_000,
      run: () => toProblem(error, "The home cannot be used."),
    };
  }
};

const ownChecks = (context: CliContext, reached: Reached): Check[] => {
  const paths = pathsOf(context);
  const client = clientChecks({
    env: context.env,
    nodeVersion: process.versions.node,
    nodePath: process.execPath,
    root: context.root,
    version: context.version,
    isTerminal: context.stdout.isTTY,
  });
  if ("run" in paths) return [...client, paths, ...daemonChecks(context, reached)];
  const facts = {
    paths,
    uid: process.geteuid?.() ?? null,
    eventScriptSource: join(context.root, "resources", "hooks", "agtmux-event"),
    isDaemonRunning: reached.client !== null,
  };
  return [
    ...client,
    ...homeChecks(facts),
    ...storageChecks(facts, process.execPath, context.now),
    ...daemonChecks(context, reached),
  ];
};

const countByStatus = (findings: readonly Finding[]): Record<FindingStatus, number> => {
  const counts = { ok: 0, warning: 0, problem: 0, skipped: 0 };
  for (const { status } of findings) counts[status] += 1;
  return counts;
};

/** Everything that the doctor finds. Never rejects for what it finds. */
export const examine = async (context: CliContext, target: string | null): Promise<Finding[]> => {
  // Done first, because it may create the home that is checked.
  const reached = await tryDaemon(context);
  try {
    const [own, daemon] = await Promise.all([
      runChecks(ownChecks(context, reached), setTimer),
      reached.client === null ? [] : findingsOfDaemon(reached.client, target),
    ]);
    return [...own, ...daemon];
  } finally {
    reached.client?.close();
  }
};

/** Resolves with the exit status: 1 for at least one problem, with `strict` also for a warning. Fails with E_TARGET_UNKNOWN. */
export const runDoctor = async (context: CliContext, options: DoctorOptions): Promise<number> => {
  const target = options.target ?? null;
  const findings = await examine(context, target);
  const summary = countByStatus(findings);
  const report: DoctorReport = {
    schema_version: SCHEMA_VERSION,
    generated_at: new Date(context.now()).toISOString(),
    filters: { target },
    summary,
    findings,
  };
  context.print(
    options.json === true
      ? `${JSON.stringify(report, null, 2)}\n`
      : `${renderReport(report, context.paint).join("\n")}\n`,
  );
  const isBad = summary.problem > 0 || (options.strict === true && summary.warning > 0);
  return isBad ? PROBLEM_EXIT_CODE : 0;
};

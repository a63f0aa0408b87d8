// `agtmux doctor`: proves the chain from the agents' hooks to this command, link by link, and says what to do about each broken
// one. It repairs nothing, and does what it can without a daemon. Its checks are in cli/doctor and in the daemon.
import { stamp } from "../../core/model/schemaVersion.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import {
  type DoctorReport,
  type Finding,
  type FindingStatus,
  runChecks,
  toProblem,
  type Check,
} from "../../core/model/doctor.ts";
import { cleanLine } from "../render/clean.ts";
import { plural } from "../render/mark.ts";
import type { Colour, Paint } from "../render/table.ts";
import { join } from "node:path";
import type { RuntimePaths } from "../../core/rpc/paths.ts";
import { setTimer, type CliContext } from "../command/context.ts";
import {
  clientChecks,
  daemonChecks,
  findingsOfDaemon,
  tryDaemon,
  type Reached,
} from "../doctor/daemonChecks.ts";
import { homeChecks, storageChecks } from "../doctor/homeChecks.ts";

// Report for a person: grouped, with evidence and remedy for everything that is wrong, and unused agents in one line.

const SIGNS: Readonly<Record<FindingStatus, { sign: string; colour: Colour }>> = {
  ok: { sign: "✓", colour: "green" },
  warning: { sign: "!", colour: "yellow" },
  problem: { sign: "✗", colour: "red" },
  skipped: { sign: "·", colour: "dim" },
};
const LABEL_WIDTH = 11;
const INDENT = " ".repeat(LABEL_WIDTH + 2);

const label = (status: FindingStatus, paint: Paint): string => {
  const { sign, colour } = SIGNS[status];
  return `  ${paint(colour, `${sign} ${status}`.padEnd(LABEL_WIDTH))}`;
};

const renderFinding = ({ status, summary, evidence, remedy }: Finding, paint: Paint): string[] => {
  const seen = evidence === null ? "" : cleanLine(evidence);
  if (status === "ok" || status === "skipped")
    return [`${label(status, paint)}${cleanLine(summary)}${seen === "" ? "" : paint("dim", ` (${seen})`)}`];
  return [
    `${label(status, paint)}${cleanLine(summary)}`,
    ...(seen === "" ? [] : [`${INDENT}${paint("dim", seen)}`]),
    ...(remedy === null ? [] : [`${INDENT}→ ${cleanLine(remedy)}`]),
  ];
};

const titleOf = ({ group, target }: Finding): string => {
  const name = cleanLine(target ?? "");
  switch (group) {
    case "client":
      return "This command";
    case "home":
      return "Home";
    case "daemon":
      return "Daemon";
    case "target":
      return name === HOST_TARGET ? "This machine" : `Machine ${name}`;
    case "agent":
      return name === HOST_TARGET ? "Agents on this machine" : `Agents on ${name}`;
  }
};

/** Agents whose findings are all "skipped". */
const unused = (findings: readonly Finding[]): Map<string, Finding[]> => {
  const byAgent = Map.groupBy(
    findings.filter(({ group }) => group === "agent"),
    ({ agent }) => agent ?? "",
  );
  return new Map([...byAgent].filter(([, own]) => own.every(({ status }) => status === "skipped")));
};

const renderUnused = (agents: Map<string, Finding[]>, paint: Paint): string[] => {
  if (agents.size === 0) return [];
  const names = [...agents].map(([agent, own]) =>
    own.some(({ check }) => check === "agent.verified")
      ? `${cleanLine(agent)} (unverified)`
      : cleanLine(agent),
  );
  const target = [...agents.values()][0]?.[0]?.target ?? HOST_TARGET;
  const command = `agtmux integrate <agent>${target === HOST_TARGET ? "" : ` --target ${cleanLine(target)}`}`;
  return [
    `${label("skipped", paint)}No hooks and in no pane: ${names.join(", ")}${paint("dim", ` ('${command}')`)}`,
  ];
};

/** Lines without the final newline. */
export const renderReport = ({ findings, summary }: DoctorReport, paint: Paint): string[] => {
  const lines: string[] = [];
  for (const [title, own] of Map.groupBy(findings, titleOf)) {
    const idle = unused(own);
    lines.push(
      paint("bold", title),
      ...own
        .filter(({ agent }) => !idle.has(agent ?? ""))
        .flatMap((finding) => renderFinding(finding, paint)),
      ...renderUnused(idle, paint),
      "",
    );
  }
  const total = [
    paint("red", plural(summary.problem, "problem")),
    paint("yellow", plural(summary.warning, "warning")),
    `${summary.ok} ok`,
    `${summary.skipped} skipped`,
  ];
  return [...lines, total.join(", ")];
};

// Examination: runs all checks, here and in the daemon.

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

/** Everything that the doctor finds. Fails with E_TARGET_UNKNOWN, never for what it finds. */
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
export const runDoctor = async (
  context: CliContext,
  options: {
    target?: string;
    strict?: boolean;
    json?: boolean;
  },
): Promise<number> => {
  const target = options.target ?? null;
  const findings = await examine(context, target);
  const summary = countByStatus(findings);
  const report: DoctorReport = {
    ...stamp(context.now()),
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

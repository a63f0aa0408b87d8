// Which version of an agent runs, and the checks of one agent on one target: is its hook installed completely, do its own events
// arrive, may other programs answer its dialogs, was its adapter ever compared with a real run, and is its version a recorded one.
import type { ProcessInfo } from "../model/runtime.ts";
import type { TargetExecutor, TargetFiles } from "../ports/targetExecutor.ts";
import {
  COMMAND_TIMEOUT_MS,
  checksAt,
  type DoctorLink,
  type DoctorTarget,
  type SeenAgent,
} from "./doctorTarget.ts";
import type { Integrations } from "../integrations/integrations.ts";
import type { Check, Diagnosis } from "../model/doctor.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { PersonStep } from "../model/adapterView.ts";
import { formatAge } from "../model/words.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";

// Version: from the path of the agent's program, either the package file above its script or a version in the path itself. Only
// small files are read; the agent is never started for it.

const MAX_BYTES = 256 * 1024;
const MAX_FOLDERS = 6;
const INTERPRETER = /^(?:node|nodejs|bun|deno|sh|bash|dash|zsh|env)(?:[-.\d]*)$/;
const VERSION = /^v?(\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+.][\w.-]{1,40})?)$/;

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Where a symbolic link leads in one step, absolute. */
const follow = async (files: TargetFiles, path: string): Promise<string> => {
  const link = await files.readLink(path);
  if (link === null) return path;
  if (link.startsWith("/")) return link;
  const parts: string[] = [];
  for (const part of `${folderOf(path)}/${link}`.split("/"))
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  return `/${parts.join("/")}`;
};

/** Where a shell with that PATH finds a program. */
const findOnPath = async (files: TargetFiles, name: string, path: string): Promise<string | null> => {
  for (const folder of path.split(":").filter((part) => part.startsWith("/"))) {
    const program = `${folder}/${name}`;
    if ((await files.stat(program))?.isFile === true) return program;
  }
  return null;
};

/** The agent's own program or script, not its interpreter. */
const programOf = async (
  files: TargetFiles,
  { pid, args }: ProcessInfo,
  path: () => Promise<string>,
): Promise<string | null> => {
  const words = args.split(" ");
  const [first = ""] = words;
  const isInterpreted = INTERPRETER.test(nameOf(first));
  const named = (isInterpreted ? words.slice(1) : words.slice(0, 1)).find((word) => word.startsWith("/"));
  if (named !== undefined) return follow(files, named);
  if (isInterpreted) return null;
  const program = await files.readLink(`/proc/${pid}/exe`);
  if (program !== null) return INTERPRETER.test(nameOf(program)) ? null : program;
  // macOS has no such link; there only the typed command is known.
  const found = first === "" || first.includes("/") ? null : await findOnPath(files, first, await path());
  return found === null ? null : follow(files, found);
};

const versionOfPackage = (text: string): string | null => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("version" in value)) return null;
    return typeof value.version === "string" ? (VERSION.exec(value.version)?.[1] ?? null) : null;
  } catch {
    // Not a readable package file.
    return null;
  }
};

/** `…/<agent>/versions/1.2.3`; the version of an interpreter in the path is not the agent's version. */
const versionInPath = (path: string): string | null => {
  const parts = path.split("/");
  const at = parts.findLastIndex((part) => VERSION.test(part));
  if (at === -1 || INTERPRETER.test(parts[at - 1] ?? "")) return null;
  return VERSION.exec(parts[at] ?? "")?.[1] ?? null;
};

/**
 * Null when the version cannot be found without starting something. `path` gives the PATH there, and is asked only when nothing
 * but the program's name is known. It may differ from the agent's own PATH.
 */
export const agentVersionOf = async (
  files: TargetFiles,
  process: ProcessInfo,
  path: () => Promise<string>,
): Promise<string | null> => {
  const program = await programOf(files, process, path);
  if (program === null) return null;
  if (!program.includes("/node_modules/")) return versionInPath(program);
  let folder = folderOf(program);
  for (let step = 0; step < MAX_FOLDERS && folder.includes("/node_modules/"); step++) {
    const text = await files.readText(`${folder}/package.json`, MAX_BYTES);
    const version = text === null ? null : versionOfPackage(text);
    if (version !== null) return version;
    folder = folderOf(folder);
  }
  return null;
};

/** The target's PATH and the folders where agents install themselves: a daemon that the desktop started has no shell's PATH. */
export const askPath = async (executor: TargetExecutor): Promise<string> => {
  const [{ stdout }, home] = await Promise.all([
    executor.run(["sh", "-c", 'printf %s "$PATH"'], { timeoutMs: COMMAND_TIMEOUT_MS }),
    executor.homeDir(),
  ]);
  return `${stdout}:${home}/.local/bin:/opt/homebrew/bin:/usr/local/bin`;
};

// Checks.

/** `drifted`: something of ours is there, but not all of it or not as it should be. */
type Installation =
  | { kind: "present"; steps: readonly PersonStep[] }
  | { kind: "absent" }
  | { kind: "drifted" | "hindered"; problems: readonly string[]; missing: readonly string[] };

interface Subject {
  target: DoctorTarget;
  link: DoctorLink;
  adapter: AgentAdapter;
  seen: readonly SeenAgent[];
  /** Asked once for all checks of the agent. */
  installation: () => Promise<Installation>;
  clock: Clock;
}

const inspect = async (integrations: Integrations, agent: string): Promise<Installation> => {
  const { installed, missing, problems, steps = [] } = await integrations.inspect(agent);
  if (installed)
    return problems.length === 0 ? { kind: "present", steps } : { kind: "hindered", problems, missing };
  if (problems.length > 0 || (await integrations.hasAnything(agent)))
    return { kind: "drifted", problems, missing };
  return { kind: "absent" };
};

/** The `agtmux integrate …` command for this target. */
const command = ({ target, adapter }: Subject, flag: string): string =>
  `'agtmux integrate ${adapter.agentType}${target.view.kind === "ssh" ? ` --target ${target.view.target}` : ""}${flag === "" ? "" : ` ${flag}`}'`;

const panesOf = (seen: readonly SeenAgent[]): string => seen.map(({ paneRef }) => paneRef).join(", ");

/** The remedy of whatever prevents writing the entries again; the plain command if nothing does. */
const repairOf = async (subject: Subject): Promise<string> => {
  try {
    await (await subject.link.integrations()).planRepair(subject.adapter.agentType);
    return `Run ${command(subject, "--repair")}.`;
  } catch (error) {
    if (error instanceof AgtmuxError) return `${error.remedy} Then run ${command(subject, "")}.`;
    throw error;
  }
};

const describeAbsent = (subject: Subject): Diagnosis => {
  const { adapter, seen } = subject;
  if (seen.length === 0)
    return {
      status: "skipped",
      summary: `${adapter.displayName} has no hooks, and no pane runs it.`,
      remedy: `Run ${command(subject, "")} before you use it.`,
    };
  return {
    status: "warning",
    summary: `${adapter.displayName} is read from its screen only.`,
    evidence: panesOf(seen),
    remedy: `Install its hooks with ${command(subject, "")}.`,
  };
};

const describePresent = (subject: Subject, steps: readonly PersonStep[]): Diagnosis => {
  const { displayName } = subject.adapter;
  if (steps.length === 0) return { status: "ok", summary: `The hooks of ${displayName} are in place.` };
  return {
    status: "warning",
    summary: `The hooks of ${displayName} are in place. Still to do: ${steps.map(({ what }) => what).join("; ")}.`,
    remedy: `${steps.map(({ how }) => how).join(" ")} Then run ${command(subject, "--verify")}.`,
  };
};

const checkIntegration = async (subject: Subject): Promise<Diagnosis> => {
  const { adapter, seen } = subject;
  const installation = await subject.installation();
  switch (installation.kind) {
    case "present":
      return describePresent(subject, installation.steps);
    case "absent":
      return describeAbsent(subject);
    case "hindered":
      return {
        status: "problem",
        summary: `The hooks of ${adapter.displayName} are in place, but something is wrong with them.`,
        evidence: installation.problems.join("; "),
        remedy: `Fix the above, then run ${command(subject, "--verify")}.`,
      };
    case "drifted":
      return {
        status: "problem",
        summary: `The hooks of ${adapter.displayName} are not as they should be${seen.length === 0 ? "" : ", so events may not arrive"}.`,
        evidence: [
          ...installation.problems,
          ...(installation.missing.length === 0 ? [] : [`missing: ${installation.missing.join(", ")}`]),
        ].join("; "),
        remedy: await repairOf(subject),
      };
  }
};

const checkEvents = async ({
  adapter,
  seen,
  link,
  installation,
  clock,
}: Subject): Promise<Diagnosis | null> => {
  if ((await installation()).kind === "absent") return null;
  const at = (await link.integrations()).lastRealEventAt(adapter.agentType);
  const evidence =
    at === null ? "no event from a real agent yet" : `last one ${formatAge(clock.now() - at)} ago`;
  const silent = seen.filter(({ hasEvents }) => !hasEvents);
  if (silent.length > 0)
    return {
      status: "warning",
      summary: `No event has come from ${adapter.displayName} in ${panesOf(silent)} yet.`,
      evidence,
      remedy: "Send it a prompt; if still nothing arrives, restart the agent: it loads hooks when it starts.",
    };
  if (at === null)
    return {
      status: "skipped",
      summary: `No event has come from ${adapter.displayName} yet, and no pane runs it.`,
    };
  return { status: "ok", summary: `Events from ${adapter.displayName} arrive.`, evidence };
};

const checkConfirmation = async ({ adapter, seen, link }: Subject): Promise<Diagnosis | null> => {
  const { executor, accounts } = link;
  const { configDir } = await accounts.usual(adapter);
  const isGeneral = await adapter.needsConfirmation?.({ files: executor.files, configDir, cwd: null });
  const panes = seen.filter(({ confirmRequests }) => confirmRequests);
  if (isGeneral !== true && panes.length === 0) return null;
  return {
    status: "ok",
    summary: `Another program may answer permission requests of ${adapter.displayName}: a wait is shown only after its dialog was seen.`,
    evidence: isGeneral === true ? "in the user's settings" : panesOf(panes),
  };
};

const checkVerified = async ({ adapter, seen, installation }: Subject): Promise<Diagnosis | null> => {
  if (adapter.capabilities.verified) return null;
  const summary = `The adapter of ${adapter.displayName} is unverified: it was never compared with a recorded run.`;
  if (seen.length === 0 && (await installation()).kind === "absent") return { status: "skipped", summary };
  return {
    status: "warning",
    summary,
    remedy: `Compare its rows with what you see; ${seen[0] === undefined ? "'agtmux adapters try <ref>'" : `'agtmux adapters try ${seen[0].paneRef}'`} shows what is recognised.`,
  };
};

const majorOf = (version: string): string => version.split(".")[0] ?? version;

const judgeVersion = ({ adapter }: Subject, version: string, paneRef: string): Diagnosis => {
  const recorded = adapter.recordedVersions;
  const evidence = `${version} in ${paneRef}; tested with: ${recorded.length === 0 ? "none" : recorded.join(", ")}`;
  if (recorded.includes(version))
    return {
      status: "ok",
      summary: `${adapter.displayName} ${version} is a version that agtmux is tested with.`,
      evidence,
    };
  if (recorded.length === 0 || recorded.some((one) => majorOf(one) === majorOf(version)))
    return {
      status: "ok",
      summary: `${adapter.displayName} ${version} is unverified; what isn't recognised shows as unknown.`,
      evidence,
    };
  return {
    status: "warning",
    summary: `${adapter.displayName} ${version} is another major version than agtmux is tested with.`,
    evidence,
    remedy: `Compare its rows with what you see; 'agtmux adapters try ${paneRef}' shows what is recognised.`,
  };
};

const checkVersion = async (subject: Subject): Promise<Diagnosis[]> => {
  const { seen, link } = subject;
  const trees = await link.processes.ofPanes(seen.map(({ panePid }) => panePid));
  const paneOfVersion = new Map<string, string>();
  let asked: Promise<string> | null = null;
  const path = (): Promise<string> => (asked ??= askPath(link.executor));
  for (const { pid, panePid, paneRef } of seen) {
    const process = trees.get(panePid)?.find((one) => one.pid === pid);
    const version = process === undefined ? null : await agentVersionOf(link.executor.files, process, path);
    if (version !== null && !paneOfVersion.has(version)) paneOfVersion.set(version, paneRef);
  }
  return [...paneOfVersion].map(([version, paneRef]) => judgeVersion(subject, version, paneRef));
};

const checksOf = (subject: Subject): Check[] => {
  const { target, adapter } = subject;
  const check = checksAt("agent", {
    group: "agent",
    target: target.view.target,
    agent: adapter.agentType,
  });
  return [
    ...(adapter.integration !== undefined
      ? [check("integration", () => checkIntegration(subject)), check("events", () => checkEvents(subject))]
      : []),
    ...(adapter.needsConfirmation === undefined
      ? []
      : [check("confirmation", () => checkConfirmation(subject))]),
    check("verified", () => checkVerified(subject)),
    ...(subject.seen.length === 0 ? [] : [check("version", () => checkVersion(subject))]),
  ];
};

/** The checks of every adapter's agent on one connected target, whether a pane runs it or not. */
export const agentChecks = (
  target: DoctorTarget,
  adapters: readonly AgentAdapter[],
  clock: Clock,
): Check[] => {
  const { link } = target;
  if (link === null) return [];
  return adapters.flatMap((adapter) => {
    let asked: Promise<Installation> | null = null;
    return checksOf({
      target,
      link,
      adapter,
      seen: target.agents.filter(({ agentType }) => agentType === adapter.agentType),
      installation: () =>
        (asked ??=
          adapter.integration === undefined
            ? Promise.resolve<Installation>({ kind: "absent" })
            : link.integrations().then((own) => inspect(own, adapter.agentType))),
      clock,
    });
  });
};

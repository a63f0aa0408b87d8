// `agtmux report`: what helps somebody else to see what is wrong, as one text. It is printed, or written to a file after the person
// was told what is in it; agtmux sends it nowhere.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { arch, platform, release } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AdapterList } from "../../core/model/adapterView.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import { isMissing } from "../../core/model/systemError.ts";
import type { Counts, TargetView } from "../../core/model/view.ts";
import { findingText } from "../../ui/text/reportText.ts";
import { askLine, leaveUndone } from "../ask.ts";
import type { CliContext } from "../context.ts";
import {
  bundleText,
  configLines,
  contentLines,
  namesIn,
  redactLine,
  withoutFields,
  withoutNames,
  withoutQuotes,
  type Section,
} from "../doctor/bundle.ts";
import { tryDaemon } from "../doctor/daemonChecks.ts";
import { writePrivate } from "../writePrivate.ts";
import { examine } from "./doctor.ts";
import { readLog } from "./log.ts";

const LOG_LINES = 1_000;
const TMUX_LIMIT_MS = 2_000;

const plain: CliContext["paint"] = (_colour, text) => text;

/** What its program says of its version; a program that is not there says nothing. */
const tmuxVersion = async (env: CliContext["env"]): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)("tmux", ["-V"], { env: { ...env }, timeout: TMUX_LIMIT_MS });
    return stdout.trim().slice(0, 40);
  } catch {
    return "no tmux in PATH";
  }
};

const versionLines = async ({ version, env }: CliContext): Promise<string[]> => [
  `agtmux ${version}`,
  `Node ${process.versions.node}`,
  `${platform()} ${release()} ${arch()}`,
  await tmuxVersion(env),
  `terminal ${env["TERM_PROGRAM"] ?? "unknown"}, TERM ${env["TERM"] ?? "unknown"}`,
];

const textOf = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw new AgtmuxError("E_CONFIG_INVALID", `${path} cannot be read`, { cause: error });
  }
};

interface Seen {
  targets: readonly TargetView[];
  counts: Counts | null;
  adapters: AdapterList | null;
}

/** Without a daemon there is nothing to count, and the doctor says why. */
const look = async (context: CliContext): Promise<Seen> => {
  const { client } = await tryDaemon(context);
  if (client === null) return { targets: [], counts: null, adapters: null };
  try {
    const [{ summary: counts }, targets, adapters] = await Promise.all([
      client.call((api) => api.panes.query({})),
      client.call((api) => api.targets.query()),
      client.call((api) => api.adapters.query()),
    ]);
    return { targets, counts, adapters };
  } catch {
    // A daemon of another version may not know the calls; the doctor says that.
    return { targets: [], counts: null, adapters: null };
  } finally {
    client.close();
  }
};

const countLines = ({ targets, counts }: Seen): string[] => {
  if (counts === null) return ["No daemon answers."];
  const listed = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  return [
    `${counts.total} agents, ${counts.needs_action} wait for the person`,
    `by state: ${listed(counts.by_state)}`,
    `by agent: ${listed(counts.by_agent)}`,
    ...targets.map(
      ({ kind, health, transport, servers }, index) =>
        `target ${index}: ${kind}, ${health}${transport === null ? "" : `, ${transport}`}, ${servers.length} tmux servers`,
    ),
  ];
};

/** Names of the files in a folder, without their ends too. */
const filesIn = async (folder: string): Promise<string[]> => {
  try {
    return (await readdir(folder)).flatMap((name) => [name, name.replace(/\.[^.]*$/, "")]);
  } catch (error) {
    if (isMissing(error)) return [];
    throw new AgtmuxError("E_CONFIG_INVALID", `${folder} cannot be read`, { cause: error });
  }
};

/** What the person named, as far as it is known; agents that agtmux knows by itself have their names. */
const ownNames = async (context: CliContext, { adapters }: Seen): Promise<ReadonlySet<string>> => {
  const { config, home, adaptersDir } = context.paths();
  const files = await filesIn(adaptersDir);
  const own = (adapters?.items ?? []).filter(({ source }) => source === "file");
  const names = new Set([
    ...namesIn(await textOf(config), await textOf(join(home, "rules.json"))),
    ...files,
    ...own.flatMap(({ agent_type, display_name, files: of }) => [agent_type, display_name, ...of]),
    ...(adapters?.problems ?? []).map(({ file }) => file),
    ...(adapters?.disabled_unknown ?? []),
  ]);
  for (const { source, agent_type, display_name } of adapters?.items ?? [])
    if (source !== "file") for (const name of [agent_type, display_name]) names.delete(name);
  for (const name of ["", HOST_TARGET]) names.delete(name);
  return names;
};

const gather = async (context: CliContext): Promise<Section[]> => {
  const seen = await look(context);
  const names = seen.targets.map(({ target, connection_ref }) => ({ name: target, sshName: connection_ref }));
  const { config, log } = context.paths();
  const own = await ownNames(context, seen);
  const redacted = (lines: readonly string[]): string[] =>
    lines.map((line) => withoutNames(redactLine(line, names), own));
  const findings = await examine(context, null);
  const shipped = (seen.adapters?.items ?? []).filter(({ source }) => source !== "file");
  const agents = new Set(shipped.map(({ agent_type }) => agent_type));
  const logLines = await readLog(log, {
    lines: LOG_LINES,
    level: "debug",
    paint: plain,
    choose: (fields) => withoutFields(fields, agents),
  });
  return [
    { title: "versions", about: "of agtmux, Node, the system, tmux", lines: await versionLines(context) },
    {
      title: "counts",
      about: "agents by state and kind, targets by number",
      lines: redacted(countLines(seen)),
    },
    {
      title: "doctor",
      about: "what 'agtmux doctor' finds",
      lines: redacted(findings.map(withoutQuotes).flatMap((finding) => findingText(finding).split("\n"))),
    },
    {
      title: "config",
      about: "config.json; of texts only their length",
      lines: configLines(await textOf(config)),
    },
    { title: "log", about: "the daemon's newest lines", lines: redacted(logLines) },
  ];
};

const LEFT_OUT =
  "Not in it: what agents were asked or said, names of machines, users, tmux sessions and folders, of channels, rules and adapter files, addresses, secrets.";

/** Null: the person left. */
const mayWrite = async (context: CliContext, text: string, output: string): Promise<boolean | null> => {
  for (;;) {
    const answer = await askLine(`Write it to ${output}? [y = yes, s = show it first, N] `, context);
    if (answer === null) return null;
    if (!/^s(how)?$/i.test(answer)) return /^y(es)?$/i.test(answer);
    context.print(text);
  }
};

/** Gives the exit status. */
export const runReport = async (
  context: CliContext,
  { output, yes }: { output?: string; yes?: boolean },
): Promise<number> => {
  if (output !== undefined && yes !== true && !(context.stdin.isTTY && context.stdout.isTTY))
    throw new AgtmuxError("E_CONFIRMATION_REQUIRED", "what is written has to be seen first", {
      remedy: "Run this in a terminal; print it without --output; or repeat with --yes.",
    });
  const sections = await gather(context);
  const text = bundleText(sections);
  const content = ["The report has:", ...contentLines(sections), LEFT_OUT];
  if (output === undefined) {
    context.print(text);
    context.stderr.write(`${content.join("\n")}\nRead it before you pass it on.\n`);
    return 0;
  }
  context.print(`${content.join("\n")}\n`);
  const isWanted = yes === true || (await mayWrite(context, text, output));
  if (isWanted !== true) return leaveUndone(context, isWanted === false, "written");
  await writePrivate(output, text);
  context.print(`Written to ${output}, for you alone. agtmux sends it nowhere.\n`);
  return 0;
};

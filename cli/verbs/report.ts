// `agtmux report`: one text that helps somebody else see what is wrong: versions, counts, the doctor's findings, settings, the log,
// all redacted. It is printed, or written to a file after the person was told what is in it; agtmux sends it nowhere.
import { writtenConfigSchema } from "../../core/model/config.ts";
import type { Finding } from "../../core/model/doctor.ts";
import { NOTIFICATION_KINDS } from "../../core/model/notifications.ts";
import { redactNames, findingText } from "../../ui/text/reportText.ts";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { arch, platform, release } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AdapterList } from "../../core/model/adapterView.ts";
import { AgtmuxError, isMissing } from "../../core/model/errors.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { Counts, TargetView } from "../../core/model/view.ts";
import { askLine, leaveUndone, writePrivate } from "../command/ask.ts";
import type { CliContext } from "../command/context.ts";
import { tryDaemon } from "../doctor/daemonChecks.ts";
import { examine } from "./doctor.ts";
import { readLog } from "./log.ts";

// Redaction (pure): takes out the names of the person's machines, folders and sessions, what the person named in settings, rules
// and adapter files, and every value of the settings that is not a number or a known word.

export interface Section {
  title: string;
  /** What it holds, for the summary that the person is shown. */
  about: string;
  lines: readonly string[];
}

type Names = Parameters<typeof redactNames>[1];

/** Paths that are the same on many machines: system folders and Homebrew with all that is in them, and tmux's default socket. */
const COMMON =
  /^\/(?:(?:usr|bin|sbin|etc|proc|dev|nix|System)(?:\/|$)|opt\/homebrew\/|(?:private\/)?tmp\/tmux-\d+\/default$)/;
/** System folders that also hold folders of the person: only the first part of the path is kept. */
const SHARED = /^\/(?:opt|run|Applications|Library|tmp|private|var)(?=\/|$)/;
/** A path may contain spaces: what follows one, up to the next slash, counts as part of the path. */
const PATH = /(?<![\w~<.])\/[^\s'",:;()[\]]+(?:(?: [^\s'",:;()[\]/]+){1,3}\/[^\s'",:;()[\]]*)*/g;
const OWN_PATH = /~\/(?!\.)[^\s'",:;()[\]]+(?:(?: [^\s'",:;()[\]/]+){1,3}\/[^\s'",:;()[\]]*)*/g;

const shownPath = (path: string): string => {
  const [first = ""] = path.split(" ", 1);
  // What follows the space is not part of it, and is redacted as text of its own.
  if (COMMON.test(first)) return first + path.slice(first.length).replaceAll(PATH, shownPath);
  const [shared] = SHARED.exec(path) ?? [];
  return shared === undefined ? "<path>" : shared === path ? path : `${shared}/<path>`;
};
/** References of panes hold names of sessions. */
const PANE = /\bpane:[^\s'",]+/g;
const TMUX_NAME = /(?<=\b(?:session|sessionName|window|windowName|title|alias)=)\S+/g;

/** Looks like a key or a token. Ids look like that too, and are of no use to others. */
const LONG_WORD = /(?<![A-Za-z0-9_+=-])(?=[A-Za-z_+=-]*\d)(?=[\d_+=-]*[A-Za-z])[A-Za-z0-9_+=-]{20,}/g;

/** One line without names of targets, hosts, addresses, sessions and folders, and without long words with digits. */
export const redactLine = (line: string, targets: Names): string =>
  redactNames(line, targets)
    .replaceAll(PANE, "<pane>")
    .replaceAll(LONG_WORD, "<long word>")
    .replaceAll(TMUX_NAME, "<name>")
    .replaceAll(OWN_PATH, "~/<path>")
    .replaceAll(PATH, shownPath);

/** A text without what the person named; a name also counts as one part of a longer word, such as a file name. */
export const withoutNames = (text: string, names: ReadonlySet<string>): string =>
  [...names]
    .toSorted((one, other) => other.length - one.length)
    .reduce((left, name) => left.replaceAll(asName(name), "<name>"), text);

const asName = (name: string): RegExp =>
  new RegExp(
    `(?<![A-Za-z0-9])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![A-Za-z0-9])`,
    "g",
  );

const WORDS: ReadonlySet<string> = new Set([
  ...NOTIFICATION_KINDS,
  "auto",
  "ssh2",
  "openssh",
  "command",
  "webhook",
  "state",
  "request",
]);
const TIME_OF_DAY = /^\d\d:\d\d$/;

/** Every name of a property in a schema, at any depth. */
const propertiesIn = (schema: unknown): string[] => {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, inner]) => [
    ...(key === "properties" && typeof inner === "object" && inner !== null ? Object.keys(inner) : []),
    ...propertiesIn(inner),
  ]);
};

/** The keys that config.json can have: every other key is the person's own word. */
const knownKeys = (): ReadonlySet<string> =>
  new Set(propertiesIn(writtenConfigSchema.toJSONSchema({ io: "input", unrepresentable: "any" })));

/** Keeps known keys, numbers, switches and words of ours; of every other text it gives the length. */
const withoutTexts = (value: unknown, known: ReadonlySet<string>): unknown => {
  if (typeof value === "string")
    return WORDS.has(value) || TIME_OF_DAY.test(value) ? value : `<${value.length} characters>`;
  if (Array.isArray(value)) return value.map((one) => withoutTexts(one, known));
  if (typeof value !== "object" || value === null) return value;
  // Two unknown keys must not hide each other.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner], index) => [
      known.has(key) ? key : `<key ${index + 1}>`,
      withoutTexts(inner, known),
    ]),
  );
};

/** `text` null: there is no file. */
export const configLines = (text: string | null): string[] => {
  if (text === null) return ["There is no config.json: every setting has its default."];
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(withoutTexts(value, knownKeys()), null, 2).split("\n");
  } catch {
    // It may contain anything, so nothing of it is shown.
    return [`config.json isn't JSON (${text.length} characters).`];
  }
};

const parsed = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    // Its names are not known; the functions that redact fields and findings take names out without knowing them.
    return null;
  }
};

const pairsIn = (value: unknown): [string, unknown][] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]): [string, unknown][] => [
        [Array.isArray(value) ? "" : key, inner],
        ...pairsIn(inner),
      ]);

/** Every text and every unknown key of config.json, and the names in rules.json; nothing of a file that is not JSON. */
export const namesIn = (config: string | null, rules: string | null): string[] => {
  const known = knownKeys();
  const names = [
    ...pairsIn(parsed(config)).flat(),
    ...pairsIn(parsed(rules)).flatMap(([key, value]) => (/^(?:name|channel)$/.test(key) ? [value] : [])),
  ];
  return names.filter(
    (name): name is string =>
      typeof name === "string" && name.length > 1 && !known.has(name) && !WORDS.has(name),
  );
};

/** Checks whose findings quote what the person chose: names, files, programs, addresses. */
const ABOUT_OWN = new Set([
  "home.config",
  "daemon.adapters",
  "daemon.channels",
  "daemon.jobs",
  "daemon.rules",
]);
const NAMED = /\b(adapter file|channel|job|rule) (?:'[^']*'|\S+)(?= (?:is|was|cannot|tells)\b|, which\b)/gi;

/** A finding about what the person named, as a sentence without the names; every other finding as it is. */
export const withoutQuotes = (finding: Finding): Finding =>
  ABOUT_OWN.has(finding.check)
    ? {
        ...finding,
        summary: finding.summary.replaceAll(NAMED, (_all, what: string) => `${what} '<name>'`),
        evidence: null,
        remedy: null,
      }
    : finding;

/** Fields of the log whose texts are ours. */
const OWN_FIELDS = new Set([
  "code",
  "feature",
  "level",
  "method",
  "phase",
  "role",
  "signal",
  "syscall",
  "table",
  "transport",
  "type",
  "version",
]);
/** Fields of references, paths and names: `redactLine` takes these out, by their form or by the name of the field. */
const FORMED_FIELDS =
  /^(?:pane|paneRef|folder|path|keptPath|backupPath|session|sessionName|window|windowName|title|alias)$/;
const FRAME = /^\s*at .*/gm;
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`/g;

/** The type, the code and the stack frames of an error, and its message without what it quotes. */
const ofError = (error: object): Record<string, unknown> => {
  const { type, code, message, stack } = Object.fromEntries(Object.entries(error));
  const ownCode = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,50}$/.test(code) ? code : undefined;
  return {
    ...(typeof type === "string" ? { type } : {}),
    ...(ownCode === undefined ? {} : { code: ownCode }),
    // The messages of our own errors name what they are about, which may be anything.
    ...(typeof message !== "string"
      ? {}
      : {
          message:
            ownCode?.startsWith("E_") === true ? lengthOf(message) : message.replaceAll(QUOTED, "<text>"),
        }),
    ...(typeof stack === "string" ? { stack: stack.match(FRAME)?.join("") ?? "" } : {}),
  };
};

const lengthOf = (text: string): string => `<${text.length} characters>`;

/** One record of the daemon's log without the texts that are not ours. `agents`: the types that come with agtmux. */
export const withoutFields = (
  fields: Readonly<Record<string, unknown>>,
  agents: ReadonlySet<string>,
): Record<string, unknown> => {
  const shown = (name: string, value: unknown): unknown => {
    if (typeof value === "string")
      return OWN_FIELDS.has(name) || FORMED_FIELDS.test(name) || (name === "agent" && agents.has(value))
        ? value
        : lengthOf(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return `<${value.length} values>`;
    return name === "error" ? ofError(value) : "<values>";
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(name, value)]));
};

const counted = (count: number): string => (count === 1 ? "1 line" : `${count} lines`);

export const contentLines = (sections: readonly Section[]): string[] =>
  sections.map(({ title, about, lines }) => `  ${title}: ${about} (${counted(lines.length)})`);

export const bundleText = (sections: readonly Section[]): string =>
  sections.map(({ title, lines }) => `== ${title}\n${lines.join("\n")}\n`).join("\n");

// Gathering: reads the settings, the log and what the daemon knows, and asks before a file is written.

const LOG_LINES = 1_000;
const TMUX_LIMIT_MS = 2_000;

const plain: CliContext["paint"] = (_colour, text) => text;

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

/** Without a daemon there is nothing to count; the doctor's section says why there is none. */
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
    // A daemon of another version may not know the calls; the doctor's section says so.
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

/** The names of a folder's files, each with and without its extension. */
const filesIn = async (folder: string): Promise<string[]> => {
  try {
    return (await readdir(folder)).flatMap((name) => [name, name.replace(/\.[^.]*$/, "")]);
  } catch (error) {
    if (isMissing(error)) return [];
    throw new AgtmuxError("E_CONFIG_INVALID", `${folder} cannot be read`, { cause: error });
  }
};

/** What the person named, as far as it is known. The names of agents that agtmux brings along are not among it. */
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

/** Null: the person ended it with Ctrl-C or Ctrl-D. */
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
    context.stderr.write(`${content.join("\n")}\nRead it before you share it.\n`);
    return 0;
  }
  context.print(`${content.join("\n")}\n`);
  const isWanted = yes === true || (await mayWrite(context, text, output));
  if (isWanted !== true) return leaveUndone(context, isWanted === false, "written");
  await writePrivate(output, text);
  context.print(`Written to ${output}, for you alone. agtmux sends it nowhere.\n`);
  return 0;
};

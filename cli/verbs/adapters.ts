// `agtmux adapters list|enable|disable|check|try`: which agents are known and from where, which are enabled, what is wrong with
// the person's files, and what rules say about a live pane; and `agtmux integrate` without an agent. The daemon answers; a file
// that is not in force is read here and sent to it.
import type {
  IntegrationListDocument,
  AdapterCheckedDocument,
  AdapterListDocument,
  AdapterSwitchedDocument,
} from "../../core/model/documents.ts";
import { formatAge, STATE_WORDS } from "../../core/model/words.ts";
import { callDaemon, withDaemon, type CliContext } from "../command/context.ts";
import { printDocument } from "../command/document.ts";
import { cleanLine, cleanLines } from "../render/clean.ts";
import { measureFor, type Cell, type Column, renderTable } from "../render/table.ts";
import { basename } from "node:path";
import type {
  AdapterList,
  AdapterSwitched,
  AdapterTry,
  AdapterView,
  RuleMatch,
  IntegrationSummary,
} from "../../core/model/adapterView.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { countBy, MARKS } from "../render/mark.ts";
import { readNamedFile } from "../command/ask.ts";
import { withRef } from "../command/settleRef.ts";

// Integrations: how each agent is integrated, and what can be done about it.

const INTEGRATION_COLUMNS: readonly Column[] = [
  { title: "AGENT", min: null },
  { title: "STATE", min: 10 },
  { title: "LAST EVENT", min: null },
  { title: "WHAT CAN BE DONE", min: null },
];

const STATES: Readonly<Record<IntegrationSummary["state"], string>> = {
  installed: "installed",
  partial: "partly installed",
  absent: "not installed",
  unclear: "settings cannot be read",
};

const commandFor = ({ agent, state, lastRealEventAt }: IntegrationSummary, onTarget: string): string => {
  const command = `agtmux integrate ${cleanLine(agent)}${onTarget}`;
  switch (state) {
    case "absent":
      return command;
    case "partial":
      return `${command} --repair`;
    case "unclear":
      return `${command} --dry-run`;
    case "installed":
      return lastRealEventAt === null ? `${command} --verify` : "";
  }
};

const toIntegrationRow = (one: IntegrationSummary, now: number, onTarget: string): Cell[] => [
  { text: cleanLine(one.agent) },
  { text: STATES[one.state] },
  {
    text:
      one.lastRealEventAt === null ? "none yet" : `${formatAge(now - Date.parse(one.lastRealEventAt))} ago`,
  },
  { text: commandFor(one, onTarget) },
];

export const runIntegrationList = async (
  context: CliContext,
  { target, json }: { target?: string | undefined; json?: boolean | undefined },
): Promise<void> => {
  const all = await callDaemon(context, (api) => api.integrationList.query({ target }));
  if (json === true) {
    printDocument<IntegrationListDocument>(context, {
      action: "list",
      items: all.map(({ lastRealEventAt, ...one }) => ({ ...one, last_real_event_at: lastRealEventAt })),
    });
    return;
  }
  const rows = all.map((one) =>
    toIntegrationRow(one, context.now(), target === undefined ? "" : ` --target ${target}`),
  );
  const below = all.map(({ problems, steps }) => [
    ...problems.map((problem) => `  ${cleanLine(problem)}`),
    ...steps.map(({ what, how }) => `  Still to do: ${cleanLine(what)}. ${cleanLine(how)}`),
  ]);
  const lines = renderTable(INTEGRATION_COLUMNS, rows, {
    width: context.width,
    paint: context.paint,
    measure: await measureFor(all),
    below: (index) => below[index] ?? [],
  });
  context.print(`${lines.join("\n")}\n`);
};

// Adapters: the list, the switch, checking a file, trying rules on a pane.

interface AdapterOptions {
  json?: boolean;
  file?: string;
}

const MAX_FILE_BYTES = 256 * 1024;

const ADAPTER_COLUMNS: readonly Column[] = [
  { title: "AGENT", min: 6 },
  { title: "NAME", min: 8 },
  { title: "VERSION", min: 5 },
  { title: "SOURCE", min: 8 },
  { title: "ENABLED", min: null },
  { title: "TESTED WITH", min: 11 },
  { title: "CAN", min: 10 },
];

type Problem = AdapterList["problems"][number];

const describeProblem = ({ file, line, path, message }: Problem): string =>
  cleanLine(`${file}:${line}: ${path === "" ? "" : `${path}: `}${message}`);

const describeSource = ({ source, files, pack }: AdapterView): string => {
  const kind = pack === null ? source : `${source}, pack ${cleanLine(pack)}`;
  return files.length === 0 ? kind : `${kind}: ${files.map(cleanLine).join(", ")}`;
};

const describeAbilities = ({ capabilities, has_integration }: AdapterView): string =>
  [
    ...Object.entries(capabilities).flatMap(([name, isOn]) =>
      isOn && name.startsWith("supports_") ? [name.slice("supports_".length)] : [],
    ),
    ...(capabilities["event_driven"] === true ? ["events"] : []),
    ...(has_integration ? ["integrate"] : []),
  ].join(", ");

/** The versions whose screens and events were recorded, and one that this machine has or that runs without a recording. */
const describeTested = (
  { verified, recorded_versions: versions, unverified_versions: others }: AdapterView,
  yours: string | null,
  paint: CliContext["paint"],
): Cell => {
  const [newest] = versions;
  if (newest !== undefined && yours !== null && !versions.includes(yours)) {
    const text = `driven with ${cleanLine(newest)}, yours is ${cleanLine(yours)}`;
    return { text, paint: (drawn) => paint("yellow", drawn) };
  }
  if (!verified) return { text: "nothing: unverified", paint: (text) => paint("yellow", text) };
  const tested = versions.length === 0 ? "recordings" : cleanLine(versions.join(", "));
  if (others.length === 0) return { text: tested, paint: (text) => paint("green", text) };
  const more = `${cleanLine(others.join(", "))} ${others.length === 1 ? "is" : "are"} unverified`;
  return { text: `${tested}; ${more}`, paint: (text) => paint("yellow", text) };
};

const toAdapterRow = (adapter: AdapterView, yours: string | null, { paint }: CliContext): Cell[] => [
  { text: adapter.agent_type },
  { text: cleanLine(adapter.display_name) },
  { text: adapter.version },
  { text: describeSource(adapter) },
  adapter.enabled ? { text: "yes" } : { text: "no", paint: (text) => paint("yellow", text) },
  describeTested(adapter, yours, paint),
  { text: describeAbilities(adapter) },
];

export const runAdapterList = async (context: CliContext, options: AdapterOptions): Promise<void> => {
  const [document, packs] = await withDaemon(context, (client) =>
    Promise.all([client.call((api) => api.adapters.query()), client.call((api) => api.packs.query())]),
  );
  const installed = new Map(packs.items.map((one) => [one.agent_type, one.installed_version]));
  const versionOf = ({ agent_type: agent }: AdapterView): string | null => installed.get(agent) ?? null;
  if (options.json === true) {
    printDocument<AdapterListDocument>(context, {
      ...document,
      filters: {},
      summary: {
        total: document.items.length,
        by_source: countBy(document.items, ({ source }) => source),
        problems: document.problems.length,
      },
      items: document.items.map((item) => ({
        identity: { agent_type: item.agent_type },
        ...item,
        installed_version: versionOf(item),
      })),
    });
    return;
  }
  const rows = document.items.map((adapter) => toAdapterRow(adapter, versionOf(adapter), context));
  const { width, paint } = context;
  const lines = renderTable(ADAPTER_COLUMNS, rows, { width, paint, measure: await measureFor(document) });
  const degraded = document.items.filter(({ health }) => health === "degraded");
  if (degraded.length > 0)
    lines.push(
      "",
      context.paint("yellow", "Degraded:"),
      ...degraded.map(
        ({ agent_type, health_reason }) =>
          `  ${agent_type}: ${cleanLine(health_reason ?? "it gives no reason")}`,
      ),
    );
  if (document.problems.length > 0)
    lines.push(
      "",
      context.paint("red", "Not in force:"),
      ...document.problems.map((one) => `  ${describeProblem(one)}`),
    );
  if (document.disabled_unknown.length > 0)
    lines.push(
      "",
      `Disabled in config.json, but unknown: ${document.disabled_unknown.map(cleanLine).join(", ")}`,
    );
  context.print(`${lines.join("\n")}\n`);
};

const describeSwitched = ({ agent_type, enabled, changed }: AdapterSwitched): string => {
  const agent = cleanLine(agent_type);
  if (!changed) return `${agent} was ${enabled ? "enabled" : "disabled"} already.`;
  return enabled
    ? `${agent} is enabled: its panes appear with the next look at their processes.`
    : `${agent} is disabled: its panes count as panes without an agent until 'agtmux adapters enable ${agent}'.`;
};

export const runAdapterSwitch = async (
  context: CliContext,
  agent: string,
  enabled: boolean,
  options: AdapterOptions,
): Promise<void> => {
  const switched = await callDaemon(context, (api) => api.adapterSwitch.mutate({ agent, enabled }));
  if (options.json === true) printDocument<AdapterSwitchedDocument>(context, switched);
  else context.print(`${describeSwitched(switched)}\n`);
};

const readAdapterText = async (path: string): Promise<{ name: string; text: string }> => ({
  name: basename(path),
  text: await readNamedFile(path, MAX_FILE_BYTES),
});

/** Fails with E_CONFIG_INVALID, which names the line of every problem. */
export const runAdapterCheck = async (
  context: CliContext,
  path: string | undefined,
  options: AdapterOptions,
): Promise<void> => {
  const file = path === undefined ? null : await readAdapterText(path);
  const { problems, summary } = await withDaemon(context, async (client) => {
    if (file === null) {
      const list = await client.call((api) => api.adapters.query());
      const count = new Set(list.items.flatMap(({ files }) => files)).size;
      return {
        problems: list.problems,
        summary: `${count} adapter ${count === 1 ? "file is" : "files are"} in force`,
      };
    }
    const checked = await client.call((api) => api.adapterCheck.mutate(file));
    return {
      problems: checked.problems,
      summary: `${file.name} is a good adapter for ${checked.agent_type ?? ""}`,
    };
  });
  if (problems.length > 0)
    throw new AgtmuxError(
      "E_CONFIG_INVALID",
      `${problems.length} ${problems.length === 1 ? "problem" : "problems"} in adapter files`,
      {
        remedy: "Correct the named lines; the other adapters stay in force.",
        details: problems.map(describeProblem),
      },
    );
  if (options.json === true) printDocument<AdapterCheckedDocument>(context, { problems, summary });
  else context.print(`${cleanLine(summary)}.\n`);
};

const matchLines = (match: RuleMatch, isFirst: boolean, context: CliContext): string[] => {
  const { paint } = context;
  const word = `${STATE_WORDS[match.state]} (${match.reason_code}), ${match.confidence} confidence`;
  const { request } = match;
  return [
    `  ${isFirst ? paint(MARKS[match.state].colour, `says ${word}`) : paint("dim", `also ${word}`)}`,
    `    by ${cleanLine(match.rule)}: ${cleanLine(match.matched)}`,
    ...(request === null ? [] : [`    asks: ${cleanLine(request.title)}`]),
    ...(request?.body === null || request === null
      ? []
      : cleanLines(request.body).map((line) => `      ${line}`)),
    ...(request?.options ?? []).map(
      ({ label, keys }, index) =>
        `      ${index + 1}. ${cleanLine(label)}${keys === null ? "" : `  [${keys.map(cleanLine).join(" ")}]`}`,
    ),
  ];
};

const renderTry = (document: AdapterTry, context: CliContext): string[] => {
  const telling = document.trials.filter(
    ({ identifies, matches }) => identifies !== null || matches.length > 0,
  );
  const silent = document.trials.filter((trial) => !telling.includes(trial));
  return [
    context.paint("bold", document.pane_ref),
    `now ${document.agent ?? "no agent"}; ${document.line_count} lines, title "${cleanLine(document.title)}"`,
    ...telling.flatMap(({ agent_type, source, identifies, matches }) => [
      "",
      `${context.paint("bold", agent_type)} (${source})`,
      identifies === null
        ? "  does not claim a process of this pane"
        : `  claims process ${identifies.pid} by ${cleanLine(identifies.sign)}, ${identifies.confidence} confidence`,
      ...(matches.length === 0 ? ["  no rule matches: nothing would be said"] : []),
      ...matches.flatMap((match, index) => matchLines(match, index === 0, context)),
    ]),
    ...(silent.length === 0 ? [] : ["", `nothing from ${silent.map((one) => one.agent_type).join(", ")}`]),
  ];
};

export const runAdapterTry = async (
  context: CliContext,
  ref: string,
  options: AdapterOptions,
): Promise<void> => {
  const file = options.file === undefined ? null : await readAdapterText(options.file);
  const document = await withRef(context, { ref, says: false }, (client, settled) =>
    client.call((api) => api.adapterTry.mutate({ ref: settled, file })),
  );
  if (options.json === true) printDocument<AdapterTry>(context, document);
  else context.print(`${renderTry(document, context).join("\n")}\n`);
};

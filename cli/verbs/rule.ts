// `agtmux rule`: approval rules, what is wrong with them, what they would answer to a request, a draft of one, what they did, and
// arming and disarming. The daemon decides; rules.json is written by the person, never from here.
import { basename } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import type {
  RuleCheck,
  RuleDisarmed,
  RuleHistoryDocument,
  RuleListDocument,
  RuleLogDocument,
  RulePast,
  RuleRunView,
  RulesView,
  RuleTest,
  RuleView,
} from "../../core/model/rule.ts";
import { formatAge } from "../../core/model/words.ts";
import { ask, leaveUndone, readNamedFile } from "../command/ask.ts";
import { callDaemon, withDaemon, type CliContext } from "../command/context.ts";
import { countBy } from "../render/mark.ts";
import { printDocument } from "../command/document.ts";
import { parseCount } from "../parse/values.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor, renderTable, type Cell, type Column } from "../render/table.ts";
import { withRef } from "../command/settleRef.ts";

const MAX_FILE_BYTES = 262_144;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

interface JsonOption {
  json?: boolean;
}

const limitOf = (text: string | undefined): number =>
  text === undefined ? DEFAULT_LIMIT : parseCount(text, "--limit", { min: 1, max: MAX_LIMIT });

const LIST_COLUMNS: readonly Column[] = [
  { title: "RULE", min: 8 },
  { title: "THEN", min: null },
  { title: "MODE", min: null },
  { title: "DID", min: null, align: "right" },
  { title: "WOULD HAVE", min: null, align: "right" },
];

const toRow = ({ name, then, mode, when, answered, would_have }: RuleView): Cell[] => [
  { text: cleanLine(name) },
  { text: then },
  { text: mode },
  { text: then === "approve" || then === "deny" || when["watch"] !== undefined ? String(answered) : "" },
  { text: mode === "shadow" ? String(would_have) : "" },
];

const whenLines = ({ when, channel, text }: RuleView): string[] =>
  Object.entries({
    ...when,
    ...(channel === null ? {} : { channel }),
    ...(text === null ? {} : { text }),
  }).map(([key, value]) => `  ${key}: ${cleanLine(JSON.stringify(value))}`);

const problemLine = (file: string, { line, path, message }: RuleCheck["problems"][number]): string =>
  cleanLine(`${file}:${line}: ${path === "" ? "" : `${path}: `}${message}`);

const BLOCKED =
  "! Nothing is approved until the file is right: what is wrong may have been a rule that refuses or leaves.";

const noteLines = ({ path, problems, blocks_approval, paused_at }: RulesView, now: number): string[] => [
  ...problems.map((problem) => `! ${problemLine(basename(path), problem)}`),
  ...(blocks_approval ? [BLOCKED] : []),
  ...(paused_at === null
    ? []
    : [
        `! Paused for ${formatAge(now - Date.parse(paused_at))}: no rule does anything. 'agtmux automation resume' ends it.`,
      ]),
];

const renderRules = async (context: CliContext, { items, exists, path }: RulesView): Promise<string[]> => {
  if (items.length === 0)
    return [
      exists
        ? "No rule is in force."
        : `There is no ${cleanLine(path)}, so no rule answers anything: see docs/automation.md.`,
    ];
  const { width, paint } = context;
  const below = (index: number): string[] => items.slice(index, index + 1).flatMap(whenLines);
  return renderTable(LIST_COLUMNS, items.map(toRow), {
    width,
    paint,
    below,
    measure: await measureFor(items),
  });
};

export const runRuleList = async (context: CliContext, options: JsonOption): Promise<void> => {
  const view = await callDaemon(context, (api) => api.automation.rules.query({}));
  if (options.json === true) {
    printDocument<RuleListDocument>(context, {
      ...view,
      filters: {},
      summary: { total: view.items.length, by_mode: countBy(view.items, ({ mode }) => mode) },
      items: view.items.map((item) => ({ identity: { rule: item.name }, ...item })),
    });
    return;
  }
  context.print(`${[...(await renderRules(context, view)), ...noteLines(view, context.now())].join("\n")}\n`);
};

/** Fails with E_CONFIG_INVALID, which names the line of every problem. */
export const runRuleCheck = async (
  context: CliContext,
  path: string | undefined,
  options: JsonOption,
): Promise<void> => {
  const text = path === undefined ? null : await readNamedFile(path, MAX_FILE_BYTES);
  const checked = await callDaemon(context, (api) => api.automation.ruleCheck.query({ text }));
  const { problems, notes, rules, blocks_approval: isBlocked } = checked;
  const file = path === undefined ? "rules.json" : basename(path);
  if (problems.length > 0)
    throw new AgtmuxError(
      "E_CONFIG_INVALID",
      `${problems.length} ${problems.length === 1 ? "problem" : "problems"} in ${cleanLine(file)}`,
      {
        remedy: isBlocked
          ? "Correct the named lines; nothing is approved until then."
          : "Correct the named lines; the other rules stay in force.",
        details: problems.map((problem) => problemLine(file, problem)),
      },
    );
  if (options.json === true) {
    printDocument<RuleCheck>(context, checked);
    return;
  }
  const count = rules === 1 ? "1 rule is" : `${rules} rules are`;
  const said = notes.map(({ rule, note }) => `  ${cleanLine(`${rule}: ${note}`)}`);
  context.print(`${[`${count} good.`, ...said].join("\n")}\n`);
};

const VERDICTS: Readonly<Record<RuleTest["verdict"], string>> = {
  deny: "refused",
  leave: "left to you",
  approve: "approved",
  nothing: "left to you",
};

const verdictText = ({ verdict, mode, why }: Pick<RulePast, "verdict" | "mode" | "why">): string =>
  cleanLine(`${mode === "shadow" ? "would be " : ""}${VERDICTS[verdict]}: ${why}`);

const PAST_COLUMNS: readonly Column[] = [
  { title: "AGO", min: null, align: "right" },
  { title: "AGENT", min: null },
  { title: "VERDICT", min: null },
  { title: "RULE", min: null },
  { title: "ASKED", min: 20 },
];

/** Past requests are kept without what else an approval needs. */
const BY_WORDS =
  "By their words alone: whether one could be approved at all is a matter of its agent and its dialog.";

const printHistory = async (context: CliContext, items: readonly RulePast[]): Promise<void> => {
  const rows = items.map((item): Cell[] => [
    { text: formatAge(context.now() - Date.parse(item.at)) },
    { text: cleanLine(item.agent) },
    { text: item.mode === "shadow" ? `would ${item.verdict}` : item.verdict },
    { text: cleanLine(item.rule ?? "") },
    { text: cleanLine(item.asked) },
  ]);
  const { width, paint } = context;
  const lines = renderTable(PAST_COLUMNS, rows, { width, paint, measure: await measureFor(items) });
  const said = items.length === 0 ? ["Nothing was asked yet."] : [...lines, BY_WORDS];
  context.print(`${said.join("\n")}\n`);
};

interface RuleTestOptions extends JsonOption {
  agent: string;
  session: string;
  cwd?: string;
  history?: boolean;
  limit?: string;
}

const runHistory = async (context: CliContext, options: RuleTestOptions): Promise<void> => {
  const limit = limitOf(options.limit);
  const { items } = await callDaemon(context, (api) => api.automation.ruleHistory.query({ limit }));
  if (options.json !== true) return printHistory(context, items);
  printDocument<RuleHistoryDocument>(context, {
    filters: { limit },
    summary: { total: items.length, by_verdict: countBy(items, ({ verdict }) => verdict) },
    items: items.map((item) => ({ identity: { pane_ref: item.ref }, ...item })),
  });
};

export const runRuleTest = async (
  context: CliContext,
  command: string | undefined,
  options: RuleTestOptions,
): Promise<void> => {
  if ((command === undefined) !== (options.history === true))
    throw new AgtmuxError("E_USAGE", "rule test takes a command as one quoted argument, or --history", {
      remedy: "As in: agtmux rule test 'git status'",
    });
  if (command === undefined) return runHistory(context, options);
  const { agent, session, cwd = process.cwd() } = options;
  const tested = await callDaemon(context, (api) =>
    api.automation.ruleTest.query({ command, agent, session, folder: cwd }),
  );
  if (options.json === true) printDocument<RuleTest>(context, { command, ...tested });
  else
    context.print(
      `${[
        verdictText(tested),
        ...(tested.words === null ? [] : [`  words: ${tested.words.map(cleanLine).join(" | ")}`]),
        ...tested.notify.map((name) => `  told by ${cleanLine(name)}`),
      ].join("\n")}\n`,
    );
};

const DRAFTS = ["approve", "deny", "leave"] as const;

/** Prints the rule, and on stderr what to do with it. */
export const runRuleDraft = async (
  context: CliContext,
  typed: string,
  options: { then?: string },
): Promise<void> => {
  const then = DRAFTS.find((one) => one === (options.then ?? "approve"));
  if (then === undefined)
    throw new AgtmuxError("E_USAGE", `--then: unknown value '${cleanLine(options.then ?? "")}'`, {
      remedy: `It is one of ${DRAFTS.join(", ")}.`,
    });
  await withRef(context, { ref: typed, says: true }, async (client, ref) => {
    const { pane } = await client.call((api) => api.explain.query({ ref }));
    const runtimeId = pane.identity.runtime_id ?? "none";
    const { rule, text, notes } = await client.call((api) =>
      api.automation.ruleDraft.query({
        runtimeId,
        verdict: then,
      }),
    );
    context.print(`${text}\n`);
    for (const note of notes) context.stderr.write(`! ${cleanLine(note)}\n`);
    const counts =
      then === "leave"
        ? "it is in force at once"
        : `it answers nothing until 'agtmux rule arm ${cleanLine(rule.name)}'`;
    context.stderr.write(`Put it among the "rules" of ~/.agtmux/rules.json; ${counts}.\n`);
  });
};

const LOG_COLUMNS: readonly Column[] = [
  { title: "AGO", min: null, align: "right" },
  { title: "RULE", min: null },
  { title: "VERDICT", min: null },
  { title: "OUTCOME", min: 10 },
  { title: "COMMAND", min: 10 },
  { title: "REF", min: null },
];

const logRow = (run: RuleRunView, now: number): Cell[] => [
  { text: formatAge(now - Date.parse(run.at)) },
  { text: cleanLine(run.rule) },
  { text: run.verdict.replace("_", " ") },
  { text: cleanLine(run.outcome) },
  { text: cleanLine(run.command) },
  { text: cleanLine(run.ref) },
];

export const runRuleLog = async (
  context: CliContext,
  options: JsonOption & { limit?: string },
): Promise<void> => {
  const limit = limitOf(options.limit);
  const { items } = await callDaemon(context, (api) => api.automation.ruleLog.query({ limit }));
  if (options.json === true) {
    printDocument<RuleLogDocument>(context, {
      filters: { limit },
      summary: { total: items.length, by_verdict: countBy(items, ({ verdict }) => verdict) },
      items: items.map((item) => ({
        identity: { rule: item.rule, runtime_id: item.runtime_id },
        ...item,
      })),
    });
    return;
  }
  const { width, paint } = context;
  const rows = items.map((run) => logRow(run, context.now()));
  const lines = renderTable(LOG_COLUMNS, rows, { width, paint, measure: await measureFor(items) });
  context.print(`${(items.length === 0 ? ["No rule has done anything yet."] : lines).join("\n")}\n`);
};

const SAYS: Readonly<Record<RuleView["then"], string>> = {
  approve: "approves these immediately, without asking you, whenever an agent asks for one",
  deny: "refuses these, at once and without you",
  leave: "leaves these to you",
  notify: "tells you of these",
  send: "types this text to an agent that is idle, without asking you",
};

/** Gives the exit status. */
export const runRuleArm = async (context: CliContext, name: string): Promise<number> => {
  if (!context.stdin.isTTY || !context.stdout.isTTY)
    throw new AgtmuxError("E_CONFIRMATION_REQUIRED", "a rule is armed at a terminal, by whoever reads it", {
      remedy: `Run 'agtmux rule arm ${cleanLine(name)}' in a terminal.`,
    });
  return withDaemon(context, async (client) => {
    const { items } = await client.call((api) => api.automation.rules.query({}));
    const rule = items.find((one) => one.name === name);
    if (rule === undefined)
      throw new AgtmuxError("E_REF_NOT_FOUND", `no rule in force is called '${cleanLine(name)}'`, {
        remedy: "See 'agtmux rule list', and 'agtmux rule check' for what is wrong with others.",
      });
    const shown = [
      context.paint("bold", `The rule '${cleanLine(rule.name)}' ${SAYS[rule.then]}:`),
      ...whenLines(rule),
      ...rule.notes.map((note) => `! ${cleanLine(note)}`),
    ];
    context.print(`${shown.join("\n")}\n`);
    const answer = await ask("Arm it? [y/N] ", context);
    if (answer !== true) return leaveUndone(context, answer !== null, "armed");
    const armed = await client.call((api) =>
      api.automation.ruleArm.mutate({
        name,
        hash: rule.hash,
        surface: "cli",
      }),
    );
    context.print(`Armed ${cleanLine(armed.name)}. 'agtmux rule log' says what it does.\n`);
    return 0;
  });
};

export const runRuleDisarm = async (
  context: CliContext,
  name: string,
  options: JsonOption,
): Promise<void> => {
  const disarmed = await callDaemon(context, (api) =>
    api.automation.ruleDisarm.mutate({ name, surface: "cli" }),
  );
  if (options.json === true) printDocument<RuleDisarmed>(context, disarmed);
  else
    context.print(
      disarmed.was_armed ? `Disarmed ${cleanLine(name)}.\n` : `${cleanLine(name)} was not armed.\n`,
    );
};

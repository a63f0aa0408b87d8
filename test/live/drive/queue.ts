// Texts that wait until the agent rests: never onto what a person has typed and not sent, and a queue of them one after the other,
// each as a turn of its own. The model's requests say what the agent was given, and when.
/* oxlint-disable unicorn/no-thenable -- the word of a rules file */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import type { AgentId } from "../agents/agentIds.ts";
import type { Exchange } from "../model/modelLog.ts";
import { untilTrue } from "../rig/livePane.ts";
import { AGTMUX } from "../rig/product.ts";
import { act, referenceOf, waitFor } from "./act.ts";
import { type Scenario, USUAL_START } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import { ask, completeTurn, hasFile, hasOpenExchange } from "./turns.ts";

// Approval rules on the live agent: one that a person armed approves what the agent asks, another one refuses, and what neither is
// about is left. Held against the file that the command made, and the record of rules.

const RULES = [
  { name: "touch", when: { commands: [["touch", "*"]] }, then: "approve" },
  { name: "no-force", when: { commands: [["git", "push", "--force"]] }, then: "deny" },
];
/** Their events tell every argument of a command, and their dialogs are whole; what another agent leaves out would be approved unseen. */
const TELL_ALL: ReadonlySet<AgentId> = new Set(["claude", "opencode"]);
const ANSWERED_WITHIN_MS = 20_000;
const LEFT_FOR_MS = 5_000;
const ARMED_WITHIN_MS = 20_000;

const logSchema = z.looseObject({
  items: z.array(z.looseObject({ verdict: z.string(), outcome: z.string(), command: z.string() })),
});

/** What rules did with this command, as the record has it. */
const answersTo = async (stage: Stage, command: string): Promise<string[]> => {
  const { stdout } = await act(stage, "rule", "log", "--json");
  return logSchema
    .parse(JSON.parse(stdout))
    .items.filter((item) => item.command === command)
    .map(({ verdict, outcome }) => `${verdict}: ${outcome}`);
};

/** At a terminal, as a person does. */
const armRule = async ({ rig }: Stage, rule: string): Promise<void> => {
  const variables = Object.entries(rig.product.env).map(([name, value]) => `${name}='${value}'`);
  const command = `env ${variables.join(" ")} PATH="$PATH:${join(process.execPath, "..")}" '${AGTMUX}' rule arm ${rule}`;
  const paneId = await rig.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", `${command}; exec sleep 600`);
  const shows = (words: string) => async (): Promise<boolean> =>
    (await rig.tmux("capture-pane", "-p", "-t", paneId)).includes(words);
  if ((await untilTrue(shows("Arm it?"), ARMED_WITHIN_MS)) === null)
    throw new Error(`rule arm did not ask: ${await rig.tmux("capture-pane", "-p", "-t", paneId)}`);
  await rig.tmux("send-keys", "-t", paneId, "y", "Enter");
  if ((await untilTrue(shows(`Armed ${rule}.`), ARMED_WITHIN_MS)) === null)
    throw new Error(`rule arm did not arm: ${await rig.tmux("capture-pane", "-p", "-t", paneId)}`);
  await rig.tmux("kill-pane", "-t", paneId);
};

/** As the agent's own prompts ask for a command, with another command. */
const askForCommand = async ({ rig, pane }: Stage, command: string): Promise<void> => {
  await pane.say(rig.agent.prompts.approval("x").replace("touch x", command));
};

const rules: Scenario = {
  name: "rules",
  steps: ["rule_turn", "rule_approves", "rule_refuses", "rule_leaves"],
  // What an extension asks is a sentence of its own, which nobody takes for a command.
  lacks: ({ id }) => (id === "pi" ? "it asks for no command: what asks there is an extension" : null),
  start: USUAL_START,
  run: async (stage) => {
    const { rig, pane } = stage;
    const home = rig.product.env["AGTMUX_HOME"] ?? "";
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "rules.json"), JSON.stringify({ rules: RULES }), { mode: 0o600 });
    await completeTurn(stage, "rule_turn", `SAY ready n${stage.next()}`);
    for (const { name } of RULES) await armRule(stage, name);
    const mayApprove = rig.mode === "integrated" && TELL_ALL.has(rig.agent.id);

    const file = `live-${stage.next()}.txt`;
    await askForCommand(stage, `touch ${file}`);
    const made = await untilTrue(
      () => hasFile(stage, file),
      mayApprove ? ANSWERED_WITHIN_MS : LEFT_FOR_MS + ANSWERED_WITHIN_MS / 4,
    );
    const answers = await answersTo(stage, `touch ${file}`);
    // What no event told whole is never approved.
    await stage.did("rule_approves", (made !== null) === mayApprove, answers.join("; "));
    if (made === null) await pane.press(rig.agent.keys.deny);
    await wait(LEFT_FOR_MS);

    const push = `git push --force origin n${stage.next()}`;
    await askForCommand(stage, push);
    const isRefused = async (): Promise<boolean> =>
      (await answersTo(stage, push)).includes("deny: delivered");
    const refused = await untilTrue(isRefused, ANSWERED_WITHIN_MS);
    await stage.did("rule_refuses", refused !== null, (await answersTo(stage, push)).join("; "));
    if (refused === null) await pane.press(rig.agent.keys.deny);
    await wait(LEFT_FOR_MS);

    const odd = `live-${stage.next()}.txt`;
    await askForCommand(stage, `touch ${odd}; true`);
    await wait(LEFT_FOR_MS);
    const isLeft = !hasFile(stage, odd) && (await pane.isShown(rig.agent.markers.approval));
    await stage.did("rule_leaves", isLeft, isLeft ? "" : await pane.screen());
    await pane.press(rig.agent.keys.deny);
  },
};

export const RULE_SCENARIOS: readonly Scenario[] = [rules];

const DRAFT = "half a thought";
/** The queue looks again after some seconds at the latest; twice that. */
const HELD_FOR_MS = 8_000;
const SENT_WITHIN_MS = 20_000;
const COUNT = 5;
const WORKED_OFF_WITHIN_MS = 120_000;

/** The request that the text led to. */
const exchangeOf = (stage: Stage, since: number, text: string): Exchange | null =>
  stage.since(since).find(({ prompt, toolResult }) => toolResult === null && prompt.includes(text)) ?? null;

const arm = async (stage: Stage, text: string): Promise<string | null> => {
  const { ref } = await referenceOf(stage);
  const { code, said } = await act(stage, "send", ref, "--text", text, "--when-ready", "--json");
  return code === 0 ? null : `send --when-ready: ${said}`;
};

const keepDraft = async (stage: Stage): Promise<string | null> => {
  const { pane } = stage;
  const [text, since] = [`SAY later n${stage.next()}`, Date.now()];
  await stage.rig.tmux("send-keys", "-t", pane.paneId, "-l", "--", DRAFT);
  await pane.untilShown(new RegExp(DRAFT));
  const problem = await arm(stage, text);
  if (problem !== null) return problem;
  await wait(HELD_FOR_MS);
  if (exchangeOf(stage, since, text) !== null) return "the text was sent while a draft stood in the box";
  if (!(await pane.isShown(new RegExp(DRAFT)))) return "the draft has gone";
  for (const _letter of DRAFT) await stage.rig.tmux("send-keys", "-t", pane.paneId, "BSpace");
  await untilTrue(() => (exchangeOf(stage, since, text)?.ended ?? null) !== null, SENT_WITHIN_MS);
  const sent = exchangeOf(stage, since, text);
  if (sent === null) return "the text was not sent after the draft had gone";
  return sent.prompt.includes("thought") ? `the agent was given '${sent.prompt}'` : null;
};

const draftKept: Scenario = {
  name: "draft",
  steps: ["draft_turn", "draft_kept"],
  run: async (stage) => {
    // Its start is not what is tried here: only a turn that ended says for sure that it rests.
    await completeTurn(stage, "draft_turn", `SAY ready n${stage.next()}`);
    const problem = await keepDraft(stage);
    await stage.did("draft_kept", problem === null, problem ?? "");
  },
};

const nameOf = (index: number): string => `queue_${index + 1}`;

/** What is wrong with the one after `before`; null: nothing is. */
const findFault = (
  sent: Exchange | null,
  before: Exchange | null,
  texts: readonly string[],
): string | null => {
  if (sent === null) return "it was not sent";
  const others = texts.filter((text) => sent.prompt.includes(text));
  if (others.length !== 1) return `the agent was given '${sent.prompt}'`;
  const restedAt = before?.ended?.at ?? null;
  return before !== null && (restedAt === null || sent.at < restedAt)
    ? "the turn before had not ended"
    : null;
};

const workOff = async (stage: Stage): Promise<void> => {
  const since = Date.now();
  const first = `SLOW 6 n${stage.next()}`;
  await stage.pane.say(first);
  // By the screen alone, nobody sees a turn that is over within a moment: the next text waits a minute then.
  const texts = Array.from({ length: COUNT }, () => `SLOW 3 n${stage.next()}`);
  for (const text of texts) {
    const problem = await arm(stage, text);
    if (problem !== null) throw new Error(problem);
  }
  const last = texts.at(-1) ?? "";
  await untilTrue(
    () => exchangeOf(stage, since, last) !== null && !hasOpenExchange(stage, since),
    WORKED_OFF_WITHIN_MS,
  );
  let before = exchangeOf(stage, since, first);
  for (const [index, text] of texts.entries()) {
    const sent = exchangeOf(stage, since, text);
    const fault = findFault(sent, before, texts);
    const took =
      sent === null || before === null || before.ended === null
        ? ""
        : `${sent.at - before.ended.at} ms after the end before it`;
    await stage.did(nameOf(index), fault === null, fault ?? took);
    before = sent;
  }
};

const fiveTexts: Scenario = {
  name: "queue_of_five",
  steps: Array.from({ length: COUNT }, (_, index) => nameOf(index)),
  start: USUAL_START,
  run: workOff,
};

const LIMIT_MINUTES = 1;
/** An agent shows whole minutes; the text comes one to three minutes after the one that it shows. */
const AFTER_RESET_MS = { least: 0, most: 185_000 };

const goOnAfterLimit = async (stage: Stage): Promise<string | null> => {
  const { said } = await ask(stage, `LIMIT ${LIMIT_MINUTES} n${stage.next()}`);
  const endsAt = said.at + LIMIT_MINUTES * 60_000;
  const text = `SAY on n${stage.next()}`;
  const { ref, version } = await referenceOf(stage);
  const stopped = await waitFor(stage, { ref, until: "error", after: version - 1, seconds: 20 });
  if (stopped.row === null) return `wait for error: ${stopped.acted.said}`;
  const { code, said: answer } = await act(stage, "send", ref, "--text", text, "--at-reset", "--json");
  if (code !== 0) return `send --at-reset: ${answer}`;
  await untilTrue(
    () => exchangeOf(stage, said.at, text) !== null,
    LIMIT_MINUTES * 60_000 + AFTER_RESET_MS.most,
  );
  const sent = exchangeOf(stage, said.at, text);
  if (sent === null) return "the text was not sent";
  const after = sent.at - endsAt;
  return after < AFTER_RESET_MS.least ? `it was sent ${-after} ms before the limit ended` : null;
};

const limitReset: Scenario = {
  name: "limit",
  steps: ["limit_reset"],
  // Claude Code names the time only to whom it knows by an account, and then goes on by itself.
  lacks: ({ id }) => (id === "codex" ? null : "it does not say when a limit of the scripted model ends"),
  start: USUAL_START,
  run: async (stage) => {
    const problem = await goOnAfterLimit(stage);
    await stage.did("limit_reset", problem === null, problem ?? "");
  },
};

export const QUEUE_SCENARIOS: readonly Scenario[] = [draftKept, fiveTexts, limitReset];

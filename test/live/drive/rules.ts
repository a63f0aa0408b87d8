// Approval rules on the live agent: one that a person armed approves what the agent asks, another one refuses, and what neither is
// about is left. Held against the file that the command made, and the record of rules.
/* oxlint-disable unicorn/no-thenable -- the word of a rules file */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import type { AgentId } from "../agents/agentIds.ts";
import { untilTrue } from "../rig/livePane.ts";
import { AGTMUX } from "../rig/product.ts";
import { act } from "./act.ts";
import { USUAL_START, type Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import { completeTurn, hasFile } from "./turns.ts";

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
const arm = async ({ rig }: Stage, rule: string): Promise<void> => {
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
const ask = async ({ rig, pane }: Stage, command: string): Promise<void> => {
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
    for (const { name } of RULES) await arm(stage, name);
    const mayApprove = rig.mode === "integrated" && TELL_ALL.has(rig.agent.id);

    const file = `live-${stage.next()}.txt`;
    await ask(stage, `touch ${file}`);
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
    await ask(stage, push);
    const isRefused = async (): Promise<boolean> =>
      (await answersTo(stage, push)).includes("deny: delivered");
    const refused = await untilTrue(isRefused, ANSWERED_WITHIN_MS);
    await stage.did("rule_refuses", refused !== null, (await answersTo(stage, push)).join("; "));
    if (refused === null) await pane.press(rig.agent.keys.deny);
    await wait(LEFT_FOR_MS);

    const odd = `live-${stage.next()}.txt`;
    await ask(stage, `touch ${odd}; true`);
    await wait(LEFT_FOR_MS);
    const isLeft = !hasFile(stage, odd) && (await pane.isShown(rig.agent.markers.approval));
    await stage.did("rule_leaves", isLeft, isLeft ? "" : await pane.screen());
    await pane.press(rig.agent.keys.deny);
  },
};

export const RULE_SCENARIOS: readonly Scenario[] = [rules];

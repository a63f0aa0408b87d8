// Two accounts of one agent side by side: another configuration folder, which a variable of the environment names. Each has its own
// state, its hooks, and its sessions in the history, and set-up takes everything out of both again.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentId } from "../agents/agentIds.ts";
import type { LiveAgent } from "../agents/liveAgent.ts";
import { untilTrue, type LivePane } from "../rig/livePane.ts";
import { act } from "./act.ts";
import { USUAL_START, type Scenario } from "./scenario.ts";
import { findSession } from "./sessions.ts";
import { askedBy, type Stage } from "./stage.ts";
import { ask, completeTurn } from "./turns.ts";

const DIALOG_LIMIT_MS = 25_000;
const LISTED_LIMIT_MS = 10_000;

/** The folder below a home, the variable that names another one, and the file that holds our hooks. */
const FOLDERS: Partial<Record<AgentId, { folder: string; variable: string; hooks: string }>> = {
  claude: { folder: ".claude", variable: "CLAUDE_CONFIG_DIR", hooks: "settings.json" },
  codex: { folder: ".codex", variable: "CODEX_HOME", hooks: "hooks.json" },
};

const named = (agent: LiveAgent) => {
  const found = FOLDERS[agent.id];
  if (found === undefined) throw new Error(`${agent.id} is not driven with two accounts`);
  return found;
};

/** The agent with a second configuration folder, as after its first start there. */
const secondOf = async ({ rig: { agent, place } }: Stage): Promise<{ agent: LiveAgent; folder: string }> => {
  const { folder, variable } = named(agent);
  const home = join(place.home, "second");
  await agent.configure({ ...place, home });
  const dir = join(home, folder);
  // Claude Code keeps beside its usual folder what it keeps within another one.
  if (existsSync(`${dir}.json`)) copyFileSync(`${dir}.json`, join(dir, `${folder}.json`));
  return { agent: { ...agent, command: `env ${variable}=${dir} ${agent.command}` }, folder: dir };
};

const hasHooks = (folder: string, { hooks }: { hooks: string }): boolean =>
  existsSync(join(folder, hooks)) && readFileSync(join(folder, hooks), "utf8").includes("agtmux-event");

/** The agent with this account asks for a permission while the other one works. */
const besideEachOther = async (
  { asking, file }: { asking: Stage; file: string },
  { working, prompt }: { working: Stage; prompt: string },
  name: string,
): Promise<void> => {
  const { agent } = asking.rig;
  // Codex drops what is typed while the server of another folder starts.
  const tried = await ask(working, prompt);
  const busy = tried.asked === null ? await ask(working, prompt) : tried;
  const said = await asking.pane.say(agent.prompts.approval(file));
  const since = await asking.pane.untilShown(agent.markers.approval, {
    after: said,
    limitMs: DIALOG_LIMIT_MS,
  });
  if (since === null || busy.asked === null)
    return asking.undriven(
      `${name}_waits`,
      ["waiting_approval"],
      "it did not ask, or the other one did not work",
    );
  await asking.check({
    step: `${name}_waits`,
    states: ["waiting_approval"],
    since,
    causedAt: said.at,
    holds: () => asking.pane.isShown(agent.markers.approval),
  });
  await working.check({
    step: `${name}_other_runs`,
    states: ["running"],
    since: busy.asked.at,
    causedAt: busy.said.at,
    holds: () => askedBy(working, busy.said)?.ended === null,
  });
  await asking.pane.press(agent.keys.deny);
  await asking.pane.untilHidden(agent.markers.approval);
  await working.pane.press(agent.keys.interrupt);
  await untilTrue(() => askedBy(working, busy.said)?.ended !== null, DIALOG_LIMIT_MS);
};

const tellNames = async (stages: readonly Stage[], names: readonly string[]): Promise<void> => {
  const [first] = stages;
  const rows = await Promise.all(stages.map(({ rig, pane }) => rig.product.row(pane.paneId)));
  const said = rows.map((row) => row?.account ?? "none");
  await first?.did("accounts_named", said.join() === names.join(), `accounts: ${said.join(", ")}`);
};

const accounts: Scenario = {
  name: "accounts",
  steps: [
    "accounts_listed",
    "first_waits",
    "first_other_runs",
    "second_waits",
    "second_other_runs",
    "accounts_named",
    "second_completed",
    "accounts_history",
    "accounts_removed",
  ],
  start: USUAL_START,
  lacks: ({ id }) => (FOLDERS[id] === undefined ? "driven with Claude Code and Codex" : null),
  run: async (stage) => {
    const { rig } = stage;
    const { agent, folder } = await secondOf(stage);
    const own = join(rig.place.home, named(rig.agent).folder);
    writeFileSync(
      join(rig.product.env.AGTMUX_HOME, "config.json"),
      JSON.stringify({ agents: { [agent.id]: { folders: [folder] } } }),
    );
    const isListed = async (): Promise<boolean> =>
      (await act(stage, "integrate", "--json")).stdout.includes(JSON.stringify(folder));
    const listedAt = await untilTrue(isListed, LISTED_LIMIT_MS);
    await stage.did("accounts_listed", listedAt !== null, folder);
    if (rig.mode === "integrated") await act(stage, "integrate", agent.id, "--yes");
    const pane: LivePane = await rig.openPane("second", { agent });
    const second = stage.on(pane);
    // By the first words of each, the history has their sessions.
    const firstWords = [`live-${stage.next()}.txt`, `SLOW 60 n${stage.next()}`] as const;
    const slow = `SLOW 60 n${stage.next()}`;
    await besideEachOther(
      { asking: stage, file: firstWords[0] },
      { working: second, prompt: firstWords[1] },
      "first",
    );
    await besideEachOther(
      { asking: second, file: `live-${stage.next()}.txt` },
      { working: stage, prompt: slow },
      "second",
    );
    await tellNames([stage, second], [named(agent).folder, "second"]);

    await completeTurn(second, "second_completed", `SAY second n${stage.next()}`);
    const found: (string | null)[] = [];
    for (const words of firstWords) found.push(await findSession(stage, agent.id, words));
    await stage.did("accounts_history", !found.includes(null) && found[0] !== found[1], found.join(", "));

    const { said } = await act(stage, "setup", "--remove", "--yes");
    const left = [own, folder].filter((dir) => hasHooks(dir, named(agent)));
    await stage.did(
      "accounts_removed",
      left.length === 0,
      left.length === 0 ? said : `left in ${left.join(", ")}`,
    );
    await pane.close();
  },
};

export const ACCOUNT_SCENARIOS: readonly Scenario[] = [accounts];

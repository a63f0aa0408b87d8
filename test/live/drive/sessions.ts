// Sessions that agtmux starts, goes on with and brings back: how soon a started agent has its row, and whether the agent went on in
// the very same session, by the agent's own log.
import { setTimeout as wait } from "node:timers/promises";
import { restoredSchema, startedSchema, type Started } from "../../../core/model/workspace.ts";
import { historyListSchema } from "../../../core/model/history.ts";
import { createLivePane, untilTrue, type LivePane } from "../rig/livePane.ts";
import { act, type Acted } from "./act.ts";
import { USUAL_START, type Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import { ask, endedAt } from "./turns.ts";

const STARTS = 5;
const ROW_LIMIT_MS = 3_000;
const FIRST_TURN_MS = 60_000;
const LISTED_LIMIT_MS = 10_000;
const GONE_LIMIT_MS = 20_000;
/** What runs where is kept some seconds after it has changed. */
const KEPT_MS = 5_000;
const SESSION = "kept";

const startedBy = ({ code, stdout }: Acted): Started | null =>
  code === 0 ? startedSchema.parse(JSON.parse(stdout)) : null;

export const endSession = async (stage: Stage, name: string): Promise<void> => {
  await stage.rig.tmux("kill-session", "-t", `=${name}`).catch(() => {
    // Nothing was started: the step says so.
  });
};

/** Ms from the command to the row in the feed; what went wrong is a text. */
const timeStart = async (stage: Stage, name: string): Promise<number | string> => {
  const { rig } = stage;
  const at = Date.now();
  const begun = await act(
    stage,
    "start",
    rig.agent.id,
    "--session",
    name,
    "--cwd",
    rig.place.project,
    "--json",
  );
  const paneId = startedBy(begun)?.pane_id ?? null;
  if (paneId === null) return begun.said;
  const seen = (): number | null => rig.feed.from(paneId, at).find(({ row }) => row !== null)?.at ?? null;
  await untilTrue(() => seen() !== null, ROW_LIMIT_MS);
  const seenAt = seen();
  return seenAt === null ? "no row in the feed" : seenAt - at;
};

const rows: Scenario = {
  name: "start_row",
  steps: ["start_row"],
  run: async (stage) => {
    const times: (number | string)[] = [];
    for (let index = 0; index < STARTS; index += 1) {
      times.push(await timeStart(stage, `row${index}`));
      await endSession(stage, `row${index}`);
    }
    const isRight = times.every((time) => typeof time === "number" && time <= ROW_LIMIT_MS);
    await stage.did("start_row", isRight, `row after ${times.join(", ")} ms`);
  },
};

/** The id of the session in whose first prompt the text stands. */
export const findSession = async (stage: Stage, agent: string, text: string): Promise<string | null> => {
  let id: string | null = null;
  await untilTrue(async () => {
    const { code, stdout } = await act(stage, "history", "list", "--agent", agent, "--json");
    const items = code === 0 ? historyListSchema.parse(JSON.parse(stdout)).items : [];
    id =
      items.find(({ first_prompt: prompt }) => prompt?.includes(text) === true)?.identity.session_id ?? null;
    return id !== null;
  }, LISTED_LIMIT_MS);
  return id;
};

/** What is missing of these prompts, one after the other, in the log of the session; null: nothing. */
const findMissing = async (stage: Stage, id: string, prompts: readonly string[]): Promise<string | null> => {
  const asked = async (): Promise<string[]> => {
    const { stdout } = await act(stage, "history", "show", id, "--all");
    return stdout.split("\n").filter((line) => line.startsWith("> "));
  };
  const isThere = async (): Promise<boolean> => {
    const lines = await asked();
    const places = prompts.map((prompt) => lines.findIndex((line) => line.includes(prompt)));
    return places.every((place, index) => place !== -1 && place > (places[index - 1] ?? -1));
  };
  if ((await untilTrue(isThere, LISTED_LIMIT_MS)) !== null) return null;
  return `its log has ${(await asked()).slice(-5).join(" ")}`.slice(0, 300);
};

/** Asks in a pane that agtmux made, as a person does. */
const goOn = async (stage: Stage, pane: LivePane, prompt: string): Promise<string | null> => {
  const { markers, deafMs } = stage.rig.agent;
  if ((await pane.untilShown(markers.ready, { limitMs: FIRST_TURN_MS })) === null)
    return "it was never ready";
  await wait(deafMs + 1_000);
  const { said } = await ask(stage.on(pane), prompt);
  return (await endedAt(stage, said.at, FIRST_TURN_MS)) === null ? `no answer to '${prompt}'` : null;
};

const paneOf = ({ rig }: Stage, started: Started | null): LivePane | null =>
  started === null || started.pane_id === null
    ? null
    : createLivePane(rig.tmux, started.session_name, started.pane_id);

/** A session of one prompt, ended with its pane; its id, or what went wrong. */
const leaveSession = async (stage: Stage, prompt: string): Promise<{ id: string } | string> => {
  const { rig } = stage;
  const place = ["--session", SESSION, "--cwd", rig.place.project];
  const at = Date.now();
  const begun = await act(stage, "start", rig.agent.id, ...place, "--text", prompt, "--json");
  const started = startedBy(begun);
  if (started === null) return `start: ${begun.said}`;
  const isDone = (): boolean =>
    stage.since(at).some((one) => one.prompt.includes(prompt) && one.ended !== null);
  if ((await untilTrue(isDone, FIRST_TURN_MS)) === null)
    return `the task never reached the model: ${begun.said}`;
  const id = await findSession(stage, rig.agent.id, prompt);
  if (id === null) return "the session is not listed";
  await endSession(stage, SESSION);
  const hasGone = async (): Promise<boolean> => (await rig.product.row(started.pane_id ?? "")) === null;
  return (await untilTrue(hasGone, GONE_LIMIT_MS)) === null ? "its row stayed" : { id };
};

const resume = async (
  stage: Stage,
  id: string,
  prompts: readonly [string, string],
): Promise<string | null> => {
  const begun = await act(stage, "history", "resume", id, "--session", SESSION, "--json");
  const pane = paneOf(stage, startedBy(begun));
  if (pane === null) return `history resume: ${begun.said}`;
  return (await goOn(stage, pane, prompts[1])) ?? (await findMissing(stage, id, prompts));
};

const restore = async (
  stage: Stage,
  id: string,
  prompts: readonly [string, string, string],
): Promise<string | null> => {
  const { rig } = stage;
  await wait(KEPT_MS);
  await rig.restartServer();
  const hasGone = async (): Promise<boolean> =>
    (await rig.product.list()).rows.every(({ state }) => state === null);
  if ((await untilTrue(hasGone, GONE_LIMIT_MS)) === null) return "rows of the server that ended stayed";
  const back = await act(stage, "restore", "--yes", "--json");
  if (back.stdout === "") return `restore: ${back.said}`;
  const { items } = restoredSchema.parse(JSON.parse(back.stdout));
  const own = items.find(({ lost }) => lost.agent_session_id === id);
  if (own === undefined)
    return `it was not offered; what was: ${items.map(({ lost }) => lost.agent).join(", ")}`;
  const pane = paneOf(stage, own.started);
  if (own.problem !== null || pane === null) return `restore: ${own.problem ?? back.said}`;
  return (await goOn(stage, pane, prompts[2])) ?? (await findMissing(stage, id, prompts));
};

const resumeAndRestore: Scenario = {
  name: "resume",
  steps: ["resume", "restore"],
  run: async (stage) => {
    const prompts = ["first", "second", "third"].map((word) => `SAY ${word} n${stage.next()}`);
    const [first = "", second = "", third = ""] = prompts;
    const left = await leaveSession(stage, first);
    if (typeof left === "string") return stage.did("resume", false, left);
    const problem = await resume(stage, left.id, [first, second]);
    await stage.did("resume", problem === null, problem ?? "");
    if (problem !== null) return;
    const lost = await restore(stage, left.id, [first, second, third]);
    await stage.did("restore", lost === null, lost ?? "");
  },
};

export const SESSION_SCENARIOS: readonly Scenario[] = [rows, { ...resumeAndRestore, start: USUAL_START }];

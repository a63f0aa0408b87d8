// Sessions of Claude Code that no pane shows (`claude --bg`): each state, opened in a pane and left again, answered, stopped,
// restarted, and without their supervisor. What is true is what the model was asked, what `claude agents` says, and what a pane shows
// that opens the session. They all run in one configuration folder.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import type { LiveAgent } from "../agents/liveAgent.ts";
import type { Shown } from "../results/result.ts";
import { createLivePane, untilTrue, type LivePane, type Said } from "../rig/livePane.ts";
import type { Rig } from "../rig/openRig.ts";
import { act, type Acted, referenceOf, waitFor } from "./act.ts";
import { USUAL_START, type Scenario } from "./scenario.ts";
import { askedBy, type Stage } from "./stage.ts";
import { endedAt, hasFile, hasOpenExchange } from "./turns.ts";

const STARTED_LIMIT_MS = 20_000;
const ASK_LIMIT_MS = 20_000;
const ATTACHED_LIMIT_MS = 20_000;
const LEFT_LIMIT_MS = 8_000;
const EFFECT_LIMIT_MS = 15_000;
const NO_EFFECT_MS = 2_500;
const LISTED_LIMIT_MS = 30_000;
/** Longer than all looks at one session take. */
const LONG_TURN_S = 120;

interface Session {
  id: string;
  said: Said;
  /** Its row, and the screen that the agent keeps of it, in the place of a pane's. */
  stage: Stage;
  /** Where it was started. */
  shell: LivePane;
}

/** In the place of a pane, without keys: what the session has drawn since it began, which its supervisor tells. */
const screenOf = (rig: Rig, id: string): LivePane =>
  createLivePane(
    (command) =>
      command === "capture-pane" ? rig.run("claude", "logs", id).catch(String) : Promise.resolve(""),
    "background",
    `bg-${id}`,
  );

/** Types `claude --bg` in a shell of its own, as a person does. @throws Error with what stands there instead of the session's id. */
const begin = async (stage: Stage, prompt: string): Promise<Session> => {
  const { rig } = stage;
  const at = Date.now();
  const shell = await rig.openPane(`shell${stage.next()}`, {
    args: `--bg '${prompt}'`,
    answersDialogs: false,
  });
  await shell.untilShown(/backgrounded · /, { limitMs: STARTED_LIMIT_MS });
  const id = /backgrounded · ([\w-]+)/.exec(await shell.screen())?.[1];
  if (id === undefined) throw new Error(`claude --bg did not begin: ${await shell.screen()}`);
  const session = { id, said: { prompt, at }, stage: stage.on(screenOf(rig, id)), shell };
  await untilTrue(() => askedBy(stage, session.said) !== null, ASK_LIMIT_MS);
  return session;
};

const end = async ({ id, stage, shell }: Session): Promise<void> => {
  await stage.rig.run("claude", "stop", id);
  await shell.close();
};

const word = z.string().default("-");
const listedSchema = z.array(z.looseObject({ id: word, status: word, state: word, waitingFor: word }));
const listed = async (rig: Rig): Promise<z.infer<typeof listedSchema>> =>
  listedSchema.parse(JSON.parse(await rig.run("claude", "agents", "--json", "--all")));
/** Whether `claude agents` has the session with these words: `waiting blocked permission prompt`, `- stopped -`. */
const isListed = async (rig: Rig, id: string, words: RegExp): Promise<boolean> =>
  (await listed(rig)).some(
    (one) => one.id === id && words.test(`${one.status} ${one.state} ${one.waitingFor}`),
  );

/** A state with the prompt that leads to it, what `claude agents` says of it, and what a pane then shows; null: the prompt. */
interface Driven {
  name: string;
  states: readonly Shown[];
  prompt: (stage: Stage) => string;
  listed: RegExp;
  words: (agent: LiveAgent) => RegExp | null;
}

const WAITS: Driven = {
  name: "bg_waiting_approval",
  states: ["waiting_approval"],
  prompt: (stage) => `RUN touch live-${stage.next()}.txt`,
  listed: /^waiting .*permission prompt/,
  words: ({ markers }) => markers.approval,
};
const RUNS: Driven = {
  name: "bg_running",
  states: ["running"],
  prompt: (stage) => `SLOW ${LONG_TURN_S} n${stage.next()}`,
  listed: /^busy/,
  words: () => null,
};
const RESTS: Driven = {
  name: "bg_completed",
  states: ["completed"],
  prompt: (stage) => `SAY hello n${stage.next()}`,
  listed: /^idle (?!failed)/,
  words: () => null,
};
const ASKS: Driven = {
  name: "bg_waiting_input",
  states: ["waiting_input"],
  prompt: (stage) => `ASK n${stage.next()}`,
  listed: /^waiting .*input needed/,
  words: ({ markers }) => markers.ask,
};
const DRIVEN: readonly Driven[] = [
  RUNS,
  WAITS,
  ASKS,
  RESTS,
  {
    name: "bg_error",
    states: ["error"],
    prompt: (stage) => `FAIL 400 n${stage.next()}`,
    listed: /^idle failed/,
    words: ({ markers }) => markers.error,
  },
];

/** A session in that state, when it was in it, and whether it still is. @throws Error when it does not get there. */
const drive = async (
  stage: Stage,
  driven: Driven,
): Promise<Session & { since: number; holds: () => Promise<boolean> }> => {
  const session = await begin(stage, driven.prompt(stage));
  const { said, id } = session;
  const isOpen = driven.listed === RUNS.listed;
  const holds = async (): Promise<boolean> =>
    (askedBy(stage, said)?.ended === null) === isOpen && (await isListed(stage.rig, id, driven.listed));
  const isThere = await untilTrue(holds, ASK_LIMIT_MS);
  // It comes with the model's last answer, after which it may have tried again; to ask the agent takes half a second.
  const since = isOpen ? (askedBy(stage, said)?.at ?? null) : await endedAt(stage, said.at);
  if (since === null || isThere === null)
    throw new Error(`${id} did not get to ${driven.name}: ${JSON.stringify(await listed(stage.rig))}`);
  return { ...session, since, holds };
};

/** Opens it in a pane, as a person does. */
const attach = async (
  stage: Stage,
  id: string,
  words: RegExp,
): Promise<{ pane: LivePane; since: number }> => {
  const pane = await stage.rig.openPane(`view${stage.next()}`, {
    args: `attach ${id}`,
    answersDialogs: false,
  });
  const since = await pane.untilShown(words, { limitMs: ATTACHED_LIMIT_MS });
  if (since === null) throw new Error(`claude attach ${id} did not show it: ${await pane.screen()}`);
  return { pane, since };
};

/** Back to the shell, while the session goes on. */
const leave = async (pane: LivePane): Promise<number> => {
  await pane.press(["C-z"]);
  const isLeft = async (): Promise<boolean> => (await pane.show("#{pane_current_command}")) === "bash";
  const since = await untilTrue(isLeft, LEFT_LIMIT_MS);
  if (since === null) throw new Error(`Ctrl+Z did not leave: ${await pane.screen()}`);
  return since;
};

const stateScenario = (driven: Driven): Scenario => ({
  name: driven.name,
  steps: ["", "_attached", "_one_row", "_left", "_left_pane"].map((step) => `${driven.name}${step}`),
  run: async (stage) => {
    const { name, states } = driven;
    const session = await drive(stage, driven);
    const { id, said, since, holds } = session;
    await session.stage.check({ step: name, states, since, causedAt: said.at, holds });

    const typedAt = Date.now();
    const shown = driven.words(stage.rig.agent) ?? new RegExp(said.prompt);
    const { pane, since: attachedAt } = await attach(stage, id, shown);
    const isAttached = async (): Promise<boolean> => (await pane.isShown(shown)) && (await holds());
    const attached = { since: attachedAt, causedAt: typedAt, holds: isAttached };
    // Who opened it has seen that its turn has ended.
    const seen: readonly Shown[] = driven === RESTS ? ["completed", "idle"] : states;
    await stage.on(pane).check({ step: `${name}_attached`, states: seen, ...attached });
    await session.stage.check({ step: `${name}_one_row`, states: ["gone"], ...attached });

    const pressedAt = Date.now();
    const leftAt = await leave(pane);
    const left = { since: leftAt, causedAt: pressedAt, holds };
    await session.stage.check({ step: `${name}_left`, states: seen, ...left });
    await stage.on(pane).check({ step: `${name}_left_pane`, states: ["gone"], ...left });
    await pane.close();
    await end(session);
  },
});

const toldModel =
  (words: string) =>
  (stage: Stage, _file: string, at: number): boolean =>
    stage.since(at).some(({ toolResult }) => toolResult?.includes(words) === true);

interface Answer {
  step: string;
  prompt: (file: string) => string;
  driven: Pick<Driven, "listed" | "words">;
  args: readonly string[];
  effect: (stage: Stage, file: string, at: number) => boolean;
  /** The effect has to stay away. */
  isAbsent?: boolean;
}

/** The exit status of what was refused because the screen shows something else, or nothing in time. */
const NOT_SHOWN = 5;

/** Waits for the request as agtmux tells it, and answers that very request, twice where it was not drawn in time. */
const answer = async (stage: Stage, args: readonly string[]): Promise<Pick<Acted, "code" | "said">> => {
  const { ref, version } = await referenceOf(stage);
  const { row, acted } = await waitFor(stage, {
    ref,
    until: "needs-action",
    after: version - 1,
    seconds: 15,
  });
  if (row === null) return { code: null, said: `wait: ${acted.said}` };
  const prompt = row.prompt_fingerprint === null ? [] : ["--if-prompt", row.prompt_fingerprint];
  const give = (): Promise<Acted> => act(stage, "answer", ref, ...args, ...prompt, "--json");
  const first = await give();
  return first.code === NOT_SHOWN ? give() : first;
};

/** With hooks it is answered from here; by files alone nothing is pressed, and it is answered in the pane that shows it. */
const answerScenario = ({ step, prompt, driven, args, effect, isAbsent = false }: Answer): Scenario => ({
  name: step,
  steps: [step, `${step}_over`, `${step}_attached`],
  run: async (stage) => {
    const file = `live-${stage.next()}.txt`;
    const session = await drive(stage, { ...WAITS, ...driven, name: step, prompt: () => prompt(file) });
    const { id, said } = session;
    const hasHappened = (limitMs: number): Promise<number | null> =>
      untilTrue(() => effect(stage, file, said.at), limitMs);
    const isEffective = async (): Promise<boolean> =>
      isAbsent ? (await hasHappened(NO_EFFECT_MS)) === null : (await hasHappened(EFFECT_LIMIT_MS)) !== null;
    const isOver = async (): Promise<boolean> => !(await session.holds());

    const fromHere = await answer(session.stage, args);
    if (stage.rig.mode === "integrated") {
      const isRight = fromHere.code === 0 && (await isEffective());
      await session.stage.did(step, isRight, fromHere.said);
    } else {
      const isRefused = fromHere.code !== 0 && (await hasHappened(NO_EFFECT_MS)) === null;
      await session.stage.did(step, isRefused && (await session.holds()), `by rule not: ${fromHere.said}`);
      const { pane } = await attach(stage, id, driven.words(stage.rig.agent) ?? /./);
      await wait(stage.rig.agent.deafMs);
      const inPane = await answer(stage.on(pane), args);
      await stage.did(`${step}_attached`, inPane.code === 0 && (await isEffective()), inPane.said);
      await leave(pane);
      await pane.close();
    }
    const since = await untilTrue(isOver, EFFECT_LIMIT_MS);
    const ended = await endedAt(stage, said.at);
    if (since === null || ended === null)
      await session.stage.undriven(`${step}_over`, ["completed"], "it still asks");
    else
      await session.stage.check({
        step: `${step}_over`,
        states: args.includes("--deny") ? ["completed", "idle"] : ["completed"],
        since: Math.max(since, ended),
        causedAt: said.at,
        holds: async () => !hasOpenExchange(stage, said.at) && (await isOver()),
      });
    await end(session);
  },
});

const ANSWERS: readonly Answer[] = [
  {
    step: "bg_approve",
    prompt: (file) => `RUN touch ${file}`,
    driven: WAITS,
    args: ["--approve"],
    effect: hasFile,
  },
  {
    step: "bg_deny",
    prompt: (file) => `RUN touch ${file}`,
    driven: WAITS,
    args: ["--deny"],
    effect: hasFile,
    isAbsent: true,
  },
  {
    step: "bg_option_2",
    prompt: () => "ASK",
    driven: ASKS,
    args: ["--option", "2"],
    effect: toldModel("Blue"),
  },
];

const stop: Scenario = {
  name: "bg_stop",
  steps: ["bg_stop_unasked", "bg_stop", "bg_stop_others"],
  run: async (stage) => {
    const session = await drive(stage, RUNS);
    const other = await drive(stage, WAITS);
    const { ref } = await referenceOf(session.stage);
    const unasked = await act(stage, "kill", ref, "--json");
    await session.stage.did("bg_stop_unasked", unasked.code !== 0 && (await session.holds()), unasked.said);
    const killed = await act(stage, "kill", ref, "--yes", "--json");
    const isStopped = async (): Promise<boolean> =>
      (await isListed(stage.rig, session.id, / stopped /)) &&
      (await stage.rig.product.row(session.stage.pane.paneId)) === null;
    await untilTrue(isStopped, EFFECT_LIMIT_MS);
    await session.stage.did("bg_stop", killed.code === 0 && (await isStopped()), killed.said);
    const { since, said, holds } = other;
    await other.stage.check({
      step: "bg_stop_others",
      states: WAITS.states,
      since,
      causedAt: said.at,
      holds,
    });
    await end(other);
    await session.shell.close();
  },
};

/** In a new process, which goes on in the same session; what it waited for may be dropped. */
const respawnScenario = (driven: Driven): Scenario => ({
  name: `${driven.name}_respawned`,
  steps: [`${driven.name}_respawned`],
  run: async (stage) => {
    const step = `${driven.name}_respawned`;
    const session = await drive(stage, driven);
    await wait(2_000);
    const causedAt = Date.now();
    await stage.rig.run("claude", "respawn", session.id);
    const isIdle = (): Promise<boolean> => isListed(stage.rig, session.id, /^idle/);
    const since = await untilTrue(async () => (await isIdle()) || (await session.holds()), LISTED_LIMIT_MS);
    // The new process knows no turn that has ended.
    const states: readonly Shown[] = (await isIdle()) ? ["completed", "idle"] : driven.states;
    if (since === null) await session.stage.undriven(step, states, "it did not come back");
    else {
      const holds = states === driven.states ? session.holds : isIdle;
      await session.stage.check({ step, states, since, causedAt, holds });
    }
    await end(session);
  },
});

const rosterSchema = z.looseObject({ supervisorPid: z.number().int() });
const supervisorOf = ({ place }: Rig): number =>
  rosterSchema.parse(JSON.parse(readFileSync(join(place.home, ".claude/daemon/roster.json"), "utf8")))
    .supervisorPid;

/** Sessions outlive their supervisor, and the next one takes them over. */
const supervisor: Scenario = {
  name: "bg_supervisor",
  steps: [
    "bg_orphan_running",
    "bg_orphan_waiting",
    "bg_orphan_completed",
    "bg_adopted_attached",
    "bg_adopted_left",
  ],
  run: async (stage) => {
    const runs = await drive(stage, { ...RUNS, prompt: () => `SLOW 25 n${stage.next()}` });
    const waits = await drive(stage, WAITS);
    const first = supervisorOf(stage.rig);
    process.kill(first, "SIGKILL");
    const since = Date.now();
    const killed = { since, causedAt: since };
    const step = (name: string): string => `bg_orphan_${name}`;
    await runs.stage.check({ step: step("running"), states: RUNS.states, ...killed, holds: runs.holds });
    await waits.stage.check({ step: step("waiting"), states: WAITS.states, ...killed, holds: waits.holds });
    const completedAt = await endedAt(stage, runs.said.at, 40_000);
    if (completedAt === null) await runs.stage.undriven(step("completed"), ["completed"], "it did not end");
    else
      await runs.stage.check({
        step: step("completed"),
        states: ["completed"],
        since: completedAt,
        causedAt: since,
        holds: () => isListed(stage.rig, runs.id, RESTS.listed),
      });

    const typedAt = Date.now();
    const words = WAITS.words(stage.rig.agent) ?? /./;
    const { pane, since: attachedAt } = await attach(stage, waits.id, words);
    const attached = { states: WAITS.states, since: attachedAt, causedAt: typedAt };
    const isShown = (): Promise<boolean> => pane.isShown(words);
    await stage.on(pane).check({ step: "bg_adopted_attached", ...attached, holds: isShown });
    const leftAt = await leave(pane);
    const left = { states: WAITS.states, since: leftAt, causedAt: leftAt };
    await waits.stage.check({ step: "bg_adopted_left", ...left, holds: waits.holds });
    await pane.close();
    await end(waits);
    await end(runs);
  },
};

/** A pane in which the agent sits at its prompt, in the same folder, is told nothing of what a session does. */
const bystander: Scenario = {
  name: "bg_bystander",
  steps: ["bg_bystander"],
  run: async (stage) => {
    const { rig, pane } = stage;
    const at = Date.now();
    const waits = await drive(stage, WAITS);
    const rests = await drive(stage, RESTS);
    await wait(2_000);
    const shown = rig.feed.from(pane.paneId, at).flatMap(({ row }) => row?.state ?? []);
    const isIdle = await pane.isShown(rig.agent.markers.ready);
    const said = `it was shown as ${[...new Set(shown)].join(", ")}`;
    await stage.did("bg_bystander", isIdle && shown.every((state) => state === "idle"), said);
    await end(waits);
    await end(rests);
  },
};

/** `←` moves a pane's session to the background in mid-turn, and the pane shows the list of sessions. */
const moved: Scenario = {
  name: "bg_moved",
  steps: ["bg_moved", "bg_moved_pane", "bg_moved_completed", "bg_moved_pane_later", "bg_moved_rows"],
  start: USUAL_START,
  run: async (stage) => {
    const { rig, pane } = stage;
    const prompt = `SLOW 20 n${stage.next()}`;
    const said = await pane.say(prompt);
    await untilTrue(() => askedBy(stage, said) !== null, ASK_LIMIT_MS);
    const causedAt = Date.now();
    await pane.press(["Left"]);
    const list = /moved to the background/;
    const since = await pane.untilShown(list);
    const find = async (): Promise<string | undefined> =>
      (await listed(rig)).find(({ id, status }) => id !== "-" && status === "busy")?.id;
    await untilTrue(async () => (await find()) !== undefined, LISTED_LIMIT_MS);
    const id = await find();
    if (since === null || id === undefined)
      return stage.undriven("bg_moved", ["running"], await pane.screen());
    const session = stage.on(screenOf(rig, id));
    const isRunning = (): Promise<boolean> => isListed(rig, id, RUNS.listed);
    const running = { states: RUNS.states, since: Date.now(), causedAt };
    await session.check({ step: "bg_moved", ...running, holds: isRunning });
    // The list of sessions is none of the states of work and need.
    const isCovered = (): Promise<boolean> => pane.isShown(list);
    const covered: readonly Shown[] = ["unknown", "idle", "gone"];
    await stage.check({ step: "bg_moved_pane", states: covered, since, causedAt, holds: isCovered });
    const isAtRest = (): Promise<boolean> => isListed(rig, id, RESTS.listed);
    const completedAt = await untilTrue(isAtRest, 60_000);
    if (completedAt === null) return session.undriven("bg_moved_completed", ["completed"], "it did not end");
    const completed = { since: completedAt, causedAt: completedAt };
    const rested = { states: RESTS.states, ...completed, holds: isAtRest };
    await session.check({ step: "bg_moved_completed", ...rested });
    await stage.check({ step: "bg_moved_pane_later", states: covered, ...completed, holds: isCovered });
    const rows = (await rig.product.list()).rows.flatMap(({ background }) => background?.id ?? []);
    const own = (await listed(rig)).map((one) => one.id).filter((one) => one !== "-");
    const isSame = rows.toSorted().join(" ") === own.toSorted().join(" ");
    await stage.did("bg_moved_rows", isSame, `rows ${rows.join(", ")}; the agent lists ${own.join(", ")}`);
  },
};

const lacks = ({ id }: LiveAgent): string | null =>
  id === "claude" ? null : "no session of it that no pane shows is a row";

export const BACKGROUND_SCENARIOS: readonly Scenario[] = [
  ...DRIVEN.map(stateScenario),
  ...ANSWERS.map(answerScenario),
  stop,
  respawnScenario(RESTS),
  respawnScenario(WAITS),
  supervisor,
  bystander,
  moved,
].map((scenario) => ({ ...scenario, lacks }));

// What can happen to a pane while somebody acts on it: each a change of the model world in one moment.
import { requestFor } from "./modelAdapter.ts";
import { textOf } from "./texts.ts";
import { rowsOf, type DialogStyle, type ModelPane, type Prompt, type TmuxModel } from "./tmuxModel.ts";

/** The pane that is acted on, and its neighbour. */
export const TARGET = "%0";
export const NEIGHBOUR = "%1";

let prompts = 0;
/** `detail`: the text of the request; each call is an asking of its own. */
export const ask = (style: DialogStyle, detail: string, isEdit = false): Prompt => ({
  id: `ask_${(prompts += 1)}`,
  style,
  request: requestFor(style, detail, isEdit),
  selected: 0,
});
export const askAgain = ({ style, request }: Prompt): Prompt =>
  ask(style, request.body ?? "", request.kind === "edit");

/** Another prompt whose text is hard to tell from that of the one before. */
export const askNext = (pane: Pick<ModelPane, "prompt" | "texts" | "asked">): Prompt =>
  ask(pane.prompt?.style ?? "digits", textOf(pane.texts, (pane.asked += 1)));

/** A new agent under an old name: at worst it asks exactly what the old one asked. */
const settleIn = (pane: ModelPane, before: ModelPane): void => {
  pane.isWorking = before.isWorking;
  pane.prompt = before.prompt === null ? null : askAgain(before.prompt);
  pane.above = before.above;
  pane.texts = before.texts;
  pane.asked = before.asked;
  pane.box = before.box;
};

const withTarget =
  (change: (model: TmuxModel, pane: ModelPane) => void) =>
  (model: TmuxModel): void => {
    const pane = model.panes.get(TARGET);
    if (pane !== undefined && model.isRunning) change(model, pane);
  };

const backToShell = (model: TmuxModel, pane: ModelPane): void => {
  model.end(pane.front);
  Object.assign(pane, { front: pane.first, prompt: null, isWorking: false, box: "" });
};

const replaceInShell = (command: string) =>
  withTarget((model, pane) => {
    if (pane.first === pane.front) return;
    const before = { ...pane };
    backToShell(model, pane);
    pane.front = model.spawn(command, true);
    settleIn(pane, before);
  });

const respawn = (model: TmuxModel, pane: ModelPane): void => {
  const before = { ...pane };
  model.end(pane.front);
  model.end(pane.first);
  const program = model.spawn(pane.front.command, true);
  settleIn(model.open(pane.paneId, pane.sessionName, program), before);
};

export const EVENTS = {
  "agent exits": withTarget((model, pane) => {
    if (pane.first !== pane.front) backToShell(model, pane);
    else {
      model.end(pane.front);
      if (model.steps % 2 === 0) model.panes.delete(TARGET);
      else pane.isDead = true;
    }
  }),
  "a person types": withTarget((model, pane) => {
    model.typedByPerson(pane, "h");
  }),
  "a person sends the draft": withTarget((model, pane) => {
    model.submittedByPerson(pane);
  }),
  "a turn begins": withTarget((_model, pane) => {
    if (pane.front.runtimeId !== null && pane.prompt === null) pane.isWorking = true;
  }),
  "agent goes to the background": withTarget((_model, pane) => {
    pane.front = pane.first;
    if (pane.front.runtimeId === null) Object.assign(pane, { prompt: null, box: "" });
  }),
  "pane respawned": withTarget(respawn),
  "another agent in the same shell": replaceInShell("other-agent"),
  "another run of the same agent in the same shell": replaceInShell("agent"),
  "an agent starts in the shell": withTarget((model, pane) => {
    if (pane.front.runtimeId === null) Object.assign(pane, { front: model.spawn("agent", true), box: "" });
  }),
  "prompt replaced": withTarget((_model, pane) => {
    if (pane.front.runtimeId !== null) pane.prompt = askNext(pane);
  }),
  "the other request's dialog comes": withTarget((_model, pane) => {
    const { prompt, queued } = pane;
    if (prompt !== null && queued !== null) Object.assign(pane, { prompt: queued, queued: prompt });
  }),
  // The rows of the old dialog stand above, in the room that other rows had.
  "prompt replaced, the old one above": withTarget((_model, pane) => {
    const { prompt, above } = pane;
    if (prompt === null) return;
    const old = rowsOf(prompt).slice(0, above.length);
    Object.assign(pane, {
      prompt: askNext(pane),
      above: [...above.slice(0, above.length - old.length), ...old],
    });
  }),
  // And where nothing stood above, it is pushed down by as much.
  "prompt replaced below the old one": withTarget((_model, pane) => {
    const { prompt, above } = pane;
    if (prompt !== null) Object.assign(pane, { prompt: askNext(pane), above: [...above, ...rowsOf(prompt)] });
  }),
  "prompt answered elsewhere": withTarget((_model, pane) => {
    if (pane.prompt !== null) Object.assign(pane, { prompt: null, isWorking: true });
  }),
  "same prompt asked again": withTarget((_model, pane) => {
    if (pane.prompt !== null) pane.prompt = askAgain(pane.prompt);
  }),
  "server restarted": (model: TmuxModel): void => {
    const before = [...model.panes.values()];
    model.isRunning = true;
    model.buffers.clear();
    model.panes = new Map();
    for (const program of model.processes.values()) model.end(program);
    for (const pane of before) {
      const shell = pane.first === pane.front ? null : model.spawn("sh", false);
      const agent = model.spawn(pane.front.command, pane.front.runtimeId !== null);
      settleIn(model.open(pane.paneId, pane.sessionName, shell ?? agent, agent), pane);
    }
  },
  "server ends": (model: TmuxModel): void => {
    model.isRunning = false;
    for (const program of model.processes.values()) model.end(program);
  },
  "session renamed": withTarget((model, pane) => {
    const neighbour = model.panes.get(NEIGHBOUR);
    const { sessionName } = pane;
    pane.sessionName = `renamed-${sessionName}`;
    if (neighbour !== undefined) neighbour.sessionName = sessionName;
  }),
  "pid given to another process": withTarget((model, pane) => {
    const { pid, command } = pane.front;
    model.end(pane.front);
    if (pane.first === pane.front) model.panes.delete(TARGET);
    else Object.assign(pane, { front: pane.first, prompt: null, box: "" });
    const neighbour = model.panes.get(NEIGHBOUR);
    if (neighbour !== undefined) neighbour.front = model.spawn(command, true, pid);
  }),
  "copy mode": withTarget((_model, pane) => {
    pane.inMode = true;
  }),
} as const satisfies Record<string, (model: TmuxModel) => void>;

export type EventName = keyof typeof EVENTS;

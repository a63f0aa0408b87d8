// What can happen to a real pane during a race. Each resolves when tmux was seen to know it: from then on a delivery that
// does not fit is wrong, and before that it is in the window that cannot be closed from outside.
import { askAgain, askNext, NEIGHBOUR, TARGET } from "../model/events.ts";
import type { ActionName, SceneName } from "../model/kinds.ts";
import type { Lane } from "./lane.ts";
import type { TextFamily } from "../model/texts.ts";
import { rowsOf, type DialogStyle } from "../model/tmuxModel.ts";
import type { RealPane } from "./realPane.ts";

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

type RealEvent = (lane: Lane, pane: RealPane) => Promise<void>;

/** At worst the new agent shows exactly what the old one did. */
const takeOver = (pane: RealPane, before: RealPane): void => {
  pane.prompt = before.prompt === null ? null : askAgain(before.prompt);
  pane.isWorking = before.isWorking;
  pane.above = before.above;
  pane.texts = before.texts;
  pane.asked = before.asked;
  pane.draw();
};

const respawned: RealEvent = async (lane, before) => {
  before.read();
  const pane = await lane.respawn(TARGET, "agent");
  // It was killed already.
  if (pane !== null) takeOver(pane, before);
};

const restarted: RealEvent = async (lane, before) => {
  const scene: SceneName = before.first === before.front ? "agent" : "agent in a shell";
  const neighbour = lane.panes.get(NEIGHBOUR);
  before.read();
  await lane.restart(scene);
  for (const [paneId, old] of [
    [TARGET, before],
    [NEIGHBOUR, neighbour],
  ] as const) {
    const pane = lane.panes.get(paneId);
    if (pane !== undefined && old !== undefined) takeOver(pane, old);
  }
};

const exited: RealEvent = async (lane, pane) => {
  if (pane.first === pane.front) {
    pane.read();
    await lane.tmux.run("kill-pane", "-t", TARGET).catch(() => "");
    lane.panes.delete(TARGET);
    return;
  }
  const { pid } = pane.front;
  pane.change({ front: pane.first, prompt: null, isWorking: false, box: "" });
  if (isAlive(pid)) process.kill(pid, "SIGTERM");
  await lane.handedOver(pane, "tail");
  pane.settle();
  pane.draw();
};

const replaced: RealEvent = async (lane, pane) => {
  pane.change({ prompt: askNext(pane) });
  await lane.drawn(pane);
  pane.settle();
};

const otherShown: RealEvent = async (lane, pane) => {
  const { prompt, queued } = pane;
  if (prompt === null || queued === null) return;
  pane.change({ prompt: queued, queued: prompt });
  await lane.drawn(pane);
  pane.settle();
};

const replacedBelow: RealEvent = async (lane, pane) => {
  const { prompt, above } = pane;
  if (prompt === null) return;
  const old = rowsOf(prompt);
  pane.change({
    prompt: askNext(pane),
    above:
      above.length === 0
        ? old
        : [...above.slice(0, Math.max(0, above.length - old.length)), ...old.slice(0, above.length)],
  });
  await lane.drawn(pane);
  pane.settle();
};

const answered: RealEvent = async (lane, pane) => {
  pane.change({ prompt: null, isWorking: true, box: "" });
  await lane.drawn(pane);
  pane.settle();
};

const renamed: RealEvent = async (lane, pane) => {
  const rename = ["rename-session", "-t", "base", "renamed", ";", "rename-session", "-t", "other", "base"];
  // A server whose last pane was killed has nothing to rename.
  await lane.tmux.run(...rename).catch(() => "");
  pane.sessionName = "renamed";
  const neighbour = lane.panes.get(NEIGHBOUR);
  if (neighbour !== undefined) neighbour.sessionName = "base";
};

export interface RealKind {
  name: string;
  actions: readonly ActionName[];
  scenes: readonly SceneName[];
  events: readonly RealEvent[];
  actors: 1 | 2;
  texts?: TextFamily;
  above?: number;
  isAnnounced?: boolean;
  hasQueued?: boolean;
  styles?: readonly DialogStyle[];
}

const BOTH = ["agent", "agent in a shell"] as const;
const kind = (name: string, events: readonly RealEvent[], more: Partial<RealKind> = {}): RealKind => ({
  name,
  events,
  actions: ["send", "answer", "answer", "interrupt", "kill"],
  scenes: BOTH,
  actors: 1,
  ...more,
});

export const REAL_KINDS: readonly RealKind[] = [
  kind("agent exits, pane goes or a shell is left", [exited]),
  kind("pane respawned with the same id", [respawned], { scenes: ["agent"] }),
  kind("prompt replaced by another, or opened", [replaced]),
  kind("prompt answered elsewhere", [answered]),
  kind("prompt answered elsewhere, then another", [answered, replaced], { actions: ["answer", "send"] }),
  kind("tmux server restarted, same ids", [restarted]),
  kind("session renamed, its name taken", [renamed]),
  kind("two actors at once", [], { actors: 2, actions: ["answer", "answer", "send"] }),
  kind("two actors, prompt replaced", [replaced], { actors: 2, actions: ["answer"] }),
  kind("near-equal texts", [replaced], { actions: ["answer"], texts: "near" }),
  kind("near-equal texts that events told", [replaced], {
    actions: ["answer"],
    texts: "near",
    isAnnounced: true,
  }),
  kind("texts that redaction would make equal", [replaced], {
    actions: ["answer"],
    texts: "secrets",
    isAnnounced: true,
  }),
  kind("two open requests", [otherShown], { actions: ["answer"], isAnnounced: true, hasQueued: true }),
  kind("old rows above", [replacedBelow], { actions: ["answer"], above: 6 }),
  kind("old rows in the old place", [replacedBelow], { actions: ["answer"] }),
  kind("respawned twice", [respawned, respawned], { scenes: ["agent"] }),
];

const ruled = (name: string, events: readonly RealEvent[], more: Partial<RealKind> = {}): RealKind =>
  kind(`a rule: ${name}`, events, {
    actions: ["ruled"],
    isAnnounced: true,
    styles: ["digits", "arrows"],
    ...more,
  });

/** Answers that rules give. */
export const REAL_RULE_KINDS: readonly RealKind[] = [
  ruled("prompt replaced by another", [replaced]),
  ruled("near-equal texts", [replaced], { texts: "near" }),
  ruled("texts that redaction would make equal", [replaced], { texts: "secrets" }),
  ruled("prompt answered elsewhere", [answered]),
  ruled("prompt answered elsewhere, then another", [answered, replaced]),
  ruled("two open requests", [otherShown], { hasQueued: true }),
  ruled("old rows above", [replacedBelow], { above: 6 }),
  ruled("agent exits", [exited]),
  ruled("pane respawned with the same id", [respawned], { scenes: ["agent"] }),
  ruled("tmux server restarted, same ids", [restarted]),
  ruled("two at once, prompt replaced", [replaced], { actors: 2 }),
];

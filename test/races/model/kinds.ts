// The kinds of race: what can happen, to which scene, during which actions.
import type { EventName } from "./events.ts";
import type { TextFamily } from "./texts.ts";
import type { DialogStyle } from "./tmuxModel.ts";

export const ACTIONS = ["send", "answer", "interrupt", "kill"] as const;
/** `queued`: a text that is sent while nobody watches. `ruled`: an answer that a rule gives. */
export type ActionName = (typeof ACTIONS)[number] | "queued" | "ruled";

/** Both answer what the daemon showed. */
export const isAnswer = (action: ActionName): boolean => action === "answer" || action === "ruled";

/** `agent`: it is the pane's first process, or a child of the pane's shell. `shell`: no agent at first. */
export type SceneName = "agent" | "agent in a shell" | "shell";

export interface Kind {
  name: string;
  actions: readonly ActionName[];
  scenes: readonly SceneName[];
  events: readonly EventName[];
  actors: 1 | 2;
  /**
   * What no check from outside can tell apart, until the daemon or a look has noticed; such deliveries are counted as
   * `window`. `unseen`: since the daemon looked last. `unlooked`: since the action itself looked last, at the screen or
   * the process. `unread`: since it read the screen last.
   */
  window?: "unseen" | "unlooked" | "unread";
  /** What is asked about: "plain" where it is left out. */
  texts?: TextFamily;
  /** Rows above the dialog. */
  above?: number;
  /** An event told the whole text; else only the screen did. */
  isAnnounced?: boolean;
  /** There is a second open request, and at times the daemon takes it for the one on the screen. */
  hasQueued?: boolean;
  /** Every answer is refused. */
  isRefusal?: boolean;
  styles?: readonly DialogStyle[];
  choices?: readonly ("approve" | "deny" | "option" | "text")[];
}

const BOTH = ["agent", "agent in a shell"] as const;
const kind = (name: string, events: readonly EventName[], more: Partial<Kind> = {}): Kind => ({
  name,
  events,
  actions: ACTIONS,
  scenes: BOTH,
  actors: 1,
  ...more,
});

const ANYTHING: readonly EventName[] = [
  "agent exits",
  "agent goes to the background",
  "pane respawned",
  "another agent in the same shell",
  "prompt replaced",
  "prompt answered elsewhere",
  "server restarted",
  "server ends",
  "session renamed",
  "copy mode",
];

export const KINDS: readonly Kind[] = [
  kind("agent exits", ["agent exits"]),
  kind("pane respawned with the same id", ["pane respawned"]),
  kind("runtime replaced in the same shell", ["another agent in the same shell"], {
    scenes: ["agent in a shell"],
  }),
  kind("agent goes to the background", ["agent goes to the background"], { scenes: ["agent in a shell"] }),
  kind("agent starts in a shell", ["an agent starts in the shell"], { scenes: ["shell"], actions: ["send"] }),
  kind("prompt replaced by another, or opened", ["prompt replaced"]),
  kind("prompt answered elsewhere", ["prompt answered elsewhere"]),
  kind("prompt answered elsewhere, then another", ["prompt answered elsewhere", "prompt replaced"]),
  kind("tmux server restarted", ["server restarted"]),
  kind("tmux server ended, then restarted", ["server ends", "server restarted"]),
  kind("session renamed, its name taken", ["session renamed"]),
  kind("pid given to another process", ["pid given to another process"]),
  kind("two actors at once", [], { actors: 2 }),
  kind("two actors, and anything", ANYTHING, { actors: 2 }),
  kind("anything", ANYTHING),
  ...(["secrets", "near", "lines"] as const).flatMap((texts) => [
    kind(`near-equal texts on the screen: ${texts}`, ["prompt replaced"], { actions: ["answer"], texts }),
    kind(`near-equal texts that events told: ${texts}`, ["prompt replaced"], {
      actions: ["answer"],
      texts,
      isAnnounced: true,
    }),
  ]),
  kind("two open requests", ["the other request's dialog comes"], {
    actions: ["answer"],
    isAnnounced: true,
    hasQueued: true,
  }),
  kind("old rows above", ["prompt replaced, the old one above"], { actions: ["answer"], above: 12 }),
  kind("old rows in the old place", ["prompt replaced below the old one"], { actions: ["answer"] }),
  // What is out of sight may be replaced unnoticed: nothing but a refusal is given to it.
  kind("a dialog taller than the pane", ["prompt replaced"], {
    actions: ["answer"],
    texts: "long",
    choices: ["approve", "option", "text"],
    styles: ["digits", "arrows"],
    isRefusal: true,
  }),
  kind("a dialog taller than the pane that an event told", ["prompt replaced"], {
    actions: ["answer"],
    texts: "long",
    isAnnounced: true,
    styles: ["digits", "arrows"],
    window: "unseen",
  }),
  kind("a person types where a text is queued", ["a person types"], { actions: ["queued"] }),
  kind(
    "a person types, sends it, or a turn begins, where a text is queued",
    ["a person types", "a person sends the draft", "a turn begins"],
    { actions: ["queued"] },
  ),
  kind("a prompt opens where a text is queued", ["prompt replaced"], { actions: ["queued"] }),
  kind("a queued text, a second actor, and anything", [...ANYTHING, "a person types", "a turn begins"], {
    actions: ["queued", "send"],
    actors: 2,
  }),
  // tmux finds the first of equal rows only.
  kind("only a repeated row differs", ["prompt replaced"], {
    actions: ["answer"],
    texts: "repeats",
    window: "unread",
  }),
  kind("same prompt asked again", ["same prompt asked again"], { actions: ["answer"], window: "unseen" }),
  kind("same agent run again in the same shell", ["another run of the same agent in the same shell"], {
    scenes: ["agent in a shell"],
    window: "unlooked",
  }),
];

const ruled = (name: string, events: readonly EventName[], more: Partial<Kind> = {}): Kind =>
  kind(`a rule: ${name}`, events, {
    actions: ["ruled"],
    isAnnounced: true,
    choices: ["approve", "deny"],
    styles: ["digits", "arrows"],
    ...more,
  });

/** Answers that rules give. The world may change between any two steps, and the daemon's view may be as old as you like. */
export const RULE_KINDS: readonly Kind[] = [
  ruled("prompt replaced by another", ["prompt replaced"]),
  ruled("prompt answered elsewhere, then another", ["prompt answered elsewhere", "prompt replaced"]),
  ruled("near-equal texts", ["prompt replaced"], { texts: "near" }),
  ruled("texts that redaction would make equal", ["prompt replaced"], { texts: "secrets" }),
  ruled("commands of several rows", ["prompt replaced"], { texts: "lines" }),
  ruled("old rows above", ["prompt replaced, the old one above"], { above: 12 }),
  ruled("old rows in the old place", ["prompt replaced below the old one"]),
  ruled("pane respawned", ["pane respawned"]),
  ruled("another agent in the same shell", ["another agent in the same shell"], {
    scenes: ["agent in a shell"],
  }),
  ruled("agent goes to the background", ["agent goes to the background"], { scenes: ["agent in a shell"] }),
  ruled("tmux server restarted", ["server restarted"]),
  ruled("somebody reads there", ["copy mode"]),
  ruled("anything", ANYTHING),
  ruled("and a person answers", ["prompt replaced"], { actions: ["ruled", "answer"], actors: 2 }),
  ruled("and a person answers, and anything", ANYTHING, { actions: ["ruled", "answer"], actors: 2 }),
  ruled("same prompt asked again", ["same prompt asked again"], { window: "unseen" }),
  // What is in doubt is never approved, whatever happens.
  ruled("two open requests", ["the other request's dialog comes"], {
    hasQueued: true,
    choices: ["approve"],
    isRefusal: true,
  }),
  ruled("no event told it", ["prompt replaced"], {
    isAnnounced: false,
    choices: ["approve"],
    isRefusal: true,
  }),
  ruled("a dialog taller than the pane", ["prompt replaced"], {
    texts: "long",
    choices: ["approve"],
    isRefusal: true,
  }),
];

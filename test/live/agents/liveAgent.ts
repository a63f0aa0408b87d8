// What the driver has to know of an agent to bring it into a state and to see that it is there: its settings, what a person types
// to start it, its keys, and the words of its own screen. Nothing here knows what agtmux makes of them.
import { MODES, type Mode } from "../results/result.ts";
import type { AgentId } from "./agentIds.ts";

/** Where one start of an agent lives. */
export interface Place {
  home: string;
  project: string;
  modelUrl: string;
  /** The folder of the cache with this name: the agent's own, or one that its packages name. */
  folder: (name: string) => string;
  /** Whether the agent's own question for trust in the project counts as answered. */
  isTrusted: boolean;
}

export interface NpmPackage {
  name: string;
  /** The version that the product was last driven with. */
  version: string;
}

/** Words that only a state shows. They are looked for in the screen as one line: see `toOneLine`. */
export interface Markers {
  ready: RegExp;
  approval: RegExp;
  edit: RegExp | null;
  ask: RegExp | null;
  error: RegExp;
  /** The question whether the folder is trusted; null: it has none. */
  trust: RegExp | null;
  /** The model asks to leave the plan mode; null: it has none that the model leaves. */
  plan: RegExp | null;
  /** The turn was stopped by the person: an interrupt or a denial that ends it. */
  interrupted: RegExp;
}

export interface Prompts {
  /** Makes the agent ask before it runs `touch file`. */
  approval(file: string): string;
  edit(file: string, place: Place): string;
  /** Runs a command that touches `file` and never ends. */
  tool(file: string): string;
}

/** A dialog at the start that has to be answered before the agent is ready. */
export interface StartDialog {
  shown: RegExp;
  keys: readonly string[];
  /** The modes in which it comes as a rule, though the prompt may be drawn first: it is waited for. */
  expectedIn: readonly Mode[];
}

/** Where the agent's hooks or its plugin write while it is recorded. */
export interface EventLogger {
  /** A line of JSON for each event: `t` (epoch ms), `tag` (`<agent>.<event>`), `pane`, `ppid`, `payload`. */
  readonly log: string;
  /** The agent's part of the tag. */
  readonly tag: string;
  /** A command for a shell that writes the event with the JSON on its standard input. */
  readonly command: (event: string) => string;
}

export interface LiveAgent {
  readonly id: AgentId;
  readonly main: NpmPackage;
  /** Its absolute path where it is no package of npm but on this machine already; absent: it is one. */
  readonly program?: string;
  /** What it needs beside itself, in its own folder of the cache or in one of that name; version `=` is the agent's. */
  readonly companions: readonly (NpmPackage & { folder: string | null })[];
  readonly npmFlags: readonly string[];
  readonly command: string;
  /** Writes its settings into the HOME that was made for it. */
  configure(place: Place): Promise<void>;
  environment(place: Place): Readonly<Record<string, string>>;
  /** Adds to its settings that each of its events is logged; absent: it has none, or nobody has looked. */
  logEvents?(place: Place, logger: EventLogger): Promise<void>;
  readonly markers: Markers;
  readonly prompts: Prompts;
  readonly startDialogs: readonly StartDialog[];
  /** Starts it in its plan mode. */
  readonly planArgs: string;
  /** It is driven with a sub-agent. */
  readonly hasSubAgents: boolean;
  /** A prompt that is typed while it works is a turn of its own afterwards. */
  readonly queues: boolean;
  readonly keys: {
    approve: readonly string[];
    deny: readonly string[];
    interrupt: readonly string[];
    /** Into the mode in which it may ask, and out of it. */
    askMode: readonly string[];
  };
  /** A command asks before it runs, also where `prompts.tool` is typed. */
  readonly asksForTools: boolean;
  /** Its dialogs show the whole of what they ask: where they do not, approving by the screen alone is refused by rule. */
  readonly showsWhole: boolean;
  /** What it asks before it edits is outside of the project. */
  readonly editsOutside: boolean;
  /** Its questions take a text of the person's own beside the options. */
  readonly takesFreeText: boolean;
  /** In these modes one log is provably this process's, so that there is a transcript; in others it is refused by rule. */
  readonly transcriptIn: readonly Mode[];
  /** Why it has none in the others. */
  readonly transcriptLack: string | null;
  /** An answer by key is taken only this long after the dialog was drawn. */
  readonly deafMs: number;
  readonly exit: string;
}

export const COMMON_PROMPTS: Prompts = {
  approval: (file) => `RUN touch ${file}`,
  edit: (file) => `WRITE ${file}`,
  tool: (file) => `RUN touch ${file}; tail -f ${file}`,
};

/** Of agents whose logs name no process: an event has to name the log. */
export const LOG_BY_EVENT_ONLY = {
  transcriptIn: ["integrated"],
  transcriptLack:
    "by the screen alone refused by rule: its logs name no process, and an event that names one is missing",
} as const satisfies Partial<LiveAgent>;

export const COMMON = {
  companions: [],
  npmFlags: [],
  prompts: COMMON_PROMPTS,
  startDialogs: [],
  planArgs: "",
  hasSubAgents: false,
  queues: true,
  keys: { approve: ["Enter"], deny: ["Escape"], interrupt: ["Escape"], askMode: [] },
  asksForTools: true,
  editsOutside: false,
  showsWhole: true,
  takesFreeText: false,
  transcriptIn: MODES,
  transcriptLack: null,
  deafMs: 1_000,
} as const satisfies Partial<LiveAgent>;

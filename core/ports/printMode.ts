// How an agent answers without a pane: a command that takes a question on its standard input and prints the answer.
export interface PrintQuestion {
  readonly prompt: string;
  /** The conversation to go on with; null: a new one. */
  readonly session: string | null;
  /** A new conversation that begins with all of that one; without one, of the last in this folder. Only as the mode's `forks` allows. */
  readonly isFork: boolean;
  readonly model: string | null;
  /** It may change files of the folder without asking; else it asks, which nobody hears, so that nothing is changed. */
  readonly acceptsEdits: boolean;
}

export interface PrintAnswer {
  /** Empty: it gave none. */
  readonly text: string;
  /** By which it goes on with this conversation; null where it names none. */
  readonly session: string | null;
}

export interface PrintMode {
  readonly command: string;
  /** Of which conversations it can make a copy to go on with: of one that is named, also of the last one, or of none. */
  readonly forks: "named" | "last too" | "none";
  /** Without the prompt, which every user of the machine could read there. */
  readonly argv: (question: PrintQuestion) => readonly string[];
  /** Variables that the command must not have. */
  readonly withoutEnv: readonly string[];
  /** What it printed, as an answer. Throws for what it does not understand, and where the agent says that it failed. */
  readonly parse: (stdout: string) => PrintAnswer;
}

// The adapters that are in force now, where each comes from, and what is wrong with those that are not. `adapters/` implements
// it.
import type { ProcessInfo } from "../model/runtime.ts";
import type { AgentAdapter, IdentifyMatch } from "./agentAdapter.ts";

/** What is wrong with an adapter file: `line` from 1, `path` the key with dots (empty: the file as a whole). */
export interface AdapterProblem {
  file: string;
  line: number;
  path: string;
  message: string;
}

/** A file with its content, as it was handed over for a check. */
export interface AdapterText {
  name: string;
  text: string;
}

/** `patched`: a built-in adapter with the rules of `files` before its own. */
export interface AdapterOrigin {
  kind: "built-in" | "patched" | "file";
  files: readonly string[];
}

/** The part that comes from the person's files. */
export interface AdapterFiles {
  originOf(agentType: string): AdapterOrigin;
  /** Problems of all files as they are now, in the order of files and lines. */
  problems(): readonly AdapterProblem[];
  /** Reads a file that need not be in force; the adapter is null where it has problems. */
  check(file: AdapterText): {
    adapter: AgentAdapter | null;
    kind: AdapterOrigin["kind"];
    problems: readonly AdapterProblem[];
  };
  /** Called after each change of the adapters in force. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}

export interface AdapterSource {
  list(): readonly AgentAdapter[];
  byAgentType(agentType: string): AgentAdapter | null;
  identify(processes: readonly ProcessInfo[]): { adapter: AgentAdapter; match: IdentifyMatch } | null;
  /** Absent where only built-in adapters are used. */
  readonly files?: AdapterFiles;
}

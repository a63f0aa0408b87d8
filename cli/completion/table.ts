// What can be completed where, flattened from the tree of verbs: the one source of the scripts for bash, zsh and fish.
import { flatten, type ValuePage, type VerbPage } from "../reference/pages.ts";
import { TOPICS } from "../reference/topics.ts";
import type { LiveKind } from "./kinds.ts";

/** Where the candidates for a value come from; `none`: there are none, the person has to type it. */
export type Source =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "live"; readonly live: LiveKind }
  | { readonly kind: "files" }
  | { readonly kind: "none" };

export interface CompletedOption {
  readonly names: readonly string[];
  readonly says: string;
  /** Null for a switch. */
  readonly source: Source | null;
}

export interface CompletedVerb {
  /** Words after `agtmux`, with spaces between them. */
  readonly path: string;
  readonly verbs: readonly { readonly name: string; readonly says: string }[];
  readonly options: readonly CompletedOption[];
  readonly positionals: readonly Source[];
  /** After its first argument, all words belong to another program. */
  readonly isOpen: boolean;
}

/** The source of candidates, by the word in angle brackets that names the value. */
const LIVE_BY_NAME: Readonly<Record<string, LiveKind>> = {
  ref: "refs",
  runtime: "runtimes",
  target: "targets",
  session: "sessions",
  "target/session": "target-sessions",
  agent: "agents",
};

const sourceOf = ({ name, values }: ValuePage, root: VerbPage): Source => {
  if (values !== null) return { kind: "words", words: values };
  if (name === "command")
    return {
      kind: "words",
      words: [...root.children.flatMap(({ path }) => path), ...TOPICS.map((topic) => topic.name)],
    };
  const live = LIVE_BY_NAME[name];
  if (live !== undefined) return { kind: "live", live };
  return name === "file" ? { kind: "files" } : { kind: "none" };
};

/** One entry per verb, agtmux itself first. */
export const completionTable = (root: VerbPage): CompletedVerb[] =>
  flatten(root).map((page) => ({
    path: page.path.join(" "),
    verbs: page.children.map(({ path, says }) => ({ name: path.at(-1) ?? "", says })),
    options: page.options.map(({ names, says, value }) => ({
      names,
      says,
      source: value === null ? null : sourceOf(value, root),
    })),
    positionals: page.positionals.map((value) => sourceOf(value, root)),
    isOpen: page.positionals.some(({ name, isVariadic }) => isVariadic && name === "arguments"),
  }));

// What a person has to know beside the verbs: `agtmux help <topic>`, and the last sections of docs/cli.md and of the man
// page, all from here.
import { exitCodes } from "./exitCodes.ts";

interface TopicEntry {
  readonly term: string;
  readonly says: string;
}

export interface Topic {
  readonly name: string;
  readonly title: string;
  /** Paragraphs before the entries. */
  readonly intro: readonly string[];
  readonly entries: readonly TopicEntry[];
}

const references: Topic = {
  name: "references",
  title: "References",
  intro: [
    "Every action names one pane by a reference, as 'agtmux list panes' prints it. None found is E_REF_NOT_FOUND; several are E_REF_AMBIGUOUS, with the candidates: agtmux never guesses.",
  ],
  entries: [
    {
      term: "runtime:<id>",
      says: "One life of one agent. It never means the agent that is started in the same pane later.",
    },
    {
      term: "pane:<target>/<session>/<window>/<pane>",
      says: "One pane. <target> is a name, with :<server> for a tmux server beside the default one. <session> is percent-encoded (a space is %20, a slash %2F). <window> is @id or its index in that session, <pane> is %id or an index; an index means whatever has it at that moment.",
    },
  ],
};

const exits: Topic = {
  name: "exit-codes",
  title: "Exit codes",
  intro: [
    "The numbers are stable. A failure is one sentence on stderr with its code and what to do; with --json it is a JSON document there. 'attach' and 'run' exit with the status of what they ran.",
  ],
  entries: exitCodes().map(({ status, code, says }) => ({
    term: code === null ? String(status) : `${status} ${code}`,
    says,
  })),
};

const environment: Topic = {
  name: "environment",
  title: "Environment",
  intro: [],
  entries: [
    { term: "AGTMUX_HOME", says: "Where agtmux keeps what it knows; ~/.agtmux by default." },
    {
      term: "AGTMUX_NO_START",
      says: "1: a command never starts a daemon; without one it ends with status 8.",
    },
    {
      term: "AGTMUX_TMUX_SOCKETS",
      says: "Paths of tmux sockets, separated by commas, that the daemon watches instead of the default ones.",
    },
    { term: "AGTMUX_LOG_LEVEL", says: "How much the daemon logs: debug, info (the default), warn or error." },
    { term: "NO_COLOR", says: "Not empty: no colours." },
    { term: "TMUX", says: "Set inside tmux: 'attach' then switches the client that it is called from." },
  ],
};

const files: Topic = {
  name: "files",
  title: "Files",
  intro: ["All of them lie in AGTMUX_HOME, which only its owner may enter."],
  entries: [
    { term: "config.json", says: "The daemon's settings; the file is read again when it changes." },
    { term: "adapters/*.json", says: "Agents and rules of your own: see docs/adapters.md." },
    { term: "state.db", says: "Evidence, states, runtimes and the record of actions." },
    { term: "agtmuxd.sock", says: "Where commands reach the daemon." },
    { term: "log/agtmuxd.log", says: "The daemon's log, redacted." },
    { term: "bin/agtmux-event", says: "The hook that the agents call; it always exits 0." },
  ],
};

const json: Topic = {
  name: "json",
  title: "JSON documents",
  intro: [
    "Every verb with --json prints one document on stdout, and a failure as one on stderr. Each has schema_version and generated_at; lists also have filters, summary and items, and every item its identity. A new key may come with any version; schema_version changes when a key is removed or changes its meaning.",
    "'agtmux schema --list' names the documents, and 'agtmux schema list panes' prints the JSON Schema of one. 'watch --format jsonl' prints one document per line: 'agtmux schema watch'. Failures: 'agtmux schema error'.",
  ],
  entries: [],
};

export const TOPICS: readonly Topic[] = [references, exits, environment, files, json];

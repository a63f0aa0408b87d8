// What a person has to know beside the verbs: `agtmux help <topic>`, and the last sections of docs/cli.md and of the man page, all
// from here. The first half is the table of exit codes.
import { OUTCOME_EXIT_CODES, type ActionOutcome } from "../../core/model/action.ts";
import { ERROR_CODES, type ErrorCode } from "../../core/model/errors.ts";

// Exit codes: one sentence per code of an error or outcome. The numbers themselves are with the codes.

interface ExitCode {
  readonly status: number;
  /** The code of the error, or the outcome; null where there is neither. */
  readonly code: string | null;
  readonly says: string;
}

const OUTCOMES: Readonly<Record<ActionOutcome, string>> = {
  delivered: "An action was sent, and its effect was seen.",
  not_delivered: "An action was sent, and it had no effect.",
  unverified: "An action was sent; agtmux can't tell whether it had an effect.",
};

const ERRORS: Readonly<Record<ErrorCode, string>> = {
  E_USAGE: "The command line is not understood, or its options exclude each other.",
  E_REF_INVALID: "A reference is malformed.",
  E_REF_NOT_FOUND: "Nothing is at the reference.",
  E_REF_AMBIGUOUS: "Several panes fit the reference; nothing was done.",
  E_STALE_SNAPSHOT: "What the action was meant for has changed; nothing was sent.",
  E_CONFIRMATION_REQUIRED:
    "The action needs a yes, but the answer was another, or there was no terminal to ask in; nothing was done.",
  E_TARGET_UNREACHABLE: "The machine of the pane does not answer.",
  E_TARGET_HOST_KEY: "The host key of an SSH target is unknown or has changed.",
  E_TARGET_AUTH: "An SSH target accepts none of your keys.",
  E_DAEMON_UNAVAILABLE: "No daemon answers, and none could be started.",
  E_DAEMON_VERSION: "The running daemon is of another version, and this command cannot talk to it.",
  E_SOCKET_UNSAFE: "Another user could write to agtmux's folder or its socket.",
  E_CONFIG_INVALID: "config.json or an adapter file has mistakes.",
  E_DATABASE_NEWER: "The database was written by a newer agtmux.",
  E_DATABASE_DAMAGED: "The database cannot be read.",
  E_INTEGRATION_REFUSED:
    "An agent's settings file was left as it is, because it could not be changed safely.",
  E_TMUX_MISSING: "There is no tmux, or none that can be used.",
  E_UNSUPPORTED: "This agent, pane or machine cannot do that.",
  E_PROMPT_OPEN: "The agent shows a prompt, and the text would have answered it.",
  E_PROMPT_UNCONFIRMED: "An answer did not name the prompt that was seen; nothing was sent.",
  E_NOT_SHOWN_WHOLE: "The request could not be shown in full, so it can only be denied; nothing was sent.",
  E_TARGET_UNKNOWN: "There is no machine of that name.",
  E_RUNTIME_ENDED: "The agent for which 'wait' waited has ended.",
  E_ADDRESS_REUSED: "The one-time address of 'agtmux ui' was used a second time, so its session has ended.",
  E_DOCUMENT_INVALID: "A document, or what belongs to it, cannot be understood; it was left as it is.",
  E_GIT_FAILED: "git, or the state of a repository, does not allow it; nothing was changed.",
  E_DOCUMENT_BUSY:
    "An editor or another writer is busy with the document; the same command works in a moment.",
  E_WORKSPACE_REFUSED:
    "An agent was not started, or a worktree not made or removed, because work could be lost or spoiled, or git refused.",
  E_PACK_REFUSED: "A detection pack is not signed, broken, older or wrong; what was in force before stays.",
  E_TIMEOUT: "What was waited for did not come in time.",
  E_INTERNAL: "agtmux itself failed.",
};

const isErrorCode = (code: string): code is ErrorCode => code in ERROR_CODES;
const isOutcome = (code: string): code is ActionOutcome => code in OUTCOME_EXIT_CODES;

/** Every exit status, by number. They are stable: a script may rely on them. */
export const exitCodes = (): ExitCode[] => {
  const outcomes = Object.keys(OUTCOME_EXIT_CODES)
    .filter(isOutcome)
    .map((code): ExitCode => ({ status: OUTCOME_EXIT_CODES[code], code, says: OUTCOMES[code] }));
  const errors = Object.keys(ERROR_CODES)
    .filter(isErrorCode)
    .map((code): ExitCode => ({ status: ERROR_CODES[code].exit, code, says: ERRORS[code] }));
  const others: ExitCode[] = [
    { status: 0, code: null, says: "The command did what it was asked to do." },
    { status: 1, code: null, says: "A check found something wrong ('doctor', 'integrate --verify')." },
    { status: 130, code: null, says: "Ctrl-C ended it." },
  ];
  return [...others, ...outcomes, ...errors].toSorted((a, b) => a.status - b.status);
};

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
    "Every action names one pane by a reference; 'agtmux list' shows one that can be typed, and 'list --json' has it as short_ref. Names are compared exactly. None found is E_REF_NOT_FOUND; several are E_REF_AMBIGUOUS, with the candidates: agtmux never guesses. A command that acts says on stderr which pane it took your reference for.",
    "Inside tmux, a reference without a machine means a pane of the tmux server that you are in, as it does to tmux itself. Outside of tmux it may be on any watched server; if it matches on several, it is refused.",
  ],
  entries: [
    { term: "%12", says: "The pane with this id." },
    { term: ".", says: "The pane that you are in." },
    {
      term: "<session>:<window>.<pane>",
      says: "The pane at this place, as tmux reads it: the window by index, name or @id, the pane by index or %id. 'work:1.0' is pane 0 of window 1.",
    },
    { term: "<session>:<window>", says: "The one agent of that window; also @3, by the window's id." },
    {
      term: "<session>, <window>",
      says: "The one agent in the session, or in the window, of exactly this name.",
    },
    {
      term: "<target>/…",
      says: "Any of these on another machine: vm1/work:1.0, host/%12. <target>:<server>/ names a tmux server beside the default one. It is refused if a session or window here has the whole text as its name.",
    },
    {
      term: "runtime:<id>",
      says: "One life of one agent, for scripts. It never means the agent that is started in the same pane later.",
    },
    {
      term: "pane:<target>/<session>/<window>/<pane>",
      says: "One pane, for scripts. <target> is a name, with :<server> for a tmux server beside the default one. <session> is percent-encoded (a space is %20, a slash %2F). <window> is @id or its index in that session, <pane> is %id or an index; an index means whatever has it at that moment.",
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
      says: "If it is 1, a command never starts a daemon; without one it ends with status 8.",
    },
    {
      term: "AGTMUX_TMUX_SOCKETS",
      says: "tmux servers that the daemon watches instead of the default one and those in config.json: names as for 'tmux -L', or paths of sockets as for 'tmux -S', separated by commas. It counts when the daemon starts: 'agtmux daemon stop' first.",
    },
    { term: "AGTMUX_LOG_LEVEL", says: "How much the daemon logs: debug, info (the default), warn or error." },
    { term: "NO_COLOR", says: "If it is not empty, output has no colours." },
    { term: "TMUX", says: "Set inside tmux: 'attach' then switches the client that it is called from." },
  ],
};

const files: Topic = {
  name: "files",
  title: "Files",
  intro: ["All of them lie in AGTMUX_HOME, which only its owner may enter."],
  entries: [
    {
      term: "config.json",
      says: "The daemon's settings, read again whenever the file changes; 'agtmux schema config' describes it.",
    },
    { term: "adapters/*.json", says: "Agents and rules of your own: see docs/adapters.md." },
    {
      term: "packs/",
      says: "Detection packs, and key.pem, a public key of yours that counts instead of the release's.",
    },
    { term: "state.db", says: "States with the events behind them, and the record of actions." },
    { term: "agtmuxd.sock", says: "The socket through which commands reach the daemon." },
    { term: "log/agtmuxd.log", says: "The daemon's log, without known secrets." },
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

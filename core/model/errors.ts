// The closed set of errors that leave the daemon, with the exit code and the sentence that says what to do. Before it: errors of
// the system as Node gives them.

/** `ENOENT` and the like, also SQLite's and our own; empty where the error has no code. */
export const errorCodeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The file does not exist, or its folder does not. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(errorCodeOf(error));

/** What `work` with a file gives; null where the file does not exist. */
export const unlessMissing = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

export const ERROR_CODES = {
  E_USAGE: { exit: 2, trpc: "BAD_REQUEST", remedy: "See 'agtmux help' for the command's form." },
  E_REF_INVALID: {
    exit: 2,
    trpc: "BAD_REQUEST",
    remedy: "Use one that 'agtmux list' shows; 'agtmux help references' has every form.",
  },
  E_REF_NOT_FOUND: {
    exit: 3,
    trpc: "NOT_FOUND",
    remedy: "List what is there with 'agtmux list --all'.",
  },
  E_REF_AMBIGUOUS: { exit: 4, trpc: "CONFLICT", remedy: "Use one of the listed references." },
  E_STALE_SNAPSHOT: {
    exit: 5,
    trpc: "PRECONDITION_FAILED",
    remedy: "Look again with 'agtmux list panes' and repeat the action.",
  },
  E_CONFIRMATION_REQUIRED: { exit: 6, trpc: "PRECONDITION_FAILED", remedy: "Repeat with --yes to confirm." },
  E_TARGET_UNREACHABLE: {
    exit: 7,
    trpc: "PRECONDITION_FAILED",
    remedy: "See 'agtmux target list' for what is wrong with it.",
  },
  E_TARGET_HOST_KEY: {
    exit: 23,
    trpc: "PRECONDITION_FAILED",
    remedy: "Run 'ssh' to the target once in a terminal and check its host key; agtmux never accepts one.",
  },
  E_TARGET_AUTH: {
    exit: 24,
    trpc: "PRECONDITION_FAILED",
    remedy: "Make 'ssh -o BatchMode=yes' to the target work in a terminal: load the key with ssh-add.",
  },
  E_DAEMON_UNAVAILABLE: {
    exit: 8,
    trpc: "SERVICE_UNAVAILABLE",
    remedy: "Start it with 'agtmux daemon run' or see its log.",
  },
  E_DAEMON_VERSION: {
    exit: 9,
    trpc: "PRECONDITION_FAILED",
    remedy: "Stop the running daemon with 'agtmux daemon stop' and repeat.",
  },
  E_SOCKET_UNSAFE: {
    exit: 10,
    trpc: "FORBIDDEN",
    remedy: "Remove the socket or set AGTMUX_HOME to a folder of your own.",
  },
  E_CONFIG_INVALID: {
    exit: 11,
    trpc: "BAD_REQUEST",
    remedy: "Correct config.json; the last good configuration stays in force.",
  },
  E_DATABASE_NEWER: {
    exit: 12,
    trpc: "PRECONDITION_FAILED",
    remedy: "Use the agtmux version that wrote it, or move state.db away.",
  },
  E_DATABASE_DAMAGED: {
    exit: 16,
    trpc: "PRECONDITION_FAILED",
    remedy: "Move the named file away (it is kept as it is) and start again.",
  },
  E_INTEGRATION_REFUSED: {
    exit: 13,
    trpc: "PRECONDITION_FAILED",
    remedy: "Correct the settings file by hand; it was not changed.",
  },
  E_TMUX_MISSING: {
    exit: 14,
    trpc: "PRECONDITION_FAILED",
    remedy: 'Install tmux or set "tmux_path" in config.json.',
  },
  E_UNSUPPORTED: {
    exit: 15,
    trpc: "METHOD_NOT_SUPPORTED",
    remedy: "See 'agtmux help' for what is supported.",
  },
  E_PROMPT_OPEN: {
    exit: 17,
    trpc: "PRECONDITION_FAILED",
    remedy: "Answer it first, with 'agtmux answer' or in its pane.",
  },
  E_PROMPT_UNCONFIRMED: {
    exit: 22,
    trpc: "PRECONDITION_FAILED",
    remedy:
      "Name the prompt that you saw: --if-prompt with the prompt_fingerprint of 'agtmux list panes --json'.",
  },
  E_NOT_SHOWN_WHOLE: {
    exit: 26,
    trpc: "PRECONDITION_FAILED",
    remedy: "Read it where it is asked, with 'agtmux attach', and answer there.",
  },
  E_TARGET_UNKNOWN: {
    exit: 18,
    trpc: "NOT_FOUND",
    remedy: "List the targets with 'agtmux target list'.",
  },
  E_RUNTIME_ENDED: {
    exit: 19,
    trpc: "PRECONDITION_FAILED",
    remedy: "If the agent may end, wait for 'gone' too.",
  },
  E_ADDRESS_REUSED: {
    exit: 25,
    trpc: "FORBIDDEN",
    remedy: "Run 'agtmux ui' again, and find out who else could see its address.",
  },
  E_DOCUMENT_INVALID: {
    exit: 65,
    trpc: "BAD_REQUEST",
    remedy: "Correct the named file by hand; it was not changed.",
  },
  E_GIT_FAILED: {
    exit: 74,
    trpc: "PRECONDITION_FAILED",
    remedy: "Fix the repository with git; nothing was changed.",
  },
  E_DOCUMENT_BUSY: {
    exit: 75,
    trpc: "CONFLICT",
    remedy: "Try again in a moment; nothing is lost.",
  },
  E_WORKSPACE_REFUSED: {
    exit: 27,
    trpc: "PRECONDITION_FAILED",
    remedy: "Nothing was changed. Do what the message says, then try again.",
  },
  E_PACK_REFUSED: {
    exit: 28,
    trpc: "PRECONDITION_FAILED",
    remedy: "Nothing was changed: what was in force before stays. 'agtmux adapters show' says what that is.",
  },
  E_TIMEOUT: { exit: 124, trpc: "TIMEOUT", remedy: "Give it longer with --timeout." },
  E_INTERNAL: { exit: 70, trpc: "INTERNAL_SERVER_ERROR", remedy: "See the daemon's log and report it." },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** An error meant for the person: the operation, the thing, and what to do. Never carries payload text. */
export class AgtmuxError extends Error {
  /** Recognised by its shape, because the built command line is several bundles, each with its own copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (
      value instanceof Error &&
      value.name === "AgtmuxError" &&
      "code" in value &&
      typeof value.code === "string" &&
      Object.hasOwn(ERROR_CODES, value.code)
    );
  }

  readonly code: ErrorCode;
  /** What to do; the code's general remedy unless the thrower knows better. */
  readonly remedy: string;
  /** Candidates of an ambiguous reference, or what changed since a snapshot. */
  readonly details: readonly string[];

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; remedy?: string; details?: readonly string[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AgtmuxError";
    this.code = code;
    this.remedy = options.remedy ?? ERROR_CODES[code].remedy;
    this.details = options.details ?? [];
  }
}

// What each exit status means: one sentence per code of an error or outcome. The numbers themselves are with the codes.
import { OUTCOME_EXIT_CODES, type ActionOutcome } from "../../core/model/actionView.ts";
import { ERROR_CODES, type ErrorCode } from "../../core/model/errors.ts";

export interface ExitCode {
  readonly status: number;
  /** The code of the error, or the outcome; null where there is neither. */
  readonly code: string | null;
  readonly says: string;
}

const OUTCOMES: Readonly<Record<ActionOutcome, string>> = {
  delivered: "An action was sent, and its effect was seen.",
  not_delivered: "An action was sent, and it had no effect.",
  unverified: "An action was sent; whether it had an effect is not known.",
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
  E_NOT_SHOWN_WHOLE: "The request could not be shown whole, so it can only be denied; nothing was sent.",
  E_TARGET_UNKNOWN: "There is no target of that name.",
  E_RUNTIME_ENDED: "The agent for which 'wait' waited has ended.",
  E_ADDRESS_REUSED: "The one-time address of 'agtmux ui' was used a second time, so its session has ended.",
  E_DOCUMENT_INVALID: "A document, or what belongs to it, cannot be understood; it was left as it is.",
  E_GIT_FAILED: "git, or the state of a repository, does not allow it; nothing was changed.",
  E_DOCUMENT_BUSY:
    "An editor or another writer is busy with the document; the same command works in a moment.",
  E_WORKSPACE_REFUSED:
    "An agent was not started, or a work tree not made or removed, because work could be lost or spoiled, or git refused.",
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

// The verbs on one agent: answer and kill, which ask first in a terminal, view-output, send, interrupt, mute, rename and dismiss. The daemon
// checks and acts. `whenDrawn` and `unlessLost` serve `agtmux wait` too. A text that is sent later is in jobs.ts.
import { setTimeout } from "node:timers/promises";
import { AgtmuxError } from "../../core/model/errors.ts";
import { isWaiting } from "../../core/model/state.ts";
import type { PaneView } from "../../core/model/view.ts";
import {
  type AnswerChoice,
  type ActionGuards,
  type ActionResult,
  KILL_SIGNALS,
  type KillSignal,
  OUTCOME_EXIT_CODES,
  DEFAULT_OUTPUT_LINES,
  MAX_OUTPUT_LINES,
  type PaneOutput,
} from "../../core/model/action.ts";
import { ask, askLine, leaveUndone } from "../command/ask.ts";
import { type CliContext, type DaemonClient, refreshWorkTrees } from "../command/context.ts";
import { parseCount, parseDuration } from "../parse/values.ts";
import { parseGuards, type GuardOptions } from "../parse/filters.ts";
import { readInput, checkLength } from "./start.ts";
import { cleanLine, promptLines } from "../render/clean.ts";
import { printResult } from "../command/outcome.ts";
import { placeOf, withRef } from "../command/settleRef.ts";
import { sessionNameText } from "../../ui/actions/actionStatus.ts";
import { shortenRefs } from "../../core/model/shortRef.ts";
import { uncommittedText } from "../../core/model/workspace.ts";
import type { DismissedDocument, MutedDocument, RenamedDocument } from "../../core/model/documents.ts";
import { printDocument } from "../command/document.ts";
import type { LaterOptions } from "./jobs.ts";

/** Null when the daemon disappeared during the request: the caller asks the next daemon. */
export const unlessLost = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE") return null;
    throw error;
  }
};

const LIMIT_MS = 2_500;
const EVERY_MS = 100;

const isUndrawn = ({ state, prompt_fingerprint }: PaneView): boolean =>
  state !== null && isWaiting(state) && prompt_fingerprint === null;

/**
 * The same rows once their prompts are drawn: an agent announces a prompt before it draws it, and only a drawn one has a
 * fingerprint. The rows as they are if that takes too long or a row changes its state.
 */
export const whenDrawn = async (
  rows: readonly PaneView[],
  client: DaemonClient,
): Promise<readonly PaneView[]> => {
  const until = performance.now() + LIMIT_MS;
  let now = rows;
  while (now.some(isUndrawn) && performance.now() < until) {
    await setTimeout(EVERY_MS);
    const list = await unlessLost(client.call((api) => api.panes.query({ all: true })));
    if (list === null) break;
    const byRef = new Map(list.items.map((row) => [row.identity.pane_ref, row]));
    const next = now.map((row) => byRef.get(row.identity.pane_ref));
    now = now.map((row, at) => (next[at]?.state === row.state ? next[at] : row));
    // A row in another state no longer meets the condition.
    if (now.some((row, at) => row !== next[at])) break;
  }
  return now;
};

// Answer: answers exactly the prompt that its fingerprint names or that was just shown in the terminal.

interface AnswerOptions extends GuardOptions {
  approve?: boolean;
  deny?: boolean;
  reason?: string;
  option?: string;
  choose?: string;
  text?: string;
  stdin?: boolean;
  idempotencyKey?: string;
  json?: boolean;
}

const MAX_OPTION = 30;
const CHOICES = "--approve, --deny, --option <number>, --choose <numbers>, --text <text> or --stdin";

/** --stdin replaces --text, so that the text is not in the arguments. */
const withInput = async (context: CliContext, options: AnswerOptions): Promise<AnswerOptions> => {
  if (options.stdin !== true) return options;
  if (options.text !== undefined) throw new AgtmuxError("E_USAGE", `answer takes only one of ${CHOICES}`);
  return { ...options, text: await readInput(context) };
};

/** `1,3`, with spaces or without. */
const SEVERAL = /^\s*\d{1,2}(?:\s*[,\s]\s*\d{1,2})*\s*$/;

const numbersOf = (typed: string): number[] => {
  if (!SEVERAL.test(typed))
    throw new AgtmuxError("E_USAGE", `--choose takes numbers such as 1,3, not '${cleanLine(typed)}'`);
  const words = typed.split(/[,\s]+/).filter((word) => word !== "");
  return [...new Set(words.map((word) => parseCount(word, "--choose", { min: 1, max: MAX_OPTION })))];
};

/** Null when none was given. Fails with E_USAGE for several. */
const choiceOf = ({ approve, deny, option, choose, text }: AnswerOptions): AnswerChoice | null => {
  const given: AnswerChoice[] = [
    ...(approve === true ? [{ kind: "approve" } as const] : []),
    ...(deny === true ? [{ kind: "deny" } as const] : []),
    ...(option === undefined
      ? []
      : [{ kind: "option", number: parseCount(option, "--option", { min: 1, max: MAX_OPTION }) } as const]),
    ...(choose === undefined ? [] : [{ kind: "options", numbers: numbersOf(choose) } as const]),
    ...(text === undefined ? [] : [{ kind: "text", text } as const]),
  ];
  if (given.length > 1) throw new AgtmuxError("E_USAGE", `answer takes only one of ${CHOICES}`);
  if (text === "") throw new AgtmuxError("E_USAGE", "the text is empty");
  return given[0] ?? null;
};

const describe = (choice: AnswerChoice): string => {
  switch (choice.kind) {
    case "approve":
      return "Approve this once";
    case "deny":
      return "Deny this";
    case "option":
      return `Choose option ${choice.number}`;
    case "options":
      return `Choose ${choice.numbers.length === 1 ? "option" : "options"} ${choice.numbers.join(", ")}`;
    case "text":
      return `Answer '${cleanLine(choice.text)}'`;
  }
};

/** What can be answered from here, in words; what cannot is not offered. */
const offers = ({
  request,
  background,
}: PaneView): { words: string[]; mayApprove: boolean; mayDeny: boolean } => {
  if (background?.is_answered_elsewhere === true) return { words: [], mayApprove: false, mayDeny: false };
  const isWhole = request?.is_whole === true;
  const options = request?.options ?? [];
  // The options of a session that no pane shows are read when it is opened.
  const isUnread = options.length === 0 && background !== null;
  const has = (role: "approve" | "deny"): boolean =>
    isUnread || options.some((option) => option.role === role && (option.keys ?? []).length > 0);
  const keyed = options.flatMap(({ keys }, index) => ((keys ?? []).length > 0 && isWhole ? [index + 1] : []));
  const boxes = options.flatMap(({ toggle }, index) => (toggle !== undefined && isWhole ? [index + 1] : []));
  const mayTick = request?.submit !== undefined && boxes.length > 0;
  const [mayApprove, mayDeny] = [isWhole && has("approve"), has("deny")];
  return {
    words: [
      ...(mayApprove ? ["y to approve"] : []),
      ...(mayDeny ? ["n to deny"] : []),
      ...(mayTick ? [`numbers of ${boxes.join(", ")} with commas to choose several`] : []),
      ...(keyed.length > 0 ? [`${keyed.join(", ")} to choose`] : []),
    ],
    mayApprove,
    mayDeny,
  };
};

const askForChoice = async (pane: PaneView, context: CliContext): Promise<AnswerChoice | "none" | null> => {
  const { words, mayApprove, mayDeny } = offers(pane);
  if (words.length === 0) {
    const where =
      pane.background?.is_answered_elsewhere === true
        ? "answer where it was asked"
        : `go there with 'agtmux attach ${cleanLine(pane.short_ref)}'`;
    context.print(`It can't be answered from here: ${where}.\n`);
    return "none";
  }
  const line = await askLine(`${words.join(", ")}, anything else to leave it: `, context);
  if (line === null) return null;
  if (mayApprove && /^y(es)?$/i.test(line)) return { kind: "approve" };
  if (mayDeny && /^no?$/i.test(line)) return { kind: "deny" };
  const numbers = SEVERAL.test(line) ? numbersOf(line) : [];
  const options = numbers.map((number) => pane.request?.options[number - 1]);
  if (numbers.length === 0 || pane.request?.is_whole !== true) return "none";
  if (options.every((option) => option?.toggle !== undefined)) return { kind: "options", numbers };
  const [number, ...more] = numbers;
  return number !== undefined && more.length === 0 && (options[0]?.keys ?? []).length > 0
    ? { kind: "option", number }
    : "none";
};

const confirmed = async (
  choice: AnswerChoice | null,
  pane: PaneView,
  context: CliContext,
): Promise<AnswerChoice | "none" | null> => {
  if (choice === null) return askForChoice(pane, context);
  const isAgreed = await ask(`${describe(choice)}? [y/N] `, context);
  return isAgreed === null ? null : isAgreed ? choice : "none";
};

/** Prints the open prompt and returns its fingerprint. @throws AgtmuxError E_STALE_SNAPSHOT when there is none. */
const showPrompt = (pane: PaneView, context: CliContext): string => {
  const { request, prompt_fingerprint: fingerprint } = pane;
  if (request === null || fingerprint === null)
    throw new AgtmuxError("E_STALE_SNAPSHOT", `No prompt is open in ${cleanLine(placeOf(pane))}`);
  const head = `${cleanLine(pane.agent_name ?? "The agent")} in ${cleanLine(placeOf(pane))} asks (${request.kind}):`;
  context.print(`${[context.paint("bold", head), ...promptLines(request, context.now()), ""].join("\n")}\n`);
  return fingerprint;
};

/** Denies, and gives the reason in the agent's own way, or as its next message. */
const denyBecause = async (
  client: DaemonClient,
  ref: string,
  reason: string,
  answer: (choice: AnswerChoice) => Promise<ActionResult>,
): Promise<ActionResult> => {
  const [{ denyWithReason, REASON_EXPIRES_MS }, { agentLimits, laterReason }] = await Promise.all([
    import("../../ui/actions/denial.ts"),
    import("../../ui/actions/disabledReasons.ts"),
  ]);
  const [{ pane }, { items }] = await client.call((api) =>
    Promise.all([api.explain.query({ ref }), api.adapters.query()]),
  );
  const around = { isConnected: true, isUnreachable: false, isShownWhole: () => true };
  const why = laterReason(pane, { ...around, ...agentLimits(items) });
  if (why !== null)
    throw new AgtmuxError("E_UNSUPPORTED", `Nothing was sent: the reason could not follow; ${why}`, {
      remedy: "Deny it without --reason.",
    });
  const { result } = await denyWithReason({
    request: pane.request,
    reason,
    answer,
    sendLater: (text) =>
      client.call((api) =>
        api.automation.send.mutate({
          runtimeId: pane.identity.runtime_id ?? "",
          trigger: { kind: "ready" },
          text,
          expiresMs: REASON_EXPIRES_MS,
          surface: "cli",
        }),
      ),
  });
  return result;
};

/** Resolves with the exit status of the outcome; if the person did not answer the prompt, with that of `leaveUndone`. */
export const runAnswer = async (
  context: CliContext,
  typed: string,
  options: AnswerOptions,
): Promise<number> => {
  const asJson = options.json === true;
  let choice = choiceOf(await withInput(context, options));
  let guards: Partial<ActionGuards> = parseGuards(options);
  const isAtHand = !asJson && options.stdin !== true;
  const canAsk = guards.ifPrompt === undefined && isAtHand && context.stdin.isTTY && context.stdout.isTTY;
  if (options.reason !== undefined && (choice?.kind !== "deny" || options.reason.trim() === ""))
    throw new AgtmuxError("E_USAGE", "--reason goes with --deny, and is not empty");
  if (choice === null && !canAsk) throw new AgtmuxError("E_USAGE", `answer needs one of ${CHOICES}`);
  return withRef(context, { ref: typed, says: !asJson }, async (client, ref) => {
    if (canAsk) {
      const { pane: found } = await client.call((api) => api.explain.query({ ref }));
      const [pane = found] = await whenDrawn([found], client);
      const fingerprint = showPrompt(pane, context);
      const answer = await confirmed(choice, pane, context);
      if (answer === null || answer === "none") return leaveUndone(context, answer !== null);
      choice = answer;
      guards = { ...guards, ifPrompt: fingerprint };
    }
    if (choice === null) throw new AgtmuxError("E_USAGE", `answer needs one of ${CHOICES}`);
    const given = choice;
    // Without a fingerprint and without a terminal the daemon refuses.
    const answer = (choice: AnswerChoice): Promise<ActionResult> =>
      client.call((api) =>
        api.answer.mutate({
          ref,
          guards,
          surface: "cli",
          choice,
          idempotencyKey: options.idempotencyKey ?? null,
        }),
      );
    const { reason } = options;
    const result =
      reason === undefined || given.kind !== "deny"
        ? await answer(given)
        : await denyBecause(client, ref, reason, answer);
    return printResult(context, result, asJson);
  });
};

// Kill: signals an agent's process after the person has seen which one and agreed, or with --yes.

const parseSignal = (text: string): KillSignal => {
  const name = text.toUpperCase().replace(/^SIG/, "");
  const signal = KILL_SIGNALS.find((known) => known === name);
  if (signal !== undefined) return signal;
  throw new AgtmuxError("E_USAGE", `--signal: unknown value '${text}'`, {
    remedy: `Signals are ${KILL_SIGNALS.join(", ")}.`,
  });
};

interface Agreement {
  answer: boolean | null;
  /** Guards from what the question showed: an agent that went on meanwhile, or another one, must not be hit. */
  guards: Partial<ActionGuards>;
}

const agree = async (
  context: CliContext,
  client: DaemonClient,
  about: { ref: string; signal: KillSignal; guards: Partial<ActionGuards> },
): Promise<Agreement> => {
  await refreshWorkTrees(client, { ref: about.ref });
  const { pane } = await client.call((api) => api.explain.query({ ref: about.ref }));
  const { runtime_id } = pane.identity;
  const name = cleanLine(pane.agent_name ?? "the process");
  const lost = cleanLine(uncommittedText(pane.workspace, pane.activity?.folder ?? "its folder"));
  if (lost !== "") context.print(`! ${lost}\n`);
  const question = `Send ${about.signal} to ${name} (${pane.state ?? "no agent"}) in ${cleanLine(placeOf(pane))}? [y/N] `;
  const answer = await ask(question, context);
  const shown = { ifRuntime: runtime_id, ifState: pane.state, ifVersion: pane.state_version };
  return { answer, guards: runtime_id === null ? about.guards : { ...shown, ...about.guards } };
};

/** Resolves with the exit status of the outcome; if the person did not agree, with that of `leaveUndone`. */
export const runKill = async (
  context: CliContext,
  typed: string,
  options: GuardOptions & {
    signal?: string;
    yes?: boolean;
    json?: boolean;
  },
): Promise<number> => {
  const signal = parseSignal(options.signal ?? "INT");
  const asJson = options.json === true;
  const canAsk = options.yes !== true && context.stdin.isTTY && context.stdout.isTTY && !asJson;
  return withRef(context, { ref: typed, says: !asJson }, async (client, ref) => {
    let guards = parseGuards(options);
    if (canAsk) {
      const agreement = await agree(context, client, { ref, signal, guards });
      if (agreement.answer !== true) return leaveUndone(context, agreement.answer !== null);
      guards = agreement.guards;
    }
    // Without a terminal and without --yes the daemon refuses, and says what would have happened.
    const isConfirmed = options.yes === true || canAsk;
    const result = await client.call((api) =>
      api.kill.mutate({ ref, guards, surface: "cli", signal, isConfirmed }),
    );
    return printResult(context, result, asJson);
  });
};

// View output: the last lines of a pane's screen and scrollback, or of its agent's own log. The daemon bounds and cleans them.

const whatIsMissing = (output: PaneOutput): string | null => {
  if (output.source === "transcript" && output.cut === "none")
    return "This is from the agent's own log: '> ' is you, '* ' a tool, '! ' a note.";
  if (output.is_alternate && output.source === "screen")
    return `The program draws on the alternate screen: tmux has no scrollback of it, this is what is visible.${output.transcript_offered ? " Its own log of the session: --transcript." : ""}`;
  return output.cut === "bytes" ? "Older lines were left out: the output is larger than 1 MB." : null;
};

export const runViewOutput = async (
  context: CliContext,
  ref: string,
  options: GuardOptions & { lines?: string; ansi?: boolean; transcript?: boolean; json?: boolean },
): Promise<void> => {
  const guards = parseGuards(options);
  const lines =
    options.lines === undefined
      ? DEFAULT_OUTPUT_LINES
      : parseCount(options.lines, "--lines", { min: 1, max: MAX_OUTPUT_LINES });
  const output = await withRef(context, { ref, says: false }, (client, settled) =>
    client.call((api) =>
      api.viewOutput.mutate({
        ref: settled,
        guards,
        surface: "cli",
        lines,
        ansi: options.ansi === true,
        source: options.transcript === true ? "transcript" : "screen",
      }),
    ),
  );
  if (options.json === true) {
    context.print(`${JSON.stringify(output)}\n`);
    return;
  }
  if (output.lines.length > 0) context.print(`${output.lines.join("\n")}\n`);
  const missing = whatIsMissing(output);
  // Notes go to stderr, so that a pipe gets only the pane's own lines.
  if (missing !== null) context.stderr.write(`agtmux: ${missing}\n`);
};

// Send, interrupt, mute, rename and dismiss: done without a question.

interface SendOptions extends GuardOptions, LaterOptions {
  text?: string;
  stdin?: boolean;
  /** commander's form of --no-enter. */
  enter: boolean;
  toShell?: boolean;
  idempotencyKey?: string;
  json?: boolean;
}

const textOf = async (context: CliContext, { text, stdin }: SendOptions): Promise<string> => {
  if ((text === undefined) === (stdin !== true))
    throw new AgtmuxError("E_USAGE", "send needs either --text <text> or --stdin");
  return text === undefined ? readInput(context) : checkLength(text);
};

const LATER = ["whenReady", "at", "atReset", "cron", "times", "expires", "volatile"] as const;

/** Guards are about this moment, so they are refused for a text that is sent later. */
const refuseForLater = ({ enter, toShell, idempotencyKey, ...options }: SendOptions): void => {
  const guards = Object.entries(parseGuards(options)).filter(
    ([, value]) => value !== null && value !== false,
  );
  if (enter && toShell !== true && idempotencyKey === undefined && guards.length === 0) return;
  throw new AgtmuxError(
    "E_USAGE",
    "a text that is sent later takes no guards, --no-enter, --to-shell or key",
    {
      remedy: "It goes only to this agent in this session, once it is idle and its input box is empty.",
    },
  );
};

/** Types a text, given as an option or on standard input. Resolves with the exit status of the outcome. */
export const runSend = async (context: CliContext, ref: string, options: SendOptions): Promise<number> => {
  if (LATER.some((name) => options[name] !== undefined)) {
    refuseForLater(options);
    const { runSendLater } = await import("./jobs.ts");
    await runSendLater(context, ref, await textOf(context, options), options);
    return 0;
  }
  const guards = parseGuards(options);
  const text = await textOf(context, options);
  const result = await withRef(context, { ref, says: options.json !== true }, (client, settled) =>
    client.call((api) =>
      api.send.mutate({
        ref: settled,
        guards,
        surface: "cli",
        text,
        pressEnter: options.enter,
        toShell: options.toShell === true,
        idempotencyKey: options.idempotencyKey ?? null,
      }),
    ),
  );
  return printResult(context, result, options.json === true);
};

/** Stops a turn the way a person would. Resolves with the exit status of the outcome. */
export const runInterrupt = async (
  context: CliContext,
  ref: string,
  options: GuardOptions & { json?: boolean },
): Promise<number> => {
  const guards = parseGuards(options);
  const result = await withRef(context, { ref, says: options.json !== true }, (client, settled) =>
    client.call((api) => api.interrupt.mutate({ ref: settled, guards, surface: "cli" })),
  );
  return printResult(context, result, options.json === true);
};

const DEFAULT_MUTE_MS = 3_600_000;
/** The daemon's limit. */
const LONGEST_MUTE_MS = 7 * 86_400_000;

interface MuteOptions {
  for?: string;
  untilEnd?: boolean;
  off?: boolean;
}

const muteOf = (options: MuteOptions): number | "end" | null => {
  if ([options.for, options.untilEnd, options.off].filter((one) => one !== undefined).length > 1)
    throw new AgtmuxError("E_USAGE", "mute takes one of --for, --until-end and --off");
  if (options.off === true) return null;
  if (options.untilEnd === true) return "end";
  const ms = options.for === undefined ? DEFAULT_MUTE_MS : parseDuration(options.for, "--for");
  if (ms >= 1_000 && ms <= LONGEST_MUTE_MS) return ms;
  throw new AgtmuxError("E_USAGE", `--for ${options.for ?? ""} is too long or too short`, {
    remedy: "1s to 7d, or --until-end.",
  });
};

/** No notification is shown of this one agent for a while, or until it ends. */
export const runMute = async (
  context: CliContext,
  ref: string,
  options: GuardOptions & MuteOptions & { json?: boolean },
): Promise<void> => {
  const guards = parseGuards(options);
  const forMs = muteOf(options);
  const { paneRef, muted } = await withRef(context, { ref, says: options.json !== true }, (client, settled) =>
    client.call((api) => api.mute.mutate({ ref: settled, guards, surface: "cli", forMs })),
  );
  if (options.json === true) printDocument<MutedDocument>(context, { pane_ref: paneRef, muted });
  else if (muted === null) context.print(`No longer muted: ${shortenRefs(paneRef)}.\n`);
  else {
    const until = muted.until === null ? "it ends" : new Date(muted.until).toLocaleString();
    context.print(`Muted ${shortenRefs(paneRef)} until ${until}.\n`);
  }
};

/** Names the row of an agent, in agtmux. */
export const runRename = async (
  context: CliContext,
  ref: string,
  name: string,
  options: GuardOptions & { inAgent?: boolean; json?: boolean },
): Promise<number> => {
  const guards = parseGuards(options);
  const session = options.inAgent === true;
  const renamed = await withRef(context, { ref, says: options.json !== true }, (client, settled) =>
    client.call((api) => api.rename.mutate({ ref: settled, guards, surface: "cli", name, session })),
  );
  if (options.json === true)
    printDocument<RenamedDocument>(context, {
      pane_ref: renamed.paneRef,
      name: renamed.name,
      session:
        renamed.session === null
          ? null
          : { outcome: renamed.session.outcome, detail: renamed.session.detail },
    });
  else if (renamed.name === null) context.print(`${shortenRefs(renamed.paneRef)} has its own title again.\n`);
  else context.print(`Renamed ${shortenRefs(renamed.paneRef)} to “${cleanLine(renamed.name)}”.\n`);
  if (renamed.session === null) return 0;
  if (options.json !== true) context.print(`${cleanLine(sessionNameText(renamed.session))}\n`);
  return OUTCOME_EXIT_CODES[renamed.session.outcome];
};

/** Marks an error or a finished turn as seen; the row of a crashed agent is removed. */
export const runDismiss = async (
  context: CliContext,
  ref: string,
  options: GuardOptions & { json?: boolean },
): Promise<void> => {
  const guards = parseGuards(options);
  const { paneRef } = await withRef(context, { ref, says: options.json !== true }, (client, settled) =>
    client.call((api) => api.dismiss.mutate({ ref: settled, guards, surface: "cli" })),
  );
  if (options.json === true) printDocument<DismissedDocument>(context, { dismissed: paneRef });
  else context.print(`Dismissed ${shortenRefs(paneRef)}.\n`);
};

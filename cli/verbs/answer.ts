// `agtmux answer <ref>`: answers exactly the prompt that its fingerprint names or that was just shown in the terminal.
import type { AnswerChoice } from "../../core/model/actionView.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { ActionGuards } from "../../core/model/snapshot.ts";
import type { PaneView } from "../../core/model/view.ts";
import { ask, askLine, leaveUndone } from "../ask.ts";
import type { CliContext } from "../context.ts";
import { parseCount } from "../parse/count.ts";
import { parseGuards, type GuardOptions } from "../parse/guards.ts";
import { readInput } from "../readInput.ts";
import { cleanLine } from "../render/clean.ts";
import { printResult } from "../render/outcome.ts";
import { promptLines } from "../render/prompt.ts";
import { placeOf, withRef } from "../settleRef.ts";
import { whenDrawn } from "../wait/whenDrawn.ts";

export interface AnswerOptions extends GuardOptions {
  approve?: boolean;
  deny?: boolean;
  option?: string;
  text?: string;
  stdin?: boolean;
  idempotencyKey?: string;
  json?: boolean;
}

const MAX_OPTION = 30;
const CHOICES = "--approve, --deny, --option <number>, --text <text> or --stdin";

/** --stdin replaces --text, so that the text is not in the arguments. */
const withInput = async (context: CliContext, options: AnswerOptions): Promise<AnswerOptions> => {
  if (options.stdin !== true) return options;
  if (options.text !== undefined) throw new AgtmuxError("E_USAGE", `answer takes only one of ${CHOICES}`);
  return { ...options, text: await readInput(context) };
};

/** Null when none was given. Fails with E_USAGE for several. */
const choiceOf = ({ approve, deny, option, text }: AnswerOptions): AnswerChoice | null => {
  const given: AnswerChoice[] = [
    ...(approve === true ? [{ kind: "approve" } as const] : []),
    ...(deny === true ? [{ kind: "deny" } as const] : []),
    ...(option === undefined
      ? []
      : [{ kind: "option", number: parseCount(option, "--option", { min: 1, max: MAX_OPTION }) } as const]),
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
    case "text":
      return `Answer '${cleanLine(choice.text)}'`;
  }
};

const askForChoice = async (pane: PaneView, context: CliContext): Promise<AnswerChoice | "none" | null> => {
  const isWhole = pane.request?.is_whole === true;
  const count = isWhole ? (pane.request?.options.length ?? 0) : 0;
  const numbers = count === 0 ? "" : `, 1-${count} to choose`;
  const approve = isWhole ? "y to approve, " : "";
  const line = await askLine(`${approve}n to deny${numbers}, anything else to leave it: `, context);
  if (line === null) return null;
  if (isWhole && /^y(es)?$/i.test(line)) return { kind: "approve" };
  if (/^no?$/i.test(line)) return { kind: "deny" };
  const number = /^\d{1,2}$/.test(line) ? Number(line) : 0;
  return number >= 1 && number <= count ? { kind: "option", number } : "none";
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

/** The open prompt of a pane. @throws AgtmuxError E_STALE_SNAPSHOT when there is none. */
const showPrompt = (pane: PaneView, context: CliContext): string => {
  const { request, prompt_fingerprint: fingerprint } = pane;
  if (request === null || fingerprint === null)
    throw new AgtmuxError("E_STALE_SNAPSHOT", `No prompt is open in ${cleanLine(placeOf(pane))}`);
  const head = `${cleanLine(pane.agent_name ?? "The agent")} in ${cleanLine(placeOf(pane))} asks (${request.kind}):`;
  context.print(`${[context.paint("bold", head), ...promptLines(request, context.now()), ""].join("\n")}\n`);
  return fingerprint;
};

/** Resolves with the exit status of the outcome; if the person left the prompt unanswered, with that of a missing yes. */
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
    const result = await client.call((api) =>
      api.answer.mutate({
        ref,
        guards,
        surface: "cli",
        choice: given,
        idempotencyKey: options.idempotencyKey ?? null,
      }),
    );
    return printResult(context, result, asJson);
  });
};

// What rules would have approved of a played frame, by the judge and the doubts of the product, and whether that was right: only the
// command that was recorded, while its agent waits for an answer to it, with all of it on the screen in one row. What is right is
// told by the recording alone, and by none of the code that is judged.
import { createUnattendedAnswers } from "../../core/actions/paneAnswer.ts";
import type { Ingest } from "../../core/ingest/ingest.ts";
import type { Recording } from "../../adapters/testkit/recordings.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import { wordsOf } from "../../features/automation/rules/ruleCommands.ts";
import { judgeRequest } from "../../features/automation/rules/judgeRequest.ts";
import { hashOf, ruleSchema, type Rule } from "../../features/automation/rules/ruleFile.ts";
import type { Frame } from "./corpus.ts";
import { screenRows } from "./reflow.ts";
import { dialogBlock } from "./variations.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const MORE = "*";

/** All that could approve it: a rule of just these words, and of each of their beginnings with anything behind. */
const broadRules = (words: readonly string[]): Rule[] =>
  [words, ...words.map((_, index) => [...words.slice(0, index + 1), MORE])].flatMap((command, index) => {
    const read = ruleSchema.safeParse({
      name: `rule-${index}`,
      when: { commands: [command] },
      // oxlint-disable-next-line unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
      then: "approve",
    });
    return read.success ? [read.data] : [];
  });

const unused = (): never => {
  throw new Error("only a request is looked for");
};

/** The command that armed rules approve now, whatever they name; null: none. */
export const approvedNow = (
  ingest: Pick<Ingest, "liveState">,
  runtimeId: string,
  agent: string,
): string | null => {
  const answers = createUnattendedAnswers({
    entryOf: (id) => ingest.liveState.runtimes.get(id) ?? null,
    clientsOf: unused,
    clock: partOf({ now: unused }),
    takeEventsOf: unused,
    throughGate: unused,
    answerOnce: unused,
  });
  const request = answers.findRequest(runtimeId);
  if (request === null || request.fingerprint === null || request.doubt !== null) return null;
  const { kind, toolName: tool, command, folder } = request;
  const rules = broadRules(wordsOf(command ?? "") ?? []);
  const armed = new Set(rules.map((rule) => hashOf(rule, rules)));
  const asked = {
    agent,
    target: HOST_TARGET,
    session: "corpus",
    kind,
    tool,
    command,
    folder,
    leadsTo: (one: string) => one,
    paths: [],
  };
  const { verdict, isArmed } = judgeRequest({ rules, blocksApproval: false, armed }, asked);
  return verdict === "approve" && isArmed ? command : null;
};

/** Every text that an event names as a command, wherever in it. */
const commandsOf = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, one]) =>
        key === "command" && typeof one === "string" ? [one] : commandsOf(one),
      );

export type Approval = "none" | "exact" | "outside";

const isDrawn = (lines: readonly string[], command: string): boolean =>
  lines.some((line) => line.includes(command));

export interface Judged {
  /** Its events told what is asked. */
  teller: Frame;
  /** The frame that was shown, and what was shown of it. */
  frame: Frame;
  screen: Recording;
  isDialogWhole: boolean;
}

export const approvalOf = (
  approved: string | null,
  { teller, frame, screen, isDialogWhole }: Judged,
): Approval => {
  if (approved === null) return "none";
  const isExact =
    teller.recording.events.some(({ payload }) => commandsOf(payload).includes(approved)) &&
    frame.label.state === "waiting_approval" &&
    isDrawn(dialogBlock(screenRows(frame.recording)), approved) &&
    isDialogWhole &&
    isDrawn(dialogBlock(screenRows(screen)), approved);
  return isExact ? "exact" : "outside";
};

import { expect, it } from "vitest";
import type { RuntimeEntry } from "../ingest/liveState.ts";
import { EMPTY_FACTS } from "../engine/facts.ts";
import type { PromptRequest } from "../model/request.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import type { ActionInput } from "./audit.ts";
import { createUnattendedAnswers, type AnswerByRule } from "./paneAnswer.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const NOW = 1_000_000_000;
const client = (ago: number, more: Partial<TmuxClient> = {}): TmuxClient => ({
  isNative: false,
  isReadOnly: false,
  activeAt: NOW / 1_000 - ago,
  sessionId: "$1",
  tty: "/dev/pts/1",
  paneId: "%1",
  isFocused: true,
  reportsFocus: false,
  ...more,
});

/** Of an agent that no event told of: an approval is in doubt. */
const open = (clients: TmuxClient[], isThere = true) => {
  const asked: ActionInput[] = [];
  const stills: (() => void)[] = [];
  const drained: string[] = [];
  const entry = {
    runtime: { runtimeId: "rt1", targetId: "host" },
    adapter: null,
    resolution: null,
    facts: EMPTY_FACTS,
    asked: { byEvent: new Map() },
  } as unknown as RuntimeEntry;
  const answers = createUnattendedAnswers({
    entryOf: () => (isThere ? entry : null),
    clientsOf: () => Promise.resolve(clients),
    takeEventsOf: async (targetId) => void drained.push(targetId),
    clock: partOf({ now: () => NOW }),
    throughGate: (input, act) => {
      asked.push(input);
      return act({ verified: { subject: { key: { paneId: "%1" } } } } as never);
    },
    answerOnce: (_turn, _input, { requireStill }) => {
      stills.push(requireStill);
      return Promise.resolve({ outcome: "delivered" } as never);
    },
  });
  return { answers, asked, stills, drained, entry };
};
const answer = (more: Partial<AnswerByRule> = {}): AnswerByRule => ({
  runtimeId: "rt1",
  stateVersion: 7,
  fingerprint: "f1",
  choice: "deny",
  surface: "rule:x",
  idempotencyKey: "k",
  lookAgain: () => Promise.resolve(),
  obstacle: () => null,
  ...more,
});

it("goes to this runtime, in this state version, with this prompt", async () => {
  const { answers, asked } = open([]);
  await answers.answer(answer());
  expect(asked).toMatchObject([
    { ref: "runtime:rt1", surface: "rule:x", guards: { ifRuntime: "rt1", ifVersion: 7, ifPrompt: "f1" } },
  ]);
});

it("takes in what waits on the machine of its agent, while there is one", async () => {
  const [here, gone] = [open([]), open([], false)];
  for (const { answers } of [here, gone]) await answers.takeEvents("rt1");
  expect([here.drained, gone.drained]).toEqual([["host"], []]);
});

it("is about the folder that the request tells, whatever another event told since", () => {
  const { answers, entry } = open([]);
  const request: PromptRequest = {
    kind: "command",
    title: "Bash command",
    body: "git status",
    toolName: "Bash",
    options: [],
    expiresAt: null,
    isWhole: true,
  };
  const folderWhere = (told: PromptRequest): string | null | undefined => {
    Object.assign(entry, {
      prompt: { request, fingerprint: "f1" },
      cwd: "/home/me/work",
      resolution: { requestId: "request:sub@ev_1" },
      asked: { byEvent: new Map([["ev_1", told]]) },
    });
    return answers.findRequest("rt1")?.folder;
  };
  expect(folderWhere({ ...request, runsIn: "/tmp/elsewhere" })).toBe("/tmp/elsewhere");
  expect(folderWhere(request)).toBe("/home/me/work");
});

it("is not given while somebody types there, and is after a moment", async () => {
  await expect(open([client(0)]).answers.answer(answer())).rejects.toThrow("somebody types there");
  await expect(open([client(5)]).answers.answer(answer())).rejects.toThrow("somebody types there");
  for (const others of [[client(6)], [client(0, { paneId: "%2" })], [client(0, { isReadOnly: true })]])
    expect(await open(others).answers.answer(answer())).toMatchObject({ outcome: "delivered" });
});

it("is not given where the agent has ended, or where an approval is in doubt", async () => {
  await expect(open([], false).answers.answer(answer())).rejects.toThrow("its agent has ended");
  await expect(open([]).answers.answer(answer({ choice: "approve" }))).rejects.toThrow(
    "its agent is unknown",
  );
});

it("asks directly before the key whether it may still be given", async () => {
  const { answers, stills } = open([]);
  let why: string | null = null;
  await answers.answer(answer({ obstacle: () => why }));
  expect(() => stills[0]?.()).not.toThrow();
  why = "automation is paused";
  expect(() => stills[0]?.()).toThrow("automation is paused");
});

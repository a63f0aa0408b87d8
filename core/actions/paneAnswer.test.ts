// An answer on a played screen: when its keys go in, who may still stop it, and what counts as its effect. The same with tmux and
// agents is in test/actions.
import { expect, it } from "vitest";
import { somePane } from "../../adapters/testkit/pane.ts";
import { QUESTION, someRequest } from "../../test/factories/evidence.ts";
import type { RuntimeEntry } from "../ingest/liveState.ts";
import type { AnswerChoice } from "../model/action.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { PromptRequest } from "../model/request.ts";
import type { ActionTurn } from "./audit.ts";
import { createPaneAnswer, type UnattendedAnswer } from "./paneAnswer.ts";
import type { PaneCapture, PaneClient } from "./paneClient.ts";
import type { VerifiedAction } from "./prepare.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const PANE = somePane();
const DENY: PromptRequest = {
  ...someRequest("make"),
  kind: "question",
  options: [{ label: "No", keys: ["n"], role: "deny" }],
  textEntry: [],
};
const ASKS = ["Run it?", "make", "> "];
const RESTS = ["done", "", "> "];
const capture = (rows: readonly string[]): PaneCapture => ({
  panePid: PANE.panePid,
  isDead: false,
  inMode: false,
  isSynchronized: false,
  isInputOff: false,
  isAlternate: true,
  isCursorVisible: false,
  cursorX: rows.at(-1)?.length ?? 0,
  cursorY: rows.length - 1,
  width: PANE.width,
  height: PANE.height,
  command: "agent",
  title: "",
  rows,
  rawRows: rows,
  firstLine: 0,
  styledRows: rows,
});

interface Play {
  /** What each look shows, the last one again and again; after a key `after` begins. */
  before?: readonly (readonly string[])[];
  after?: readonly (readonly string[])[];
  /** False: the screen changed before the key. */
  isPressed?: boolean;
  choice?: AnswerChoice;
  unattended?: UnattendedAnswer;
}

const play = async ({ before = [ASKS], after = [RESTS], isPressed = true, choice, unattended }: Play) => {
  let now = 0;
  let looks = 0;
  let screens = before;
  const told: string[] = [];
  const keys: [key: string, at: number][] = [];
  const client: PaneClient = {
    capture: () => {
      const rows = screens[Math.min(looks, screens.length - 1)] ?? [];
      looks += 1;
      return Promise.resolve(capture(rows));
    },
    clients: () => Promise.resolve([]),
    readScrollback: () => Promise.resolve(null),
    hold: (text) => Promise.resolve({ text, name: "held", release: () => Promise.resolve() }),
    runIf: (_action, _pane, commands) => {
      const [name = "", ...words] = commands.at(-1) ?? [];
      if (!isPressed) return Promise.resolve(false);
      keys.push([name === "paste-buffer" ? "text" : (words.at(-1) ?? ""), now]);
      [screens, looks] = [after, 0];
      return Promise.resolve(true);
    },
  };
  const entry = {
    runtime: { runtimeId: "rt1", agentType: "claude", targetId: "host" },
    resolution: { since: -10_000 },
    prompt: { request: DENY, fingerprint: "f1" },
    adapter: {
      displayName: "Agent",
      readScreen: ({ lines }: { lines: readonly string[] }) =>
        lines[0] === ASKS[0]
          ? {
              status: QUESTION,
              confidence: "high",
              matched: "",
              request: DENY,
              dialogTop: 0,
              isSteady: false,
            }
          : null,
    },
  } as unknown as RuntimeEntry;
  const snapshot = { runtimeId: "rt1", promptFingerprint: "f1", observedAt: -10_000 };
  const verified = { snapshot, subject: { key: PANE, paneRef: "host/%1" } } as unknown as VerifiedAction;
  const paneAnswer = createPaneAnswer({
    ingest: partOf({ promptWith: () => ({ request: DENY, fingerprint: "f1" }) }),
    gate: { prepare: () => expect.fail(), verify: () => verified, renew: () => verified },
    reach: { reach: () => ({ pane: PANE, client }) },
    openScreen: () => expect.fail(),
    clock: {
      now: () => now,
      setTimer: (ms, work) => {
        now += ms;
        queueMicrotask(work);
        return () => {};
      },
    },
    entryOf: () => entry,
    isForeground: () => Promise.resolve(true),
  });
  const outcome = await paneAnswer({ prepared: verified, verified } as unknown as ActionTurn, entry, {
    choice: choice ?? { kind: "deny" },
    unattended: unattended ?? null,
    onFirstKey: () => told.push("a key goes in"),
    onNothingSent: () => told.push("it did not"),
  }).then(
    (report) => report.outcome,
    (error: unknown) => (error instanceof AgtmuxError ? error.code : String(error)),
  );
  return { outcome, keys, told };
};

it("an answer by a rule presses no key once what armed it has changed, however late", async () => {
  const late = { lookAgain: () => Promise.resolve(), requireStill: () => {} };
  expect((await play({ unattended: late })).keys).toEqual([["n", 0]]);
  const requireStill = () => {
    throw new AgtmuxError("E_STALE_SNAPSHOT", "Nothing was sent: the rule was removed.");
  };
  expect(await play({ unattended: { ...late, requireStill } })).toEqual({
    outcome: "E_STALE_SNAPSHOT",
    keys: [],
    told: [],
  });
});

it("an answer whose keys never went in says so each time: it may be given again", async () => {
  const { outcome, told } = await play({ isPressed: false });
  expect(outcome).toBe("E_STALE_SNAPSHOT");
  expect(told).toEqual(Array.from({ length: 3 }, () => ["a key goes in", "it did not"]).flat());
});

it("an answer is delivered once two looks in a row do not show its dialog any more; one does not do", async () => {
  // Asked again at once, a dialog may look the same.
  expect((await play({ after: [RESTS, RESTS, ASKS] })).outcome).toBe("delivered");
  expect((await play({ after: [RESTS, ASKS] })).outcome).toBe("not_delivered");
});

it("a typed answer is confirmed no sooner than an agent takes Enter for a key of its own, not for a part of the text", async () => {
  const typed = [...ASKS.slice(0, 2), "> blue"];
  const { outcome, keys } = await play({
    choice: { kind: "text", text: "blue" },
    after: [typed, typed, RESTS],
  });
  expect([outcome, keys]).toEqual([
    "delivered",
    [
      ["text", 0],
      ["Enter", 400],
    ],
  ]);
});

it("one number of a question that takes one answer is that option, and pressed once", async () => {
  const one = await play({ choice: { kind: "options", numbers: [1] } });
  expect([one.outcome, one.keys]).toEqual(["delivered", [["n", 0]]]);
  const several = await play({ choice: { kind: "options", numbers: [1, 2] } });
  expect([several.outcome, several.keys]).toEqual(["E_UNSUPPORTED", []]);
});

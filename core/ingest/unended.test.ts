import { expect, it } from "vitest";
import type { Evidence } from "../model/evidence.ts";
import type { PromptRequest } from "../model/request.ts";
import type { Status } from "../model/state.ts";
import {
  mayBeOfAnother,
  NONE_UNENDED,
  UNKNOWN_UNENDED,
  withLook,
  withOpened,
  type Unended,
} from "./liveState.ts";

const WAITS: Status = { state: "waiting_approval", reasonCode: "permission_tool" };
const WORKS: Status = { state: "running", reasonCode: "tool" };
const request = (body: string | null): PromptRequest => ({
  kind: "command",
  title: "Bash command",
  body,
  toolName: "Bash",
  options: [],
  expiresAt: null,
});
const opened = (eventId: string, body: string | null, ingestedAt = 1_000): Evidence => ({
  eventId,
  runtimeId: "rt_1",
  source: "hook",
  eventType: "PermissionRequest",
  sourceSeq: null,
  // What the event claims counts for nothing.
  eventTime: 0,
  ingestedAt,
  dedupeKey: eventId,
  signal: {
    kind: "request",
    agentId: "root",
    requestKey: eventId,
    status: WAITS,
    confidence: "high",
    request: request(body),
    needsConfirmation: false,
    dialogGraceMs: 1_000,
  },
});
const withAll = (...all: Evidence[]): Unended => all.reduce(withOpened, NONE_UNENDED);
const looks = (from: Unended, ...all: [Status | null, number][]): Unended =>
  all.reduce((unended, [status, readAt]) => withLook(unended, status, readAt), from);
/** The dialog of this command, which event `b` told. */
const isUnsure = (unended: Unended, body = "git status"): boolean =>
  mayBeOfAnother(unended, { eventId: "b", told: request(body) });

const BOTH = withAll(opened("a", "git status"), opened("b", "git status"));

it("a request that alone was told is that of the dialog, and one of two equal ones may be the other", () => {
  expect(isUnsure(withAll(opened("b", "git status")))).toBe(false);
  expect(isUnsure(withAll(opened("a", "rm -rf build"), opened("b", "git status")))).toBe(false);
  expect(isUnsure(BOTH)).toBe(true);
  // Which was told first says nothing.
  expect(isUnsure(withAll(opened("b", "git status"), opened("a", "git status")))).toBe(true);
});

it("one that may look the same is the same, and one of which nothing is told may be any", () => {
  for (const body of ["git  status", "git\u200b status", "git status\n", "\u202egit status", null])
    expect(isUnsure(withAll(opened("a", body), opened("b", "git status"))), String(body)).toBe(true);
});

it("only a screen that for a while shows no dialog ends them", () => {
  const later = (...all: [Status | null, number][]): boolean =>
    isUnsure(withOpened(looks(BOTH, ...all), opened("c", "git status", 9_000)), "git stash");
  expect(isUnsure(looks(BOTH, [WAITS, 2_500], [WORKS, 3_000], [WORKS, 3_300]))).toBe(false);
  expect(later([WORKS, 3_000], [WORKS, 3_300])).toBe(false);
  for (const all of [
    [[WAITS, 2_500]],
    [[WORKS, 3_000]],
    [
      [WORKS, 3_000],
      [WORKS, 3_299],
    ],
    // A frame that is half drawn, and a screen that is not known, are no such screen.
    [
      [WORKS, 3_000],
      [WAITS, 3_200],
      [WORKS, 3_400],
    ],
    [
      [null, 3_000],
      [null, 3_400],
    ],
    [
      [WORKS, 3_000],
      [null, 3_200],
      [WORKS, 3_400],
    ],
    // Before the dialog has to be drawn.
    [
      [WORKS, 1_100],
      [WORKS, 1_900],
    ],
  ] satisfies [Status | null, number][][])
    expect(isUnsure(looks(BOTH, ...all)), JSON.stringify(all)).toBe(true);
});

it("of an agent that ran before, and of more than can be told apart, none is sure until the screen shows no dialog", () => {
  const many = withAll(...Array.from({ length: 150 }, (_, index) => opened(`x${index}`, `ls ${index}`)));
  for (const before of [UNKNOWN_UNENDED, many]) {
    expect(isUnsure(withOpened(before, opened("b", "git status")))).toBe(true);
    const shown = looks(before, [WORKS, 3_000], [WORKS, 3_300]);
    expect(isUnsure(withOpened(shown, opened("b", "git status", 4_000)))).toBe(false);
  }
});

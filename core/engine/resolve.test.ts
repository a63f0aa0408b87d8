import { describe, expect, it } from "vitest";
import { DEFAULT_TIMING } from "../model/config.ts";
import type { Evidence, Liveness } from "../model/evidence.ts";
import type { Status } from "../model/state.ts";
import {
  activity,
  API_ERROR,
  APPROVAL,
  asks,
  boundary,
  COMPLETED,
  evidenceAt,
  IDLE,
  INTERRUPTED,
  livenessAt,
  QUESTION,
  RUNNING,
  shows,
  someRequest,
  TOOL,
} from "../../test/factories/evidence.ts";
import { foldEvidence } from "./testkit/foldEvidence.ts";
import { resolve } from "./resolve.ts";

const T = 1_000_000;
const resolveAt = (at: number, evidence: Evidence[], liveness: Partial<Liveness> = {}) =>
  resolve({ facts: foldEvidence(evidence), liveness: livenessAt(at, liveness), at, timing: DEFAULT_TIMING });
const stateAt = (at: number, evidence: Evidence[], liveness: Partial<Liveness> = {}): string => {
  const { status } = resolveAt(at, evidence, liveness);
  return `${status.state}/${status.reasonCode}`;
};

describe("a turn", () => {
  it("runs from the prompt to the stop, is completed, and demotes to idle after 120 s", () => {
    const turn = [boundary(T, RUNNING), activity(T + 100, TOOL), boundary(T + 5_000, COMPLETED)];
    expect(stateAt(T + 50, turn.slice(0, 1))).toBe("running/thinking");
    expect(stateAt(T + 200, turn.slice(0, 2))).toBe("running/tool");
    expect(stateAt(T + 6_000, turn)).toBe("completed/turn_ended");
    expect(stateAt(T + 5_000 + 119_999, turn)).toBe("completed/turn_ended");
    expect(stateAt(T + 5_000 + 120_000, turn)).toBe("idle/demoted");
  });

  it("foresees its own demotion, and when the process must be verified again", () => {
    const resolution = resolveAt(T + 119_000, [boundary(T, COMPLETED)]);
    expect(resolution.nextCheckAt).toBe(T + 120_000);
    expect(resolveAt(T + 1_000, [boundary(T, COMPLETED)]).nextCheckAt).toBe(T + 1_000 + 10_001);
  });

  it("demotes a completion that lay in the spool for long by its event time", () => {
    const late = { ...boundary(T, COMPLETED), ingestedAt: T + 500_000 };
    expect(stateAt(T + 500_001, [late])).toBe("idle/demoted");
  });

  it("becomes unknown after 45 s without a sign of life, though the process lives", () => {
    expect(stateAt(T + 45_000, [boundary(T, RUNNING)])).toBe("running/thinking");
    expect(stateAt(T + 45_001, [boundary(T, RUNNING)])).toBe("unknown/stale_signal");
    expect(stateAt(T + 60_000, [boundary(T, RUNNING)], { keepAliveAt: T + 59_000 })).toBe("running/thinking");
  });

  it("ended in an error stays an error until the next prompt, the screen notwithstanding", () => {
    const failed = [
      boundary(T, RUNNING),
      boundary(T + 1_000, API_ERROR),
      shows(T + 9_000, IDLE, { since: T + 2_000 }),
    ];
    expect(stateAt(T + 100_000, failed)).toBe("error/api_error");
    expect(stateAt(T + 101_000, [...failed, boundary(T + 100_500, RUNNING)])).toBe("running/thinking");
  });

  it("whose error was dismissed is idle, and a later error shows again", () => {
    const dismissed = [
      boundary(T, API_ERROR),
      evidenceAt(T + 10, { kind: "dismissal" }, { source: "reconciler" }),
    ];
    expect(stateAt(T + 20, dismissed)).toBe("idle/demoted");
    expect(stateAt(T + 40, [...dismissed, boundary(T + 30, API_ERROR)])).toBe("error/api_error");
  });
});

describe("a request", () => {
  const running = boundary(T, RUNNING);
  const announced = activity(T + 10, TOOL, { names: { toolUseId: "t1", requestKey: "k1" } });

  it("waits, and is answered by the tool-use id that the announcement tied to it", () => {
    const open = [running, announced, asks(T + 50, "k1")];
    expect(stateAt(T + 60, open)).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 80, [...open, activity(T + 70, RUNNING, { closes: ["t1"] })])).toBe(
      "running/thinking",
    );
  });

  it("stays open while a parallel tool works and a background sub-agent reports", () => {
    const noise = [
      activity(T + 60, TOOL, { names: { toolUseId: "t2", requestKey: "k2" } }),
      activity(T + 70, RUNNING, { closes: ["t2", "k2"] }),
      activity(T + 80, TOOL, { agentId: "sub" }),
      boundary(T + 90, null, "sub"),
    ];
    expect(stateAt(T + 100, [running, announced, asks(T + 50, "k1"), ...noise])).toBe(
      "waiting_approval/permission_tool",
    );
  });

  it("that was answered is not asked again by a reading from before the answer", () => {
    const dialog = shows(T + 60, APPROVAL, { request: someRequest() });
    const events = [running, announced, asks(T + 50, "k1"), dialog];
    const answered = [...events, activity(T + 1_000, TOOL, { closes: ["t1"] })];
    const at = (ms: number, readAt: number) =>
      stateAt(T + ms, answered, { observedAt: { poller: T + readAt, transcript: null } });
    expect(at(1_100, 900)).toBe("running/tool");
    expect(at(1_500, 1_400)).toBe("running/tool");
    expect(at(1_600, 1_600)).toBe("waiting_approval/permission_tool");
  });

  it("of a sub-agent outlives the root's stop, and ends with the sub-agent", () => {
    const open = [
      running,
      asks(T + 50, "k1", { agentId: "sub" }),
      boundary(T + 60, { state: "running", reasonCode: "background_task" }),
    ];
    expect(stateAt(T + 70, open)).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 90, [...open, boundary(T + 80, null, "sub")])).toBe("running/background_task");
  });

  it("asked twice in parallel with equal input needs two answers", () => {
    const twice = [
      running,
      announced,
      activity(T + 12, TOOL, { names: { toolUseId: "t2", requestKey: "k1" } }),
      asks(T + 50, "k1"),
      asks(T + 55, "k1"),
      activity(T + 70, RUNNING, { closes: ["t1"] }),
    ];
    expect(stateAt(T + 80, twice)).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 100, [...twice, activity(T + 90, RUNNING, { closes: ["t2"] })])).toBe(
      "running/thinking",
    );
  });

  it("announced twice for one call (two hook entries) needs one answer", () => {
    const doubled = [
      running,
      announced,
      asks(T + 50, "k1"),
      asks(T + 51, "k1"),
      activity(T + 70, RUNNING, { closes: ["t1"] }),
    ];
    expect(stateAt(T + 80, doubled)).toBe("running/thinking");
    const { verdicts } = resolveAt(T + 80, doubled);
    expect(verdicts.filter(({ rule }) => rule === "it was answered")).toHaveLength(2);
  });

  it("differs from the same command asked again", () => {
    const again = [
      running,
      asks(T + 50, "k1"),
      activity(T + 60, RUNNING, { closes: ["k1"] }),
      asks(T + 70, "k1"),
    ];
    const first = resolveAt(T + 55, again.slice(0, 2));
    const second = resolveAt(T + 80, again);
    expect(second.status).toEqual(APPROVAL);
    expect(second.requestId).not.toBe(first.requestId);
  });

  it("denied without a hook leaves waiting when the screen has shown something else in two reads", () => {
    const open = [running, asks(T, "k1"), shows(T + 400, APPROVAL)];
    const one = shows(T + 1_000, IDLE, { lastDialogSeenAt: T + 400 });
    const two = shows(T + 1_500, INTERRUPTED, { since: T + 1_000, lastDialogSeenAt: T + 400 });
    expect(stateAt(T + 1_100, [...open, one])).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 1_600, [...open, one, two])).toBe("idle/interrupted");
  });

  it("is not contested before the agent had time to draw the dialog", () => {
    const busy = [running, asks(T + 5_000, "k1"), shows(T + 5_600, RUNNING, { since: T + 1_000 })];
    expect(stateAt(T + 5_700, busy)).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 6_300, [...busy, shows(T + 6_200, RUNNING, { since: T + 1_000 })])).toBe(
      "running/thinking",
    );
  });

  it("from an over-firing event is published only once its dialog was seen", () => {
    const open = [running, asks(T + 10, "k1", { needsConfirmation: true })];
    expect(stateAt(T + 20, open)).toBe("running/thinking");
    expect(stateAt(T + 500, [...open, shows(T + 400, APPROVAL)])).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 1_100, open, { screenReadable: false })).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 1_100, open)).toBe("running/thinking");
  });

  it("that nobody could see again for ten minutes is unknown", () => {
    expect(stateAt(T + 600_000, [asks(T, "k1")])).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 600_001, [asks(T, "k1")])).toBe("unknown/stale_signal");
    expect(resolveAt(T + 11_000, [asks(T, "k1")]).confidence).toBe("medium");
  });

  it("known only as 'a dialog is open' counts until the agent does something", () => {
    const notified = [running, asks(T + 50, null)];
    expect(stateAt(T + 60, notified)).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 80, [...notified, activity(T + 70, TOOL)])).toBe("running/tool");
    expect(stateAt(T + 80, [...notified, activity(T + 51, TOOL)])).toBe("running/tool");
  });

  it("for a permission outranks a question", () => {
    expect(stateAt(T + 60, [asks(T, "q", { status: QUESTION }), asks(T + 50, "k1")])).toBe(
      "waiting_approval/permission_tool",
    );
  });

  describe("is the one whose dialog is on the screen", () => {
    const dialog = (body: string) => ({
      ...someRequest(body),
      options: [{ label: "Yes", keys: ["1"], role: "approve" as const }],
    });
    const open = [asks(T, "k1", { body: "make one" }), asks(T + 10, "k2", { body: "make two" })];
    const bodyAt = (at: number, evidence: Evidence[]) => resolveAt(at, evidence).request?.body;

    it("of several, whichever was announced first", () => {
      for (const body of ["make one", "make two"])
        expect(bodyAt(T + 600, [...open, shows(T + 500, APPROVAL, { request: dialog(body) })])).toBe(body);
    });

    it("and nobody's who announced it where the screen shows another", () => {
      const other = shows(T + 1_500, APPROVAL, { request: dialog("rm -rf build") });
      expect(bodyAt(T + 1_600, [...open, other])).toBe("rm -rf build");
    });

    it("but not before the agent had time to draw it", () => {
      const before = shows(T + 500, APPROVAL, { request: dialog("rm -rf build") });
      expect(bodyAt(T + 600, [...open, before])).toBe("make one");
    });
  });
});

describe("readings", () => {
  it("complete each other: a file knows that it waits, the screen for what", () => {
    const seen = shows(T, APPROVAL, { request: someRequest("make one") });
    const file = shows(T + 5, APPROVAL, { source: "transcript" });
    expect(resolveAt(T + 10, [seen, file]).request?.body).toBe("make one");
    expect(
      resolveAt(T + 10, [file, shows(T, QUESTION, { request: someRequest("Which?") })]).request,
    ).toBeNull();
  });

  it("alone decide at once", () => {
    expect(stateAt(T + 10, [shows(T, RUNNING)])).toBe("running/thinking");
    expect(stateAt(T + 10, [shows(T, APPROVAL)])).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 10, [shows(T, IDLE)])).toBe("idle/fresh");
  });

  it("notice an interrupt that fires no hook", () => {
    const interrupted = [
      boundary(T, RUNNING),
      shows(T + 2_000, RUNNING, { since: T + 500 }),
      shows(T + 3_000, INTERRUPTED),
    ];
    expect(stateAt(T + 3_100, interrupted)).toBe("running/thinking");
    expect(stateAt(T + 3_600, [...interrupted, shows(T + 3_500, INTERRUPTED, { since: T + 3_000 })])).toBe(
      "idle/interrupted",
    );
  });

  it("of a screen that is not sure give way to a file that knows of an interrupt", () => {
    const done = shows(T + 1_000, COMPLETED);
    const sure = shows(T + 1_000, COMPLETED, { confidence: "high" });
    const file = (at: number) => shows(at, INTERRUPTED, { source: "transcript" });
    expect(stateAt(T + 1_200, [done, file(T + 1_100)])).toBe("idle/interrupted");
    expect(stateAt(T + 1_200, [sure, file(T + 1_100)])).toBe("completed/turn_ended");
    // The file was read last before the turn that has ended now.
    const readAt = { observedAt: { poller: T + 1_100, transcript: T + 600 } };
    expect(stateAt(T + 1_200, [done, file(T + 500)], readAt)).toBe("completed/turn_ended");
  });

  it("that are older than a stop do not outrank it", () => {
    expect(stateAt(T + 2_000, [shows(T, RUNNING), boundary(T + 1_000, COMPLETED)])).toBe(
      "completed/turn_ended",
    );
  });

  it("of a screen not yet redrawn do not undo a stop", () => {
    const stopped = [
      boundary(T, RUNNING),
      boundary(T + 5_000, COMPLETED),
      shows(T + 5_300, RUNNING, { since: T + 500 }),
    ];
    expect(stateAt(T + 5_400, stopped)).toBe("completed/turn_ended");
  });

  it("that show a new turn after a stop win once they hold", () => {
    const hookless = [boundary(T, COMPLETED), shows(T + 9_000, RUNNING, { since: T + 8_000 })];
    expect(stateAt(T + 9_100, hookless)).toBe("running/thinking");
    expect(stateAt(T + 12_000, [...hookless, shows(T + 11_000, IDLE)])).toBe("idle/fresh");
  });

  it("of a finished turn whose end nobody saw are idle, not fresh", () => {
    expect(stateAt(T + 10, [shows(T, COMPLETED, { onset: "unknown" })])).toBe("idle/demoted");
    expect(stateAt(T + 10, [shows(T, COMPLETED, { onset: "seen" })])).toBe("completed/turn_ended");
  });

  it("that disagree about a dialog for two seconds give unknown", () => {
    const both = [shows(T, APPROVAL, { source: "transcript" }), shows(T, IDLE)];
    expect(stateAt(T + 100, both)).toBe("waiting_approval/permission_tool");
    expect(stateAt(T + 2_100, both, { observedAt: { poller: T + 2_050, transcript: T + 2_050 } })).toBe(
      "unknown/conflicting_signals",
    );
  });

  it("stop counting when the screen changed into something unknown", () => {
    expect(stateAt(T + 11_000, [shows(T, IDLE)], { unrecognisedSince: T + 500 })).toBe(
      "unknown/unsupported_signal",
    );
  });
});

const withConfidence = (evidence: Evidence, confidence: "high" | "medium"): Evidence =>
  evidence.signal.kind === "activity" || evidence.signal.kind === "observation"
    ? { ...evidence, signal: { ...evidence.signal, confidence } }
    : evidence;

describe("an event that is not sure how its turn ended", () => {
  const unsure = [boundary(T - 5_000, RUNNING), withConfidence(boundary(T, COMPLETED), "medium")];
  const seen = (status: Status, confidence: "high" | "medium" = "high") =>
    withConfidence(shows(T + 900, status, { since: T + 300 }), confidence);

  it.each([
    ["a failure", API_ERROR, "error/api_error"],
    ["an interrupt", INTERRUPTED, "idle/interrupted"],
  ])("is outdone by a screen that shows %s", (_what, status, expected) => {
    expect(stateAt(T + 1_000, [...unsure, seen(status)])).toBe(expected);
    expect(stateAt(T + 400, [...unsure, withConfidence(shows(T + 300, status), "high")])).toBe(
      "running/thinking",
    );
  });

  it("leaves its turn running until the screen has told how it ended, or a while is over", () => {
    const at = (ms: number, more: Evidence[] = [], readAt: number | null = null) =>
      stateAt(T + ms, [...unsure, ...more], { observedAt: { poller: readAt, transcript: null } });
    const read = shows(T + 200, IDLE);
    expect(at(100, [shows(T - 1_000, RUNNING)])).toBe("running/thinking");
    expect(at(900, [read, shows(T + 900, COMPLETED)], T + 900)).toBe("completed/turn_ended");
    expect(at(400, [read], T + 400)).toBe("running/thinking");
    expect(at(700, [read], T + 700)).toBe("completed/turn_ended");
    expect(at(700, [withConfidence(shows(T + 700, INTERRUPTED, { since: T + 200 }), "high")])).toBe(
      "idle/interrupted",
    );
    expect(at(1_599)).toBe("running/thinking");
    expect(at(1_600)).toBe("completed/turn_ended");
    expect(stateAt(T + 100, unsure, { screenReadable: false })).toBe("completed/turn_ended");
  });

  it("is not believed while another end, drawn after it, is still to hold", () => {
    // Live with Gemini 0.61.0: event at 0 ms, "Request cancelled" first read at 113 ms, read again at 514 and 714 ms.
    const cancelled = withConfidence(shows(T + 113, INTERRUPTED), "high");
    const at = (ms: number, seen: Evidence) =>
      stateAt(T + ms, [...unsure, seen], { observedAt: { poller: T + ms, transcript: null } });
    expect(at(514, cancelled)).toBe("running/thinking");
    expect(at(714, withConfidence(shows(T + 714, INTERRUPTED, { since: T + 113 }), "high"))).toBe(
      "idle/interrupted",
    );
  });

  it("stands against a screen that is not sure either, or shows no more than a prompt", () => {
    expect(stateAt(T + 1_000, [...unsure, seen(INTERRUPTED, "medium")])).toBe("completed/turn_ended");
    expect(stateAt(T + 1_000, [...unsure, seen(IDLE)])).toBe("completed/turn_ended");
  });

  it("that took an interrupt for a failure is put right", () => {
    const failed = [boundary(T - 5_000, RUNNING), withConfidence(boundary(T, API_ERROR), "medium")];
    expect(stateAt(T + 1_000, [...failed, seen(INTERRUPTED)])).toBe("idle/interrupted");
    expect(stateAt(T + 1_000, [boundary(T, API_ERROR), seen(INTERRUPTED)])).toBe("error/api_error");
  });
});

describe("a file by which a tool runs or waits for an answer", () => {
  const HOUR_MS = 3_600_000;
  const file = shows(T, RUNNING, { source: "transcript" });

  it("takes back that a turn goes on, which it told before, until it tells that again", () => {
    const read = { keepAliveAt: T + 2_000, observedAt: { poller: null, transcript: T + 1_000 } };
    expect(stateAt(T + 2_000, [file], read)).toBe("running/thinking");
    expect(stateAt(T + 2_000, [file], { ...read, undecidedAt: T + 1_500 })).toBe("unknown/stale_signal");
    expect(stateAt(T + 2_000, [file], { ...read, undecidedAt: T + 500 })).toBe("running/thinking");
  });

  it("keeps a request open as long as it says so: nobody has answered", () => {
    const events = [boundary(T, RUNNING), asks(T + 50, "k1")];
    expect(stateAt(T + HOUR_MS, events)).not.toBe("waiting_approval/permission_tool");
    const undecidedAt = T + HOUR_MS - 1_000;
    expect(stateAt(T + HOUR_MS, events, { undecidedAt })).toBe("waiting_approval/permission_tool");
  });
});

describe("no confident state without fresh ground", () => {
  it("says unknown when the target is down, whatever was known", () => {
    const all = [boundary(T, RUNNING), asks(T + 1, "k")];
    expect(stateAt(T + 10, all, { targetHealth: "down" })).toBe("unknown/target_unreachable");
  });

  it("says unknown when the process was not verified", () => {
    expect(stateAt(T + 20_000, [boundary(T, IDLE)], { processVerifiedAt: T + 9_999 })).toBe(
      "unknown/stale_signal",
    );
    expect(stateAt(T + 10, [asks(T, "k")], { processVerifiedAt: null })).toBe("unknown/stale_signal");
  });

  it("says no_signal when nothing told anything", () => {
    expect(resolveAt(T, [])).toMatchObject({
      status: { state: "unknown", reasonCode: "no_signal" },
      confidence: "low",
      verdicts: [],
    });
  });

  it("keeps idle overnight while the process is verified", () => {
    expect(stateAt(T + 86_400_000, [boundary(T, IDLE)])).toBe("idle/fresh");
  });

  it("takes 'the agent sits at its prompt' as the end of a running turn only", () => {
    const settled = evidenceAt(T + 60_000, { kind: "settled" });
    expect(stateAt(T + 60_100, [boundary(T, RUNNING), settled])).toBe("idle/demoted");
    expect(stateAt(T + 60_100, [boundary(T, COMPLETED), settled])).toBe("completed/turn_ended");
    expect(stateAt(T + 60_100, [boundary(T, API_ERROR), settled])).toBe("error/api_error");
  });
});

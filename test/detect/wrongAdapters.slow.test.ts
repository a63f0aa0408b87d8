// Proof that the gate can fail: adapters that are wrong on purpose, and other corpora. The repository's own: recorded.slow.test.ts.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createClaudeAdapter } from "../../adapters/claude/index.ts";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { screenOf } from "../../adapters/testkit/recordings.ts";
import { loadCorpus, type Corpus } from "../../bench/detect/corpus.ts";
import { evaluate } from "../../bench/detect/evaluate.ts";
import { summaryLine, toMarkdown } from "../../bench/detect/report.ts";
import type { AgentAdapter, Reading } from "../../core/ports/agentAdapter.ts";
import { describeFailures } from "./describeFailures.ts";

const FOLDER = join(import.meta.dirname, "../fixtures/recordings");
describe("an adapter that is wrong", () => {
  const all = loadCorpus(FOLDER);
  const someFrames = (...names: string[]): Corpus => ({
    frames: all.frames.filter(({ agent, name }) => agent === "claude" && names.includes(name)),
    problems: [],
  });
  const right = createClaudeAdapter();
  const failuresWith = (changes: Partial<AgentAdapter>, corpus: Corpus): Set<string> => {
    const { scored } = evaluate(corpus, createAdapterRegistry([{ ...right, ...changes }]));
    return new Set(
      scored.flatMap(({ isFailure, mode, kind, outcome }) =>
        isFailure ? [`${mode} ${kind} ${outcome}`] : [],
      ),
    );
  };
  const dialog: Reading = {
    status: { state: "waiting_approval", reasonCode: "permission_tool" },
    confidence: "high",
    matched: "Do you want to proceed?",
    request: null,
    isSteady: false,
  };

  it("is caught when it says of any screen that it shows the request that was told", () => {
    const corpus = someFrames("waiting_approval", "completed", "running");
    const asked = corpus.frames.find(({ name }) => name === "waiting_approval");
    const approvalsWith = (changes: Partial<AgentAdapter>) =>
      evaluate(corpus, createAdapterRegistry([{ ...right, ...changes }]));
    expect(approvalsWith({}).toldRequests).toMatchObject([{ outside: [] }]);
    const echo = asked === undefined ? null : right.readScreen(screenOf(asked.recording));
    const wrong = approvalsWith({ readScreen: () => echo });
    const outside = wrong.toldRequests.flatMap((one) => one.outside).join("\n");
    for (const screen of ["completed (as recorded)", "running (waiting_approval quoted by the agent)"])
      expect(outside).toContain(screen);
    expect(wrong.isPassed).toBe(false);
    expect(summaryLine({ corpusFolder: FOLDER, corpus, evaluation: wrong, tookMs: 1 })).toContain("FAIL");
  });

  it("is caught when it takes any dialog on the screen for an open one", () => {
    const corpus = someFrames("completed", "waiting_approval");
    expect(failuresWith({}, corpus)).toEqual(new Set());
    const failures = failuresWith(
      {
        readScreen: (screen) =>
          screen.lines.some((line) => line.includes("Do you want to proceed?"))
            ? dialog
            : right.readScreen(screen),
      },
      corpus,
    );
    for (const kind of ["old dialog", "quoted"]) expect(failures).toContain(`screen ${kind} false_wait`);
  });

  it("is caught when it does not see a dialog in a narrow pane", () => {
    const failures = failuresWith(
      { readScreen: (screen) => (screen.width < 100 ? null : right.readScreen(screen)) },
      someFrames("waiting_approval"),
    );
    expect(failures).toEqual(new Set(["screen width missed_wait"]));
  });

  it("is caught when it makes a wait of an event that is none", () => {
    const failures = failuresWith(
      {
        normalize: (envelope, context) =>
          right.normalize(
            envelope.eventName === "UserPromptSubmit"
              ? { ...envelope, eventName: "PermissionRequest", payload: { tool_name: "Bash" } }
              : envelope,
            context,
          ),
      },
      someFrames("running", "waiting_approval"),
    );
    expect(failures).toContain("events null false_wait");
  });

  it("is caught when it loses an event's wait, an agent's process, or reads nothing at all", () => {
    const waits = someFrames("waiting_approval", "completed");
    expect(failuresWith({ identify: () => null }, waits)).toContain("both null wrong_agent");
    const blind = evaluate(waits, createAdapterRegistry([{ ...right, readScreen: () => null }]));
    expect(blind.tooOftenUnknown).toEqual([{ agent: "claude", unknown: 1, frames: 2 }]);
    expect(blind.isPassed).toBe(false);
  });
});

describe("another corpus", () => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-corpus-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const copy = (from: string, to: string) => {
    for (const ending of ["txt", "json"])
      cpSync(join(FOLDER, `${from}.${ending}`), join(folder, `${to}.${ending}`), { recursive: true });
  };

  it("is evaluated in spite of files that are wrong, each of which is named", () => {
    copy("claude/completed", "claude/completed");
    copy("claude/completed", "strange/completed");
    copy("claude/completed", "claude/broken");
    copy("claude/completed", "claude/unlabelled");
    writeFileSync(join(folder, "a file"), "");
    writeFileSync(join(folder, "claude/broken.json"), '{"process_tree": [');
    writeFileSync(
      join(folder, "labels.json"),
      JSON.stringify({
        "claude/completed": { state: "completed", also: ["idle"] },
        "claude/broken": { state: "completed" },
        "claude/gone": { state: "idle" },
        "claude/odd": { state: "sleeping" },
        "strange/completed": { state: "completed" },
      }),
    );
    const corpus = loadCorpus(folder);
    expect(corpus.problems.map(({ file }) => file).toSorted()).toEqual([
      "claude/broken.json",
      "claude/gone.txt",
      "claude/unlabelled.txt",
      "labels.json",
    ]);
    const evaluation = evaluate(corpus, createAdapterRegistry());
    expect(evaluation.withoutAdapter).toEqual([{ agent: "strange", frames: 1 }]);
    expect([evaluation.isPassed, describeFailures(evaluation)]).toEqual([true, []]);
    const report = toMarkdown({ corpusFolder: folder, corpus, evaluation, tookMs: 1 });
    expect(report).toContain("strange: no adapter, 1 frame left out");
    expect(report).toContain("claude/broken.json: ");
  });

  it("takes events that name no pane for those of the frame's own", () => {
    const { frames } = loadCorpus(FOLDER);
    const waiting = frames.flatMap((frame) =>
      frame.agent === "claude" && frame.name === "waiting_approval"
        ? [{ ...frame, panes: frame.panes.map(() => null) }]
        : [],
    );
    const { scored } = evaluate({ frames: waiting, problems: [] }, createAdapterRegistry());
    const byEvents = scored.filter(({ mode }) => mode === "events");
    expect(byEvents.map(({ got, outcome }) => [got, outcome])).toEqual([["waiting_approval", "right"]]);
  });

  it("fails where a frame makes an adapter throw, and goes on with the rest", () => {
    const claude = createClaudeAdapter();
    const throwing: AgentAdapter = {
      ...claude,
      readScreen: (screen) => {
        if (screen.lines.findLast((line) => line !== "")?.includes("Esc to cancel") === true)
          throw new Error("lost");
        return claude.readScreen(screen);
      },
    };
    const { frames } = loadCorpus(FOLDER);
    const waiting = frames.filter(({ agent, name }) => agent === "claude" && name === "waiting_approval");
    const fresh = frames.filter(({ agent, name }) => agent === "claude" && name === "idle_fresh");
    const evaluation = evaluate(
      { frames: [...waiting, ...fresh], problems: [] },
      createAdapterRegistry([throwing]),
    );
    expect(evaluation.broken).toEqual([{ frame: "claude/waiting_approval", problem: "lost" }]);
    expect(new Set(evaluation.scored.map(({ frame }) => frame))).toEqual(new Set(["idle_fresh"]));
    expect(evaluation.isPassed).toBe(false);
  });

  it("fails where there is nothing to evaluate", () => {
    const corpus = loadCorpus(join(folder, "nowhere"));
    expect(corpus.problems).toEqual([{ file: join(folder, "nowhere"), problem: "no such folder" }]);
    expect(loadCorpus(join(folder, "a file")).problems.length).toBeGreaterThan(0);
    expect(evaluate(corpus, createAdapterRegistry()).isPassed).toBe(false);
  });
});

// The verbs that act, in short: what send, kill and answer ask of the daemon. The rest is in acting.slow.test.ts.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";
import { makePane } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";

const FINGERPRINT = "9c1e5f0a7b3d2468";

let home: FakeHome;
let daemon: AnsweringDaemon;
beforeEach(async () => {
  home = makeFakeHome();
  daemon = new AnsweringDaemon([makePane({ state: "running", fingerprint: FINGERPRINT, version: 3 })]);
  await home.serve(daemon);
});
afterEach(() => home.close());

describe("send", () => {
  test("passes text, guards and wishes on, whatever the text looks like", async () => {
    const args = ["send", "runtime:rt1", "--text=--no-enter; $(x)", "--no-enter", "--if-state", "running"];
    const { code } = await home.run([...args, "--if-version", "3", "--to-shell", "--idempotency-key", "k"]);
    expect(code).toBe(0);
    expect(daemon.asked).toMatchObject([
      {
        action: "send",
        input: {
          ref: "runtime:rt1",
          surface: "cli",
          text: "--no-enter; $(x)",
          pressEnter: false,
          toShell: true,
          idempotencyKey: "k",
          guards: { ifState: "running", ifVersion: 3, forceStale: false },
        },
      },
    ]);
  });
});

describe("kill", () => {
  test("without a terminal needs --yes", async () => {
    const { code, stderr } = await home.run(["kill", "runtime:rt1", "--signal", "term"]);
    expect([code, daemon.asked]).toEqual([6, []]);
    expect(stderr).toContain(
      "kill sends TERM to process 4242 (claude) in host/%1 [E_CONFIRMATION_REQUIRED]. Repeat with --yes",
    );
    expect((await home.run(["kill", "runtime:rt1", "--signal", "term", "--yes"])).code).toBe(0);
    expect(daemon.asked).toMatchObject([{ action: "kill", input: { signal: "TERM", isConfirmed: true } }]);
  });
});

describe("answer", () => {
  const prompt = ["answer", "runtime:rt1", "--if-prompt", FINGERPRINT];

  test.each([
    [["--approve"], { kind: "approve" }],
    [["--deny"], { kind: "deny" }],
    [["--option", "2"], { kind: "option", number: 2 }],
    [["--choose", "1, 3,3"], { kind: "options", numbers: [1, 3] }],
    [["--text=--deny; $(x)"], { kind: "text", text: "--deny; $(x)" }],
  ])("with %j names the prompt and the choice", async (options, choice) => {
    const { code, stdout } = await home.run([...prompt, ...options, "--idempotency-key", "k", "--json"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { action: "answer", outcome: "delivered" }]);
    expect(daemon.asked).toMatchObject([
      {
        action: "answer",
        input: {
          ref: "runtime:rt1",
          choice,
          idempotencyKey: "k",
          guards: { ifPrompt: FINGERPRINT },
        },
      },
    ]);
  });
});

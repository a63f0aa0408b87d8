import { expect, it } from "vitest";
import { runChecks, type Check, type SetTimer } from "./doctor.ts";
import { AgtmuxError } from "./errors.ts";

const check = (name: string, run: Check["run"]): Check => ({
  name,
  place: { group: "target", target: "host", server: "default" },
  limitMs: 5_000,
  run,
});
const never: SetTimer = () => () => {};

it("keeps the order, and no check takes another one with it", async () => {
  const findings = await runChecks(
    [
      check("one", async () => ({ status: "ok", summary: "It is good.", evidence: "seen" })),
      check("two", () => {
        throw new AgtmuxError("E_TMUX_MISSING", "no tmux", { remedy: "Install it." });
      }),
      check("three", () => Promise.reject(new Error("broken"))),
      check("four", () => null),
      check("five", () => [
        { status: "ok", summary: "First." },
        { status: "skipped", summary: "Second." },
      ]),
    ],
    never,
  );
  expect(findings.map(({ check, status, evidence }) => [check, status, evidence])).toEqual([
    ["one", "ok", "seen"],
    ["two", "problem", "no tmux"],
    ["three", "problem", "broken"],
    ["five", "ok", null],
    ["five", "skipped", null],
  ]);
  expect(findings[1]).toMatchObject({
    remedy: "Install it.",
    target: "host",
    tmux_server: "default",
    agent: null,
  });
});

it("ends a check that takes too long, by its own limit", async () => {
  const limits: number[] = [];
  const atOnce: SetTimer = (delayMs, callback) => {
    limits.push(delayMs);
    callback();
    return () => {};
  };
  const [finding] = await runChecks([check("slow", () => new Promise(() => {}))], atOnce);
  expect([limits, finding]).toMatchObject([
    [5_000],
    { check: "slow", status: "problem", summary: "The check did not end within 5 s." },
  ]);
});

it("bounds what it quotes", async () => {
  const [finding] = await runChecks(
    [check("long", () => ({ status: "ok", summary: "It is.", evidence: "x".repeat(100_000) }))],
    never,
  );
  expect(finding?.evidence).toHaveLength(2_000);
});

// Whose end it was: an agent that ends after a signal of ours is no crash, one that was not signalled, or outlived it, may be.
import { expect, it } from "vitest";
import { AgtmuxError } from "../model/errors.ts";
import { killProcess, type ProcessSignaller } from "./kill.ts";
import type { VerifiedAction } from "./prepare.ts";

const kill = async (processes: Partial<ProcessSignaller>) => {
  let now = 0;
  const ours: boolean[] = [];
  const outcome = await killProcess({
    paneRef: "host/%1",
    pid: 7,
    signal: "TERM",
    processes: {
      find: () => Promise.resolve({ start: "1", isForeground: true }),
      signal: () => Promise.resolve(true),
      ...processes,
    },
    clock: {
      now: () => now,
      setTimer: (ms, work) => {
        now += ms;
        queueMicrotask(work);
        return () => {};
      },
    },
    isRuntimeProcess: () => Promise.resolve(true),
    // The gate is not part of this test; what it makes is only passed through.
    verify: () => ({}) as VerifiedAction,
    onSignal: (isSent) => ours.push(isSent),
    mayGoOn: false,
  }).then(
    (result) => result.outcome,
    (error: unknown) => (error instanceof AgtmuxError ? error.code : String(error)),
  );
  return [outcome, ours];
};

it("an end is ours once the signal is on its way", async () => {
  let looks = 0;
  const find: ProcessSignaller["find"] = () =>
    Promise.resolve((looks += 1) < 4 ? { start: "1", isForeground: true } : null);
  expect(await kill({ find })).toEqual(["delivered", [true]]);
});

it("an end is not ours where the process lived on after the signal", async () => {
  expect(await kill({})).toEqual(["not_delivered", [true, false]]);
});

it("an end is not ours where no signal was sent: the process has ended before, or may not be signalled", async () => {
  expect(await kill({ signal: () => Promise.resolve(false) })).toEqual(["E_STALE_SNAPSHOT", [true, false]]);
  const refused = () => Promise.reject(new AgtmuxError("E_UNSUPPORTED", "it may not be signalled"));
  expect(await kill({ signal: refused })).toEqual(["E_UNSUPPORTED", [true, false]]);
});

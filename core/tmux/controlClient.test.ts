import { describe, expect, it } from "vitest";
import type { Clock } from "../ports/clock.ts";
import type { LineProcess } from "../ports/targetExecutor.ts";
import { createControlClient } from "./controlClient.ts";

const CLOCK: Clock = { now: () => 1_000, setTimer: () => () => {} };
const NONCE = "n";

const open = () => {
  const heard: string[] = [];
  let tell: (line: string) => void = () => {};
  const process: LineProcess = {
    pid: 1,
    write: () => {},
    onLine: (listener) => {
      tell = listener;
    },
    onExit: () => {},
    abort: (reason) => heard.push(`aborted: ${reason}`),
    close: () => Promise.resolve(),
  };
  let notifications = 0;
  const client = createControlClient({
    process,
    clock: CLOCK,
    makeNonce: () => NONCE,
    onNotification: () => (notifications += 1),
    onEnd: (reason) => heard.push(`ended: ${reason}`),
  });
  return { client, heard, tell: (line: string) => tell(line), told: () => notifications };
};

describe("a control client", () => {
  it("that writes what nobody asked for without an end is ended at once, and not read any more", () => {
    const { heard, tell, told } = open();
    for (let count = 0; count < 100_000; count += 1) tell("%session-changed $1 name");
    expect(heard).toEqual([
      "aborted: tmux writes what nobody asked for",
      "ended: tmux writes what nobody asked for",
    ]);
    expect(told()).toBeLessThan(50_000);
  });

  it("that answers without an end is ended at once", async () => {
    const { client, heard, tell } = open();
    const asked = client.send(["list-panes"]);
    for (let count = 0; count < 1_000_000; count += 1) tell("x");
    await expect(asked).rejects.toThrow("tmux answered too much");
    expect(heard).toEqual(["aborted: tmux answered too much", "ended: tmux answered too much"]);
  });

  it("may say as much as it likes as long as it was asked for it", async () => {
    const { client, heard, tell } = open();
    for (let round = 0; round < 20; round += 1) {
      const asked = client.send(["list-panes"]);
      tell("%begin 1 1 1");
      tell(`agtmux-${NONCE}-0`);
      tell("%end 1 1 1");
      tell("%begin 1 2 1");
      for (let count = 0; count < 1_000; count += 1)
        tell("a line of a listing of ordinary length, more or less");
      tell("%end 1 2 1");
      tell("%begin 1 3 1");
      tell(`agtmux-${NONCE}-1`);
      // oxlint-disable-next-line no-await-in-loop -- one after another
      const [answer] = await asked;
      expect(answer?.lines).toHaveLength(1_000);
      tell("%end 1 3 1");
    }
    expect(heard).toEqual([]);
  });
});

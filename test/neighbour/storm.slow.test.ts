// A tmux server in turmoil survives it, with agtmux asking in every manner and without: what it does not survive alone is tmux's own
// fault. `AGTMUX_STORM_ASKS` is how often it is asked (20,000 in `npm run test:tmux`), `AGTMUX_STORM_SEED` repeats a run.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { type Chance, createChance, type Manner, MANNERS, startTurmoil } from "./manners.ts";

const ASKS = Number(process.env["AGTMUX_STORM_ASKS"] ?? 800);
const SEED = Number(process.env["AGTMUX_STORM_SEED"] ?? Date.now() % 1_000_000);
/** The daemon has four under way at most. */
const AT_ONCE = 16;
const ASKS_IN_BATCH = 20;
/** A server that is asked answers everybody else within this. */
const PROMPT_MS = 2_000;

const LIMIT_MS = 60_000 + ASKS * 60;

const openServer = async (): Promise<PrivateTmux> => {
  const tmux = createPrivateTmux();
  await tmux.newSession("first");
  await tmux.run("set-option", "-g", "history-limit", "50000");
  await tmux.newSession("kept", "seq -f '%0200.0f' 1 2000; exec cat");
  await tmux.run("kill-session", "-t", "first");
  // A long history takes long to be laid out again for another width.
  await tmux.run("set-option", "-wt", "kept:", "window-size", "manual");
  await tmux.run("set-option", "-g", "history-limit", "2000");
  await until(
    async () => Number(await tmux.run("display-message", "-p", "-t", "kept:", "#{history_size}")) > 1_500,
    "there is much to read",
    30_000,
  );
  return tmux;
};
/** Those that the server has not closed yet; its own socket is one more line of the same name. */
const connectionsTo = ({ socketPath }: PrivateTmux): number =>
  process.platform === "linux"
    ? readFileSync("/proc/net/unix", "utf8")
        .split("\n")
        .filter((line) => line.endsWith(` ${socketPath}`)).length - 1
    : 0;

/** Asks until it was done `ASKS` times; gives what went wrong, each with its manner. */
const askAll = async (tmux: PrivateTmux, chance: Chance): Promise<string[]> => {
  const wrong: string[] = [];
  let asked = 0;
  const inTurn = async (): Promise<void> => {
    while (asked < ASKS) {
      const manner = MANNERS[(asked += 1) % MANNERS.length] as Manner;
      const problem = await manner.ask(tmux.socketPath, chance);
      if (problem !== null) wrong.push(`${manner.name}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
  return wrong;
};

describe.each(["alone", "asked"])("a server in turmoil that is %s", (how) => {
  it(`goes on, answers everybody and keeps nothing (seed ${SEED})`, { timeout: LIMIT_MS }, async () => {
    const tmux = await openServer();
    const turmoil = await startTurmoil(tmux, createChance(SEED));
    try {
      const pid = await tmux.serverPid();
      const asking = how === "asked" ? askAll(tmux, createChance(SEED + 1)) : Promise.resolve([]);
      let isOver = false;
      let slowest = 0;
      void asking.finally(() => (isOver = how === "asked"));
      for (let batch = 0; how === "asked" ? !isOver : batch < ASKS / ASKS_IN_BATCH; batch += 1) {
        await turmoil.run(1);
        const from = performance.now();
        const seen = await tmux.run("display-message", "-p", "-t", "kept:", "#{pid}").catch(String);
        expect(Number(seen), `batch ${batch}: ${seen}`).toBe(pid);
        slowest = Math.max(slowest, performance.now() - from);
      }
      expect(await asking).toEqual([]);
      expect(slowest).toBeLessThan(PROMPT_MS);
      await turmoil.close();
      await until(() => connectionsTo(tmux) === 0, "its connections are closed");
      expect(await tmux.serverPid()).toBe(pid);
    } finally {
      // Closed above unless the test failed, whose own error is to be told.
      await turmoil.close().catch(() => {});
      await tmux.close();
    }
  });
});

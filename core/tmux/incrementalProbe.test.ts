import { afterEach, beforeEach, expect, it } from "vitest";
import { createPrivateTmux, type PrivateTmux } from "../../test/harness/privateTmux.ts";
import { callsOn } from "../../test/harness/tmuxCalls.ts";
import { randomIds, realClock, until } from "../../test/setup/realClock.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { createIncrementalProbe, type ProbeResult } from "./topology.ts";
import { createTmuxServer, type TmuxServer } from "./tmuxServer.ts";
import { partOf } from "../../test/fakes/partOf.ts";

let tmux: PrivateTmux;
let executor: TargetExecutor;
let inner: TmuxServer;
/** Lines of each answer's listing. */
let answers: string[][];

beforeEach(async () => {
  tmux = createPrivateTmux();
  executor = createLocalExecutor({ targetId: "vm1", env: { ...process.env } });
  inner = createTmuxServer({
    executor,
    calls: callsOn(executor, tmux.socketPath),
    clock: realClock,
    makeNonce: () => randomIds.nonce(),
    logger: SILENT_LOGGER,
  });
  answers = [];
  for (const name of ["one", "two", "three"]) await tmux.newSession(name);
  // tmux names a window after its program up to half a second late; the name is in the fingerprint.
  await tmux.run("set-option", "-g", "automatic-rename", "off");
});
afterEach(async () => {
  await inner.close();
  await executor.close();
  await tmux.close();
});

const prober = (version = { major: 3, minor: 3 }, offsetMs = 0) => {
  const server: TmuxServer = {
    ...inner,
    query: async (commands) => {
      const result = await inner.query(commands);
      if (result.status === "ok") answers.push([...(result.answers[1]?.lines ?? [])]);
      return result;
    },
  };
  const probe = createIncrementalProbe({
    server,
    version,
    clock: partOf({ now: () => realClock.now() + offsetMs }),
  });
  return async (): Promise<Extract<ProbeResult, { status: "ok" }>> => {
    const result = await probe();
    if (result.status !== "ok") throw new Error(JSON.stringify(result));
    return result;
  };
};

it("asks for everything once, then for what moved, and sees the same", async () => {
  const activityOf = async (name: string) =>
    Number(await tmux.run("list-panes", "-t", name, "-F", "#{window_activity}"));
  // Sessions that were made one after the other may have been made in two seconds.
  const others = Math.max(await activityOf("two"), await activityOf("three"));
  let typed = 0;
  await until(async () => {
    await tmux.run("send-keys", "-t", "one", "x", "Enter");
    typed += 1;
    return (await activityOf("one")) > others;
  }, "one moves later than the others");
  const linesOf = async () => (await tmux.run("capture-pane", "-p", "-S", "-", "-t", "one")).match(/^x$/gm);
  await until(async () => (await linesOf())?.length === 2 * typed, "all is echoed: it moves no more");
  const probe = prober();
  const first = await probe();
  const second = await probe();
  expect(second.fingerprint).toBe(first.fingerprint);
  const [full = [], brief = []] = answers;
  expect(full.every((line) => /^%\d+ \d+ /.test(line))).toBe(true);
  expect(brief).toHaveLength(3);
  expect(brief.join("\n").length).toBeLessThan(full.join("\n").length);
});

it("notices a new title, a split, a death and a closed pane", async () => {
  const probe = prober();
  const prints = [(await probe()).fingerprint];
  const differs = async (what: string): Promise<void> => {
    await until(async () => prints.at(-1) !== (await probe()).fingerprint, what);
    prints.push((await probe()).fingerprint);
  };
  await tmux.run("set-option", "-g", "remain-on-exit", "on");
  const split = await tmux.run("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", "one", "exec cat");
  await differs("a split");
  await tmux.run("respawn-pane", "-k", "-t", split, "printf '\\033]2;it moved\\007'; exec cat");
  await differs("a title and another process");
  await tmux.run("respawn-pane", "-k", "-t", split, "exit 3");
  await differs("a death");
  await tmux.run("kill-pane", "-t", split);
  await differs("a closed pane");
});

it("tells activity in our own time, however far off the target's clock is", async () => {
  const hours = 5 * 3_600_000;
  const probe = prober({ major: 3, minor: 3 }, hours);
  const nowSeconds = (realClock.now() + hours) / 1_000;
  const first = await probe();
  expect(first.windowActivity.size).toBe(3);
  for (const at of first.windowActivity.values()) expect(Math.abs(at - nowSeconds)).toBeLessThan(30);
  const [pane = ""] = first.windowActivity.keys();
  await until(async () => {
    await tmux.run("send-keys", "-t", pane, "x", "Enter");
    return ((await probe()).windowActivity.get(pane) ?? 0) > (first.windowActivity.get(pane) ?? 0);
  }, "the activity moves");
});

it("asks a tmux that cannot compare for everything each time", async () => {
  const probe = prober({ major: 2, minor: 6 });
  const first = await probe();
  expect((await probe()).fingerprint).toBe(first.fingerprint);
  expect(answers.every((lines) => lines.every((line) => /^%\d+ \d+ /.test(line)))).toBe(true);
});

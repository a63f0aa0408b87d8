// Limits by the real command line: what the files of a home say of two agents, on a real daemon with an agent on real tmux.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { limitListSchema } from "../../core/model/view.ts";
import { openServed } from "../actions/servedHarness.ts";
import { until } from "../setup/realClock.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const WAIT_MS = 20_000;
const { harness, cli, close } = await openServed();
afterAll(close);

const write = (path: string, text: string): void => {
  const file = join(harness.daemon.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const inHours = (hours: number): number => Math.floor(Date.now() / 1_000) + hours * 3_600;
const rollout = (used: number): void =>
  write(
    ".codex/sessions/2026/11/29/rollout-2026-11-29T10-00-00-01a2059b-7fc5-7cc3-a062-067da0b4b9f5.jsonl",
    `${JSON.stringify({
      timestamp: new Date().toISOString(),
      type: "event_msg",
      payload: {
        type: "token_count",
        info: null,
        rate_limits: {
          limit_id: "codex",
          primary: { used_percent: used, window_minutes: 300, resets_at: inHours(2) + 60 },
          secondary: { used_percent: 20, window_minutes: 10_080, resets_at: inHours(-1) },
        },
      },
    })}\n`,
  );
const limits = async () => {
  const { stdout, stderr, code } = await cli.run(["usage", "--limits", "--json"]);
  expect(code, stderr).toBe(0);
  return limitListSchema.parse(JSON.parse(stdout)).items;
};

it("are nothing where no file says anything, and then what the files say", async () => {
  expect((await cli.run(["usage", "--limits"])).stdout).toBe(
    "No agent's file says anything of a limit that still counts.\n",
  );
  rollout(86.4);
  write(
    ".claude/agtmux-status.json",
    JSON.stringify({ rate_limits: { five_hour: { used_percentage: 3, resets_at: inHours(4) + 60 } } }),
  );
  const items = await limits();
  expect(items.map(({ identity, windows }) => [identity, windows.map((one) => one.used_percent)])).toEqual(
    expect.arrayContaining([
      [{ target: "host", agent: "codex", account: null }, [86.4]],
      [{ target: "host", agent: "claude", account: null }, [3]],
    ]),
  );
  const { stdout } = await cli.run(["usage", "--limits"]);
  expect(stdout).toMatch(/^ACCOUNT +WINDOW +USED +RESETS IN +AS OF +FROM\n/);
  expect(stdout).toMatch(/\nCodex +5 hours +86 % +2h .*its session log/);
  expect(stdout).toMatch(/\nClaude Code +5 hours +3 % +4h .*its status line/);
  const wrong = await cli.run(["usage", "--limits", "--by", "agent"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--limits and --by exclude")]);
  expect((await cli.run(["usage", "--limits", "--target", "nowhere"])).code).not.toBe(0);
});

it("stand with the machine and in the status while the setting is on and rows are shown", async () => {
  const status = async (): Promise<string> => (await cli.run(["status", "--format", "plain"])).stdout;
  const shown = new AbortController();
  const { service } = harness.daemon.daemon;
  const following = (async () => {
    for await (const _entry of service.feed(
      { since: null, sinceTime: null, all: false, shown: true },
      shown.signal,
    ));
  })();
  expect(service.targets(undefined)[0]?.limits).toEqual([]);
  expect(await status()).not.toContain("Codex");
  expect((await cli.run(["config", "set", "limits", "true"])).code).toBe(0);
  await until(() => service.targets(undefined)[0]?.limits.length === 2, "they are read", WAIT_MS);
  expect(await status()).toContain("(Codex: 86 % of 5 hours used, resets in 2h)");
  expect((await cli.run(["config", "set", "limits", "false"])).code).toBe(0);
  await until(() => service.targets(undefined)[0]?.limits.length === 0, "they are gone", WAIT_MS);
  shown.abort();
  await following;
});

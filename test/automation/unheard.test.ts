// A watch where nobody can hear it: no surface listens at this desktop, and no channel is in force.
import { afterAll, expect, it } from "vitest";
import { openServed } from "../actions/servedHarness.ts";
import { until } from "../setup/realClock.ts";

const LIMIT_MS = 60_000;
const WAIT_MS = 20_000;

const { harness, cli, close } = await openServed();
afterAll(close);

it("is refused, and one that nobody hears any more has that on record", { timeout: LIMIT_MS }, async () => {
  const { identity } = await harness.open("exec cat");
  const tell = () => cli.run(["tell", identity.pane_ref, "--when", "gone"]);
  const refused = await tell();
  expect([refused.code, refused.stdout]).toEqual([15, ""]);
  expect(refused.stderr).toContain("nobody would hear it; nothing was scheduled");
  expect(refused.stderr).toMatch(/'agtmux ui'.*'agtmux wait'/s);
  expect(JSON.parse((await cli.run(["jobs", "list", "--json"])).stdout)).toMatchObject({ items: [] });

  const listening = new AbortController();
  const next = harness.service.notices(listening.signal)[Symbol.asyncIterator]().next();
  const armed = await tell();
  expect([armed.stdout, armed.stderr]).toEqual([expect.stringContaining("watches for"), ""]);
  listening.abort();
  // It ends with the abort, in whatever way.
  await next.catch(() => {});
  await harness.tmux.run("kill-pane", "-t", identity.pane_id);
  const [id = ""] = armed.stdout.split(":");
  const show = async (): Promise<string> => (await cli.run(["jobs", "show", id])).stdout;
  await until(async () => (await show()).includes("nobody could hear it: "), "it came true", WAIT_MS);
  expect(await show()).not.toContain("told:");
});

// A watch where nobody can hear it: no surface listens at this desktop, and no channel is in force.
import { afterAll, expect, it } from "vitest";
import { openServed } from "../actions/servedHarness.ts";
import { until } from "../setup/realClock.ts";

const LIMIT_MS = 60_000;
const WAIT_MS = 20_000;

const { harness, cli, close } = await openServed();
afterAll(close);

it("says so when it is armed, and on record when it comes true", { timeout: LIMIT_MS }, async () => {
  const { identity } = await harness.open("exec cat");
  const armed = await cli.run(["tell", identity.pane_ref, "--when", "gone"]);
  expect(armed.stdout).toContain("armed until");
  expect(armed.stderr).toContain("Nobody would hear it now");
  await harness.tmux.run("kill-pane", "-t", identity.pane_id);
  const [id = ""] = armed.stdout.split(":");
  const show = async (): Promise<string> => (await cli.run(["jobs", "show", id])).stdout;
  await until(async () => (await show()).includes("nobody could hear it: "), "it came true", WAIT_MS);
  expect(await show()).not.toContain("told:");

  const listening = new AbortController();
  const notices = harness.service.notices(listening.signal)[Symbol.asyncIterator]();
  const next = notices.next();
  const other = await harness.open("exec cat");
  const heard = await cli.run(["tell", other.identity.pane_ref, "--when", "gone", "--json"]);
  expect(heard.stderr).not.toContain("Nobody");
  expect(JSON.parse(heard.stdout).job.is_unheard).toBeUndefined();
  listening.abort();
  // It ends with the abort, in whatever way.
  await next.catch(() => {});
});

// A denial with a reason, from the command line to an agent in tmux that shows recorded dialogs: the reason arrives as the next
// message, and never in a dialog that would take it for an answer.
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, it, vi } from "vitest";
import { until } from "../setup/realClock.ts";
import { openDialogs, type DialogPane } from "./dialogPane.ts";
import { CLAUDE, CLAUDE_OTHER } from "./dialogs.ts";
import { openServed } from "./servedHarness.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });
const WAIT_MS = 20_000;

const { harness, cli, close } = await openServed();
afterAll(close);

const deny = (pane: DialogPane, reason: string, prompt = pane.row.prompt_fingerprint ?? "") =>
  cli.run(["answer", pane.row.identity.pane_ref, "--deny", "--reason", reason, "--if-prompt", prompt]);
/** What was typed at the agent's own prompt. */
const typed = (pane: DialogPane): string =>
  pane
    .chosen()
    .flatMap(([where, key]) => (where === "idle" ? [key] : []))
    .join("");
const inDialogs = (pane: DialogPane) => pane.chosen().filter(([where]) => where !== "idle");
const jobsOf = async (pane: DialogPane): Promise<{ state: string }[]> => {
  const { stdout } = await cli.run(["jobs", "list", "--json"]);
  const { items } = JSON.parse(stdout) as { items: { runtime_id: string; state: string }[] };
  return items.filter(({ runtime_id: id }) => id === pane.row.identity.runtime_id);
};

it("denies, and sends the reason once the agent rests", async () => {
  const pane = await openDialogs(harness, "claude", [CLAUDE]);
  const { code, stdout } = await deny(pane, "1 is wrong, use staging");
  expect([code, stdout]).toEqual([0, expect.stringContaining("The reason follows when it is idle")]);
  await until(() => typed(pane).startsWith("1 is wrong, use staging"), "the reason arrives", WAIT_MS);
  expect(inDialogs(pane)).toEqual([["waiting_approval", "No"]]);
});

it("waits while another dialog follows, which would take the reason for an answer", async () => {
  const pane = await openDialogs(harness, "claude", [CLAUDE, CLAUDE_OTHER]);
  const { code, stdout } = await deny(pane, "1");
  expect([code, stdout]).toEqual([0, expect.stringContaining("The reason follows")]);
  await harness.daemon.until(
    pane.paneId,
    ({ prompt_fingerprint: now }) => now !== null && now !== pane.row.prompt_fingerprint,
    WAIT_MS,
  );
  await wait(5_000);
  expect(inDialogs(pane)).toEqual([["waiting_approval", "No"]]);
  expect(await jobsOf(pane)).toMatchObject([{ state: "armed" }]);
  await pane.skip();
  await until(() => typed(pane).startsWith("1"), "the reason arrives", WAIT_MS);
  expect(inDialogs(pane)).toEqual([["waiting_approval", "No"]]);
});

it("sends no reason where the denial was not accepted, or another prompt is there", async () => {
  const stuck = await openDialogs(harness, "claude", [{ ...CLAUDE, stuck: true }]);
  const refused = await deny(stuck, "1");
  expect([refused.code, refused.stdout]).toEqual([20, expect.stringContaining("The reason was not sent.")]);
  const moved = await openDialogs(harness, "claude", [CLAUDE]);
  expect((await deny(moved, "1", "0123456789abcdef")).code).toBe(5);
  await wait(3_000);
  expect([inDialogs(stuck), moved.chosen()]).toEqual([[["waiting_approval", "No"]], []]);
  expect([await jobsOf(stuck), await jobsOf(moved)]).toEqual([[], []]);
});

it("takes a reason only with a denial, and not an empty one", async () => {
  const pane = await openDialogs(harness, "claude", [CLAUDE]);
  const ref = pane.row.identity.pane_ref;
  const prompt = ["--if-prompt", pane.row.prompt_fingerprint ?? ""];
  for (const args of [
    ["--approve", "--reason", "x"],
    ["--deny", "--reason", " "],
    ["--reason", "x"],
  ])
    expect((await cli.run(["answer", ref, ...args, ...prompt])).code).toBe(2);
  expect(pane.chosen()).toEqual([]);
});

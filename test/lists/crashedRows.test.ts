// A crashed row is named by the reference that its list shows, whether its pane lives on without an agent or is gone.
import { expect, it } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
import { useChainHarness } from "../chain/chainHarness.ts";
import type { Player } from "../player/player.ts";

const LIMIT_MS = 20_000;
const harness = useChainHarness();

const request = (ref: string) => ({ ref, guards: actionGuardsSchema.parse({}), surface: "test" });

/** Plays an agent that ends in the middle of its turn; gives the reference of its row. */
const crash = async (end: (player: Player) => Promise<unknown>, paneId?: string): Promise<string> => {
  const player = await harness.play("claude", paneId === undefined ? {} : { paneId });
  await player.event("SessionStart");
  await player.event("UserPromptSubmit");
  await harness.daemon.untilState(player.paneId, "running", LIMIT_MS);
  await end(player);
  const row = await harness.daemon.until(player.paneId, (one) => one.reason_code === "crashed", LIMIT_MS);
  return row.identity.pane_ref;
};

it("can be explained and dismissed where the pane lives on", async () => {
  await harness.install("claude");
  const { service } = harness.daemon.daemon;
  const ref = await crash((player) => player.exit({ signal: "SIGKILL" }));
  expect((await service.explain({ ref })).pane.reason_code).toBe("crashed");
  expect(await service.dismiss(request(ref))).toEqual({ paneRef: ref });
  expect(service.panes({}).items).toEqual([]);
  await expect(service.dismiss(request(ref))).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
});

it("can be explained and dismissed where its pane is gone", async () => {
  await harness.install("claude");
  const { service } = harness.daemon.daemon;
  const ref = await crash(async (player) => {
    await player.exit({ signal: "SIGKILL" });
    await harness.daemon.until(player.paneId, (one) => one.reason_code === "crashed", LIMIT_MS);
    await harness.tmux.run("kill-pane", "-t", player.paneId);
  });
  await expect.poll(() => service.panes({ all: true }).items.length, { timeout: LIMIT_MS }).toBe(2);
  expect((await service.explain({ ref })).pane.reason_code).toBe("crashed");
  expect(await service.dismiss(request(ref))).toEqual({ paneRef: ref });
  expect(service.panes({}).items).toEqual([]);
});

it("is not guessed where several crashed in one pane", async () => {
  await harness.install("claude");
  const { service } = harness.daemon.daemon;
  const ref = await crash((player) => player.exit({ signal: "SIGKILL" }));
  const paneId = ref.slice(ref.lastIndexOf("/") + 1);
  await crash((player) => player.exit({ signal: "SIGKILL" }), paneId);
  const reasons = () => service.panes({}).items.map(({ reason_code }) => reason_code);
  await expect.poll(reasons, { timeout: LIMIT_MS }).toEqual(["crashed", "crashed"]);
  const runtimes = service.panes({}).items.map(({ identity }) => `runtime:${identity.runtime_id}`);
  await expect(service.dismiss(request(ref))).rejects.toMatchObject({
    code: "E_REF_AMBIGUOUS",
    details: expect.arrayContaining(runtimes),
  });
  for (const runtime of runtimes) await service.dismiss(request(runtime));
  expect(service.panes({}).items).toEqual([]);
});

// What finished is unread until a person has looked at it, on a real daemon and a real tmux: each way of looking, and what a
// restart of the daemon keeps.
import { afterEach, describe, expect, it } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { useChainHarness } from "../chain/chainHarness.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import type { Player } from "../player/player.ts";

const LIMIT_MS = 20_000;
const harness = useChainHarness();
let terminal: PrivateTmux | null = null;
afterEach(async () => {
  await terminal?.close();
  terminal = null;
});

const request = (ref: string) => ({ ref, guards: actionGuardsSchema.parse({}), surface: "test" });
const rowOf = (player: Player): PaneView | undefined =>
  harness.daemon.rows().find(({ identity, state }) => identity.pane_id === player.paneId && state !== null);

/** An agent whose turn ended just now. */
const finished = async (): Promise<{ player: Player; row: PaneView }> => {
  await harness.install("claude");
  const player = await harness.play("claude");
  await player.event("SessionStart");
  await player.event("UserPromptSubmit");
  await harness.daemon.untilState(player.paneId, "running", LIMIT_MS);
  await player.event("Stop");
  const row = await harness.daemon.until(player.paneId, (one) => one.unread_since !== null, LIMIT_MS);
  return { player, row };
};
const untilRead = (player: Player) =>
  harness.daemon.until(player.paneId, (one) => one.unread_since === null, LIMIT_MS);

/** A person's terminal on the tmux of the agents. */
const openTerminal = async (session: string): Promise<void> => {
  terminal = createPrivateTmux();
  await terminal.newSession("t", `TMUX= tmux -S ${harness.tmux.socketPath} attach-session -t ${session}`);
  await until(async () => (await harness.tmux.clientPids()).length === 1, "a client", LIMIT_MS);
};

describe("a finished turn is read", () => {
  it.each<[string, (ref: string, row: PaneView) => Promise<unknown>]>([
    [
      "who attaches",
      (ref) =>
        harness.daemon.daemon.service.prepareAttach({ ...request(ref), insideTmux: null, mayFocus: false }),
    ],
    [
      "who views its output",
      (ref) =>
        harness.daemon.daemon.service.viewOutput({
          ...request(ref),
          lines: 5,
          ansi: false,
          source: "screen",
        }),
    ],
    ["who dismisses it", (ref) => harness.daemon.daemon.service.dismiss(request(ref))],
    [
      "whose surface shows it open",
      (ref, row) => harness.daemon.daemon.service.markSeen({ ref, until: row.unread_since ?? "" }),
    ],
  ])("by a person %s", async (_who, look) => {
    const { player, row } = await finished();
    expect(row.state).toBe("completed");
    await look(row.identity.pane_ref, row);
    expect(rowOf(player)).toMatchObject({ state: "completed", unread_since: null });
    await expect(harness.daemon.daemon.service.dismiss(request(row.identity.pane_ref))).rejects.toMatchObject(
      {
        code: "E_UNSUPPORTED",
      },
    );
  });

  it("by a person in front of it for two seconds, not by one who is in another window", async () => {
    const { player, row } = await finished();
    const other = await finished();
    await harness.tmux.run("select-window", "-t", other.player.paneId);
    await openTerminal("player");
    // As long as it takes to read one, the one in the other window stays as it was.
    await untilRead(other.player);
    expect(rowOf(player)?.unread_since).toBe(row.unread_since);
    const cameAt = performance.now();
    await harness.tmux.run("select-window", "-t", player.paneId);
    await untilRead(player);
    expect(performance.now() - cameAt).toBeGreaterThan(1_900);
  }, 60_000);

  it("not by a preview, a look that is older than its end, or a surface that knows an earlier one", async () => {
    const { player, row } = await finished();
    const ref = row.identity.pane_ref;
    const { service } = harness.daemon.daemon;
    await service.viewOutput({ ...request(ref), lines: 5, ansi: false, source: "screen", isPreview: true });
    await service.explain({ ref });
    const before = new Date(Date.parse(row.unread_since ?? "") - 1).toISOString();
    await service.markSeen({ ref, until: before });
    expect(rowOf(player)?.unread_since).toBe(row.unread_since);
  });
});

describe("a restart of the daemon keeps", () => {
  it("what is unread, what was read, and what was dismissed", async () => {
    const { player, row } = await finished();
    await harness.daemon.restart();
    expect(rowOf(player)?.unread_since).toBe(row.unread_since);
    await harness.daemon.daemon.service.dismiss(request(row.identity.pane_ref));
    await harness.daemon.restart();
    expect(rowOf(player)).toMatchObject({ unread_since: null });

    await player.event("UserPromptSubmit");
    await harness.daemon.untilState(player.paneId, "running", LIMIT_MS);
    await player.event("StopFailure");
    await harness.daemon.untilState(player.paneId, "error", LIMIT_MS);
    await harness.daemon.daemon.service.dismiss(request(row.identity.pane_ref));
    await harness.daemon.untilState(player.paneId, "idle", LIMIT_MS);
    await harness.daemon.restart();
    expect(rowOf(player)?.state).toBe("idle");
  });

  it("the ages of turns and of waits, with events and with the screen alone", async () => {
    await harness.install("claude");
    const hooked = await harness.play("claude");
    await hooked.event("SessionStart");
    await hooked.event("UserPromptSubmit");
    const began = (await harness.daemon.untilState(hooked.paneId, "running", LIMIT_MS)).activity
      ?.turn_began_at;
    expect(began).toEqual(expect.any(String));

    const watched = await harness.play("claude", { eventScript: "/bin/true" });
    await watched.frame("idle_fresh");
    await harness.daemon.untilState(watched.paneId, "idle", LIMIT_MS);
    await watched.frame("waiting_approval");
    const waiting = await harness.daemon.untilState(watched.paneId, "waiting_approval", LIMIT_MS);

    await until(() => Date.now() - Date.parse(waiting.since ?? "") > 1_200, "more than a second", LIMIT_MS);
    await harness.daemon.restart();
    await harness.daemon.until(watched.paneId, (one) => one.prompt_fingerprint !== null, LIMIT_MS);
    expect(rowOf(watched)).toMatchObject({ state: "waiting_approval", since: waiting.since });
    expect(rowOf(hooked)).toMatchObject({ state: "running", activity: { turn_began_at: began } });
  });

  it("a crash that nobody has looked at, though its pane is gone; one that was looked at goes by itself", async () => {
    await harness.install("claude");
    const player = await harness.play("claude");
    await player.event("SessionStart");
    await player.event("UserPromptSubmit");
    await harness.daemon.untilState(player.paneId, "running", LIMIT_MS);
    await player.exit({ signal: "SIGKILL" });
    await harness.daemon.until(player.paneId, (one) => one.reason_code === "crashed", LIMIT_MS);
    await harness.tmux.run("kill-pane", "-t", player.paneId);
    await until(
      () =>
        harness.daemon
          .rows()
          .every(({ identity, state }) => identity.pane_id !== player.paneId || state !== null),
      "the pane is gone",
      LIMIT_MS,
    );
    await harness.daemon.restart();
    const crashed = rowOf(player);
    expect(crashed).toMatchObject({ reason_code: "crashed", unread_since: expect.any(String) as string });
    const ref = `runtime:${crashed?.identity.runtime_id}`;
    await harness.daemon.daemon.service.markSeen({ ref, until: crashed?.unread_since ?? "" });
    expect(rowOf(player)).toMatchObject({ unread_since: null });
    await harness.daemon.restart();
    await harness.daemon.untilGone(player.paneId, LIMIT_MS);
  });
});

// A tmux of a real target behind a real sshd that writes without end: the target says so, and everything else goes on.
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { EITHER, expectHeld, openFloodHarness, watching, type FloodHarness } from "./floodHarness.ts";

/** What a tmux of the kind does. */
const whenListing = (what: string): string => `case " $* " in *list-panes*) ${what};; esac`;
const TMUXES: Readonly<Record<string, string>> = {
  "a listing without end": whenListing("exec $flood lines stdout"),
  "a listing that is one line without end": whenListing("exec $flood zeros stdout"),
  "something left behind that writes what nobody asked for": whenListing(
    "{ sleep 0.3; $flood lines stdout; } &",
  ),
};

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let scene: FloodHarness;
beforeEach(async () => {
  scene = await openFloodHarness();
});
afterEach(() => scene.close());

describe.each(EITHER)("a target over %s whose tmux has", (transport) => {
  it.each(Object.keys(TMUXES))("%s", async (kind) => {
    scene.turn(true);
    const tmuxPath = scene.program("tmux", TMUXES[kind] ?? "", 'exec tmux "$@"');
    const cost = await watching(async () => {
      await scene.open({ transport, tmuxPath });
      await scene.untilTold();
      await scene.expectRest();
    });
    expectHeld(cost);
    await scene.mend();
  });
});

// A login shell of a real target behind a real sshd that writes without end, and an answer that does. The channel ends with a reason, the target says so,
// and everything else goes on.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
import { until } from "../setup/realClock.ts";
import type { Transport } from "../ssh/targetHarness.ts";
import {
  EITHER,
  expectHeld,
  LIMIT_MS,
  openFloodHarness,
  watching,
  type FloodHarness,
} from "./floodHarness.ts";

/** What a login shell of the kind does. */
const LOGIN_SHELLS: Readonly<Record<string, string>> = {
  "a banner without end": "exec $flood zeros stdout",
  "a banner of lines without end": "exec $flood lines stdout",
  "errors without end": "exec $flood zeros stderr",
  "the rest of the line of our own mark": "exec $flood mark stdout",
  "the rest of the line of our own mark as errors": "exec $flood mark stderr",
  "what nobody asked for, later": '{ later; $flood zeros stdout; } & exec /bin/sh "$@"',
  "lines that nobody asked for, later": '{ later; $flood lines stdout; } & exec /bin/sh "$@"',
  "errors that nobody asked for, later": '{ later; $flood zeros stderr; } & exec /bin/sh "$@"',
  "lines of errors that nobody asked for, later": '{ later; $flood lines stderr; } & exec /bin/sh "$@"',
};
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let scene: FloodHarness;
beforeEach(async () => {
  scene = await openFloodHarness();
});
afterEach(() => scene.close());

const floodLogin = async (transport: Transport, kind: string): Promise<void> => {
  scene.turn(true);
  const loginShell = scene.program("shell", LOGIN_SHELLS[kind] ?? "", 'exec /bin/sh "$@"');
  const cost = await watching(async () => {
    await scene.open({ transport, loginShell });
    if (kind.endsWith("later")) await scene.floodNow();
    await scene.untilTold();
    await scene.expectRest();
  });
  expectHeld(cost);
  await scene.mend();
};

describe.each(EITHER)("a target over %s whose login shell writes", (transport) => {
  it.each(Object.keys(LOGIN_SHELLS))("%s", (kind) => floodLogin(transport, kind));
});

it.runIf(EITHER.length === 1)("a target over OpenSSH's own client is held to the same", () =>
  floodLogin("openssh", "what nobody asked for, later"),
);

// The last of them: what a process takes at first is none of a flood's.
describe.each(EITHER)("a target over %s whose tmux has", (transport) => {
  it("an output without end: the one who asked hears it, and the target goes on", async () => {
    const tmuxPath = scene.program(
      "tmux",
      'case " $* " in *" capture-pane "*) exec $flood lines stdout;; esac',
      'exec tmux "$@"',
    );
    const cost = await watching(async () => {
      await scene.open({ transport, tmuxPath });
      await until(() => scene.targets.rowsOf("vm1").length > 0, "its pane is listed", LIMIT_MS);
      scene.turn(true);
      const [row] = scene.targets.rowsOf("vm1");
      const asked = scene.targets.daemon.daemon.service.viewOutput({
        ref: row?.identity.pane_ref ?? "",
        guards: actionGuardsSchema.parse({}),
        surface: "test",
        lines: 100,
        ansi: false,
        source: "screen",
      });
      await expect(asked).rejects.toThrow();
      await scene.expectRest();
    });
    expectHeld(cost);
    expect(scene.targets.target("vm1")?.health).toBe("ok");
  });
});

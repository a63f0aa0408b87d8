// A session of Claude Code that no pane of another machine shows, over both ways to reach it.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
import { LIMIT_MS, openTargetHarness } from "./targetHarness.ts";

const ID = "1981d014";

it.each(["ssh2", "openssh"] as const)(
  "is a row of its machine, opened by a command of a terminal there (%s)",
  async (transport) => {
    const harness = await openTargetHarness(transport);
    const worker = spawn("sleep", ["1000"], { stdio: "ignore" });
    try {
      const claude = join(harness.server.remoteHome, ".claude");
      mkdirSync(join(claude, "sessions"), { recursive: true });
      mkdirSync(join(claude, "jobs", ID), { recursive: true });
      const job = { state: "working", tempo: "blocked", needs: "approve Bash: touch x.txt", name: "lab" };
      writeFileSync(join(claude, "jobs", ID, "state.json"), JSON.stringify(job));
      const file = { pid: worker.pid, startedAt: Date.now(), version: "2.1.329", kind: "bg", jobId: ID };
      const waits = { status: "waiting", waitingFor: "permission prompt", sessionId: `${ID}-a958` };
      writeFileSync(join(claude, "sessions", `${worker.pid}.json`), JSON.stringify({ ...file, ...waits }));
      // On another machine the first session is looked for every ten seconds.
      harness.clock.skip(10_000);
      const row = await harness.daemon.until(
        `bg-${ID}`,
        ({ identity, state }) => identity.target === "vm1" && state === "waiting_approval",
        LIMIT_MS,
      );
      expect(row).toMatchObject({ short_ref: `vm1/bg-${ID}`, request: { body: "touch x.txt" } });
      const plan = await harness.service.prepareAttach({
        ref: row.identity.pane_ref,
        guards: actionGuardsSchema.parse({}),
        surface: "test",
        insideTmux: null,
        mayFocus: false,
      });
      expect([plan.mode, plan.argv[0], plan.argv.includes("-t")]).toEqual(["attach", "ssh", true]);
      worker.kill("SIGKILL");
      await harness.daemon.until(`bg-${ID}`, ({ reason_code }) => reason_code === "crashed", LIMIT_MS);
    } finally {
      worker.kill("SIGKILL");
      await harness.close();
    }
  },
  60_000,
);

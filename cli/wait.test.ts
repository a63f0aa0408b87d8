// `agtmux wait` in short: it ends with the row once that is so. The rest is in wait.slow.test.ts.
import { describe, expect, test } from "vitest";
import { waitResultSchema } from "../core/model/waitView.ts";
import { makePane } from "../test/factories/view.ts";
import { useWaits } from "../test/harness/waits.ts";

const waits = useWaits();

describe("one pane", () => {
  test("prints the row once its state fits, and ends", async () => {
    await waits.home.serve(waits.daemon);
    const waiting = await waits.start("pane:host/work/@1/%1", "--until", "completed,needs-action", "--json");
    waits.daemon.put(makePane({ state: "running", reason: "tool" }));
    waits.daemon.put(makePane({ state: "waiting_approval" }));
    const { code, stdout } = await waiting.finished;
    expect(code).toBe(0);
    const result = waitResultSchema.parse(JSON.parse(stdout));
    expect(result).toMatchObject({
      ref: "pane:host/work/@1/%1",
      until: ["completed", "needs-action"],
      condition: "needs-action",
      after: null,
    });
    expect(result.items.map(({ identity, state_version }) => [identity.runtime_id, state_version])).toEqual([
      ["rt1", 6],
    ]);
  });
});

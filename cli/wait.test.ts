// `agtmux wait` in short: it ends with the row once that is so. The rest is in wait.slow.test.ts.
import { describe, expect, test } from "vitest";
import { makePane } from "../test/factories/view.ts";
import { useWaits } from "../test/harness/waits.ts";

const waits = useWaits();

describe("one pane", () => {
  test("that is so already ends at once, with --after only when it is so again", async () => {
    await waits.home.serve(waits.daemon);
    const at = ["runtime:rt2", "--until", "idle", "--plain", "--columns", "ref,state_version"];
    expect(await waits.home.run(["wait", ...at])).toMatchObject({
      code: 0,
      stdout: "pane:vm1/work/@1/%2\t4\n",
    });
    const waiting = await waits.start(...at, "--after", "4");
    const pane = { pane: 2, target: "vm1", agent: "codex" };
    waits.daemon.put(makePane({ ...pane, state: "running" }));
    waits.daemon.put(makePane({ ...pane, state: "idle" }));
    expect(await waiting.finished).toMatchObject({ code: 0, stdout: "pane:vm1/work/@1/%2\t6\n" });
  });
});

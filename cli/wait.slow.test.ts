// `agtmux wait` as a child process against a fake daemon behind a real socket.
import { setTimeout } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { waitResultSchema } from "../core/model/documents.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import { useWaits, WAIT_MS } from "../test/harness/waits.ts";
import { makePane, type PaneOptions } from "../test/factories/view.ts";

const waits = useWaits();

const asking = (options: PaneOptions = {}) => makePane({ state: "waiting_approval", ...options });

describe("one pane", () => {
  test("prints the row once its state fits, and ends", async () => {
    await waits.home.serve(waits.daemon);
    const waiting = await waits.start("pane:host/work/@1/%1", "--until", "completed,needs-action", "--json");
    waits.daemon.put(makePane({ state: "running", reason: "tool" }));
    waits.daemon.put(asking());
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

  test("that waits is printed once its prompt can be answered, whoever noticed the wait first", async () => {
    await waits.home.serve(waits.daemon);
    const waiting = await waits.start("runtime:rt1", "--needs-action", "--json");
    waits.daemon.put(asking());
    // Several looks find it without a name.
    await setTimeout(400);
    waits.daemon.refine("pane:host/work/@1/%1", { prompt_fingerprint: "0123456789abcdef" });
    const { stdout } = await waiting.finished;
    expect(waitResultSchema.parse(JSON.parse(stdout)).items).toMatchObject([
      { prompt_fingerprint: "0123456789abcdef" },
    ]);
  });

  test("that waits is printed as it is once the wait is told with more, whatever its version", async () => {
    await waits.home.serve(waits.daemon);
    const waiting = await waits.start(
      "runtime:rt1",
      "--needs-action",
      "--plain",
      "--columns",
      "state_version",
    );
    waits.daemon.put(asking());
    await setTimeout(400);
    waits.daemon.put(asking({ reason: "permission_edit", fingerprint: "0123456789abcdef" }));
    expect(await waiting.finished).toMatchObject({ code: 0, stdout: "6\n" });
  });

  test("that ends is an error of its own, and what 'gone' waits for", async () => {
    await waits.home.serve(waits.daemon);
    const [ended, gone] = [
      waits.home.start(["wait", "runtime:rt1", "--until", "idle"]),
      waits.home.start([
        "wait",
        "runtime:rt1",
        "--until",
        "gone",
        "--plain",
        "--columns",
        "runtime_id,state",
      ]),
    ];
    await vi.waitFor(() => expect(waits.daemon.feedClients).toBe(2), { timeout: WAIT_MS });
    waits.daemon.remove("pane:host/work/@1/%1");
    expect(await ended.finished).toMatchObject({
      code: 19,
      stdout: "",
      stderr:
        "agtmux: the agent ended before it got to idle [E_RUNTIME_ENDED]. If the agent may end, wait for 'gone' too.\n" +
        "  pane:host/work/@1/%1 was last running\n",
    });
    expect(await gone.finished).toMatchObject({ code: 0, stdout: "rt1\trunning\n" });
  });

  test("that is not there fails at once", async () => {
    await waits.home.serve(waits.daemon);
    const { code, stderr } = await waits.home.run(["wait", "runtime:none", "--until", "gone"]);
    expect([code, stderr.includes("[E_REF_NOT_FOUND]")]).toEqual([3, true]);
  });

  test("has its time-out, with an exit status of its own", async () => {
    await waits.home.serve(waits.daemon);
    const { code, stdout, stderr } = await waits.home.run([
      "wait",
      "runtime:rt1",
      "--until",
      "idle",
      "--timeout",
      "300ms",
      "--json",
    ]);
    expect([code, stdout]).toEqual([124, ""]);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "E_TIMEOUT", message: "runtime:rt1 did not get to idle within 300ms", exit_code: 124 },
    });
  });
});

describe("what fits filters", () => {
  test("any: the first that needs a person, on whichever target", async () => {
    await waits.home.serve(waits.daemon);
    const waiting = await waits.start("--needs-action", "--agent", "claude,gemini");
    waits.daemon.put(
      makePane({
        pane: 2,
        target: "vm1",
        agent: "codex",
        state: "waiting_input",
      }),
    );
    waits.daemon.put(asking());
    const { code, stdout } = await waiting.finished;
    expect(code).toBe(0);
    expect(stdout).toContain("! needs approval");
    expect(stdout).toContain(" host/%1");
    expect(stdout).not.toContain("vm1");
  });

  test("every: only when all are there", async () => {
    await waits.home.serve(waits.daemon);
    const waiting = await waits.start("--every", "--until", "idle", "--plain", "--columns", "pane_id");
    waits.daemon.put(makePane({ state: "idle" }));
    expect(await waiting.finished).toMatchObject({ code: 0, stdout: "%1\n%2\n" });
  });

  test("goes on after the daemon was restarted, with what is there then", async () => {
    const stop = await waits.home.serve(waits.daemon);
    const waiting = await waits.start("--needs-action", "--plain", "--columns", "ref,state_version");
    await stop();
    await vi.waitFor(() => expect(waiting.stderr()).toContain("the daemon is gone"), { timeout: WAIT_MS });
    await waits.home.serve(new AnsweringDaemon([asking({ version: 12 })]));
    expect(await waiting.finished).toMatchObject({ code: 0, stdout: "pane:host/work/@1/%1\t12\n" });
  });

  test("ends on Ctrl-C", async () => {
    await waits.home.serve(waits.daemon);
    const waiting = await waits.start("--needs-action");
    waiting.child.kill("SIGINT");
    expect(await waiting.finished).toMatchObject({ code: 130, stdout: "" });
  });
});

test.each([
  { args: [], says: "wait needs a condition" },
  { args: ["runtime:rt1"], says: "wait needs a condition" },
  {
    args: ["runtime:rt1", "--until", "busy"],
    says: "--until: unknown value 'busy' [E_USAGE]. Conditions are",
  },
  { args: ["runtime:rt1", "--until", "idle", "--agent", "claude"], says: "either one reference or filters" },
  { args: ["runtime:rt1", "--until", "idle", "--every"], says: "either one reference or filters" },
  { args: ["--any", "--every", "--needs-action"], says: "--any and --every exclude each other" },
  { args: ["--needs-action", "--timeout", "soon"], says: "--timeout: invalid value 'soon'" },
  { args: ["--needs-action", "--timeout", "60d"], says: "--timeout 60d is too long" },
  { args: ["--needs-action", "--after", "-1"], says: "--after" },
  { args: ["--needs-action", "--plain", "--json"], says: "--plain and --json exclude each other" },
  { args: ["--needs-action", "--columns", "x"], says: "--columns: unknown value 'x'" },
])("bad input is refused before anything is waited for: $args", async ({ args, says }) => {
  const { code, stderr } = await waits.home.run(["wait", ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(says);
});

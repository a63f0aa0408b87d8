// The command line in short: its lists, as documents and as tables. The rest is in cli.slow.test.ts.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { paneListSchema } from "../core/model/view.ts";
import { makePane, makeTarget } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";

let home: FakeHome;
let daemon: AnsweringDaemon;
beforeEach(() => {
  home = makeFakeHome();
  daemon = new AnsweringDaemon([
    makePane({ state: "running", windowName: "editor" }),
    makePane({ pane: 2, target: "vm1", state: "idle", version: 1 }),
  ]);
  daemon.setTargets([makeTarget(), makeTarget({ target: "vm1", kind: "ssh" })]);
});
afterEach(() => home.close());

describe("lists", () => {
  test("print the daemon's document with --json", async () => {
    await home.serve(daemon);
    const { code, stdout } = await home.run(["list", "panes", "--state", "idle", "--json"]);
    const document = paneListSchema.parse(JSON.parse(stdout));
    expect(code).toBe(0);
    expect([document.filters, document.items.map((pane) => pane.identity.pane_ref)]).toEqual([
      { state: ["idle"] },
      ["pane:vm1/work/@1/%2"],
    ]);
  });

  test("of every scope print tables without colours into a pipe", async () => {
    await home.serve(daemon);
    const answers = await Promise.all([
      home.run(["list", "panes"]),
      home.run(["list", "windows", "--with-agent-status"]),
      home.run(["list", "sessions", "--agent-summary", "--group-by", "target-session"]),
      home.run(["target", "list"]),
      home.run(["status"]),
    ]);
    expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual(
      Array.from({ length: 5 }, () => [0, ""]),
    );
    const [panes, windows, sessions, targets, status] = answers.map(({ stdout }) => stdout);
    expect(panes).toContain("host/%1");
    expect(windows).toContain("1:editor");
    expect(sessions).toContain("vm1/work");
    expect(targets).toContain("default: 1 pane, direct");
    expect(status).toBe("▸ 1 running · · 1 idle\n");
    expect(answers.every(({ stdout }) => !stdout.includes("\u001b"))).toBe(true);
  });

  test("count by agent and by target when asked to, and not among fields", async () => {
    await home.serve(daemon);
    const [panes, sessions, plain] = await Promise.all([
      home.run(["list", "--totals"]),
      home.run(["list", "sessions", "--totals"]),
      home.run(["list", "--totals", "--plain"]),
    ]);
    for (const { stdout } of [panes, sessions])
      expect(stdout).toMatch(/\nBy agent: 2 claude\nBy target: 1 host, 1 vm1\n$/);
    expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining("--totals and --plain")]);
  });
});

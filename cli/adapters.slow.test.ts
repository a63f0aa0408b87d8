// The adapters verbs and `run` as child processes, against a fake daemon behind a real socket.
import { writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { adapterListSchema, adapterSwitchedSchema, adapterTrySchema } from "../core/model/adapterView.ts";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";
import { makePane } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";

const execFileAsync = promisify(execFile);
const BIN = fileURLToPath(new URL("../bin/agtmux", import.meta.url));

let home: FakeHome;
beforeEach(() => {
  home = makeFakeHome();
});
afterEach(() => home.close());

const PROBLEM = { file: "mine.json", line: 7, path: "titles.0.state", message: "wrong state" };
const daemonWithProblem = (): AnsweringDaemon => {
  const daemon = new AnsweringDaemon();
  daemon.adapterProblems = [PROBLEM];
  return daemon;
};
const fileWith = (text: string): string => {
  const path = join(home.paths.home, "x.json");
  writeFileSync(path, text);
  return path;
};

test("list shows each adapter with its source, and the problems of files", async () => {
  await home.serve(daemonWithProblem());
  const { code, stdout } = await home.run(["adapters", "list"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /one +Agent One +1\.2\.3 +built-in +yes +7\.0; 8 is unverified +completed, events, integrate/,
  );
  expect(stdout).toMatch(/two +Agent Two +1\.0\.0 +file: two\.json +no +nothing: unverified/);
  expect(stdout).toContain("Degraded:\n  two: the rules of two.json were too slow\n");
  expect(stdout).toContain("Not in force:\n  mine.json:7: titles.0.state: wrong state\n");
  const asJson = await home.run(["adapters", "list", "--json"]);
  expect(adapterListSchema.parse(JSON.parse(asJson.stdout)).problems).toEqual([PROBLEM]);
});

test("list says which version an agent was driven with, and which one is here", async () => {
  const daemon = new AnsweringDaemon();
  daemon.installed = { one: "7.5" };
  await home.serve(daemon);
  expect((await home.run(["adapters", "list"])).stdout).toMatch(/one .* driven with 7\.0, yours is 7\.5 /);
});

test("enable and disable say what became of it, and refuse an agent that is not known", async () => {
  await home.serve(new AnsweringDaemon());
  expect((await home.run(["adapters", "list"])).stdout).toContain("unknown: gone\n");
  const off = await home.run(["adapters", "disable", "one"]);
  expect([off.code, off.stdout]).toEqual([
    0,
    expect.stringMatching(/^one is disabled: .*adapters enable one'/),
  ]);
  expect((await home.run(["adapters", "enable", "one"])).stdout).toBe("one was enabled already.\n");
  const document = await home.run(["adapters", "disable", "one", "--json"]);
  expect(adapterSwitchedSchema.parse(JSON.parse(document.stdout))).toMatchObject({ enabled: false });
  const bad = await home.run(["adapters", "disable", "nope"]);
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("there is no agent 'nope'")]);
});

test("check ends with 11 and names the lines where files are bad", async () => {
  await home.serve(daemonWithProblem());
  expect(await home.run(["adapters", "check"])).toEqual({
    code: 11,
    stdout: "",
    stderr:
      "agtmux: 1 problem in adapter files [E_CONFIG_INVALID]. Correct the named lines; the other adapters stay in force.\n  mine.json:7: titles.0.state: wrong state\n",
  });
  const bad = await home.run(["adapters", "check", fileWith("bad")]);
  expect([bad.code, bad.stderr]).toEqual([
    11,
    expect.stringContaining("x.json:3: screens.0.pattern: it is bad"),
  ]);
});

test("check waits for no pipe, no device and no folder, and says what they are", async () => {
  await home.serve(daemonWithProblem());
  const pipe = join(home.paths.home, "pipe.json");
  await execFileAsync("mkfifo", [pipe]);
  for (const path of [pipe, "/dev/zero", home.paths.home]) {
    const { code, stderr } = await home.run(["adapters", "check", path]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${path} is not a regular file`)]);
  }
});

test("check says which agent a good file is for", async () => {
  await home.serve(new AnsweringDaemon());
  expect(await home.run(["adapters", "check", fileWith("{}")])).toEqual({
    code: 0,
    stdout: "x.json is a good adapter for two.\n",
    stderr: "",
  });
  expect((await home.run(["adapters", "check"])).stdout).toBe("1 adapter file is in force.\n");
  expect((await home.run(["adapters", "check", "/nowhere/x.json"])).code).toBe(2);
});

test("run ends with the agent's own status and hands over its options", async () => {
  const direct = await home.run(["run", "sh", "-c", 'echo "$0 $1"; exit 5', "--json", "-x"]);
  expect(direct).toEqual({ code: 5, stdout: "--json -x\n", stderr: "" });
  expect((await home.run(["run", "--", "sh", "-c", "exit 6"])).code).toBe(6);
  const shim = await execFileAsync(BIN, ["run", "--", "sh", "-c", "echo $PPID"], {
    env: { PATH: process.env["PATH"] ?? "" },
  });
  expect(shim.stdout).toBe(`${process.pid}\n`);
});

test("try prints what matched and what would be said", async () => {
  const pane = makePane({ state: "running" });
  await home.serve(new AnsweringDaemon([pane]));
  const { stdout } = await home.run(["adapters", "try", pane.identity.pane_ref]);
  expect(stdout).toContain(`claims process 42 by process name "one", high confidence`);
  expect(stdout).toContain(
    "says needs approval (permission_tool), medium confidence\n    by screens.0: Run it?",
  );
  expect(stdout).toContain("nothing from three");
  const file = fileWith("{}");
  const asJson = await home.run(["adapters", "try", pane.identity.pane_ref, "--file", file, "--json"]);
  expect(adapterTrySchema.parse(JSON.parse(asJson.stdout)).trials[0]?.agent_type).toBe("two");
});

// The verbs that act, as child processes against a fake daemon behind a real socket.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLI_ENTRY } from "./testing/cliEntry.ts";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";
import { makePane } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";

const FINGERPRINT = "9c1e5f0a7b3d2468";

let home: FakeHome;
let daemon: AnsweringDaemon;
beforeEach(async () => {
  home = makeFakeHome();
  daemon = new AnsweringDaemon([makePane({ state: "running", fingerprint: FINGERPRINT, version: 3 })]);
  await home.serve(daemon);
});
afterEach(() => home.close());

const withInput = async (args: string[], input: string): Promise<number | null> => {
  const child = spawn("node", [CLI_ENTRY, ...args], {
    env: { ...process.env, AGTMUX_HOME: home.paths.home, AGTMUX_NO_START: "1" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return code;
};

describe("send", () => {
  test("reads standard input without its last newline", async () => {
    expect(await withInput(["send", "runtime:rt1", "--stdin"], "one\n\ntwo\n")).toBe(0);
    expect(daemon.asked).toMatchObject([{ input: { text: "one\n\ntwo", pressEnter: true, toShell: false } }]);
  });

  test.each([
    ["delivered", 0, "Delivered: "],
    ["not_delivered", 20, "Not delivered: "],
    ["unverified", 21, "Unverified: "],
  ] as const)("%s has the exit status %i", async (outcome, status, words) => {
    daemon.gate.settleWith(outcome, "It is what it is.", ["2 control characters were left out."]);
    const plain = await home.run(["send", "runtime:rt1", "--text", "x"]);
    expect([plain.code, plain.stdout]).toEqual([
      status,
      `${words}It is what it is.\n  2 control characters were left out.\n`,
    ]);
    const document = await home.run(["send", "runtime:rt1", "--text", "x", "--json"]);
    expect([document.code, JSON.parse(document.stdout)]).toMatchObject([
      status,
      { schema_version: "1.0", outcome, is_repeat: false },
    ]);
  });

  test.each([[[]], [["--text", "x", "--stdin"]], [["--text", "x", "--if-version", "two"]]])(
    "with %j is refused",
    async (options) => {
      expect((await home.run(["send", "runtime:rt1", ...options])).code).toBe(2);
      expect(daemon.asked).toEqual([]);
    },
  );
});

describe("kill", () => {
  test("sends INT where no signal is named, and knows three", async () => {
    expect((await home.run(["kill", "runtime:rt1", "--yes"])).code).toBe(0);
    expect(daemon.asked).toMatchObject([{ action: "kill", input: { signal: "INT" } }]);
    expect((await home.run(["kill", "runtime:rt1", "--signal", "HUP", "--yes"])).code).toBe(2);
  });
});

describe("answer", () => {
  const prompt = ["answer", "runtime:rt1", "--if-prompt", FINGERPRINT];

  test.each([
    [[]],
    [["--approve", "--deny"]],
    [["--option", "0"]],
    [["--option", "31"]],
    [["--option", "two"]],
    [["--text", ""]],
  ])("with %j is refused", async (options) => {
    expect((await home.run([...prompt, ...options])).code).toBe(2);
    expect(daemon.asked).toEqual([]);
  });

  test("reads a text from standard input, so that it stands in no argument", async () => {
    expect(await withInput([...prompt, "--stdin"], "--deny; $(x)\n")).toBe(0);
    expect(daemon.asked).toMatchObject([{ input: { choice: { kind: "text", text: "--deny; $(x)" } } }]);
    expect(await withInput([...prompt, "--stdin"], "\n")).toBe(2);
    expect(await withInput([...prompt, "--stdin", "--text", "x"], "y")).toBe(2);
    expect(await withInput([...prompt, "--stdin", "--approve"], "y")).toBe(2);
    expect(daemon.asked).toHaveLength(1);
  });

  test("without a terminal must name the prompt", async () => {
    const { code, stderr } = await home.run(["answer", "runtime:rt1", "--approve"]);
    expect([code, daemon.asked]).toEqual([22, []]);
    expect(stderr).toContain("[E_PROMPT_UNCONFIRMED]. Name the prompt that you saw: --if-prompt");
  });
});

test("interrupt tells its outcome", async () => {
  daemon.gate.settleWith("unverified", "Nobody knows.");
  expect((await home.run(["interrupt", "runtime:rt1"])).code).toBe(21);
});

test("view-output prints the lines alone and the rest beside them", async () => {
  daemon.outputs.set("pane:host/work/@1/%1", {
    screen: ["first", "last"],
    isAlternate: true,
    transcript: ["> asked"],
  });
  const { code, stdout, stderr } = await home.run(["view-output", "runtime:rt1", "--lines", "7", "--ansi"]);
  expect([code, stdout]).toEqual([0, "first\nlast\n"]);
  expect(stderr).toContain("no scrollback");
  expect(daemon.outputRequests).toMatchObject([{ lines: 7, ansi: true }]);
  expect((await home.run(["view-output", "runtime:rt1", "--lines", "10001"])).code).toBe(2);
  expect(stderr).toContain("--transcript");
  const log = await home.run(["view-output", "runtime:rt1", "--transcript"]);
  expect([log.stdout, log.stderr]).toEqual(["> asked\n", expect.stringContaining("'> ' is you")]);
  expect(daemon.outputRequests.at(-1)).toMatchObject({ source: "transcript" });
});

test("audit lists what was done", async () => {
  const { code, stdout } = await home.run(["audit"]);
  expect([code, stdout.split("\n").length]).toEqual([0, 3]);
  expect(stdout).toMatch(/send +delivered +5 +cli +running +runtime:rt1/);
  const document = await home.run(["audit", "--json", "--limit", "3"]);
  expect(JSON.parse(document.stdout)).toMatchObject({ schema_version: "1.0", items: [{ action: "send" }] });
});

test("mute and rename keep something about one agent, and say what", async () => {
  daemon.put(makePane({ pane: 2, session: "api", window: 3, state: "running" }));
  const ref = "pane:host/api/@3/%2";
  expect((await home.run(["mute", "%2"])).stdout).toMatch(/^Muted host\/%2 until \d/);
  expect((await home.run(["mute", "%2", "--until-end"])).stdout).toBe("Muted host/%2 until it ends.\n");
  const off = await home.run(["mute", "%2", "--off", "--json"]);
  expect(JSON.parse(off.stdout)).toMatchObject({ pane_ref: ref, muted: null });
  for (const more of [
    ["--off", "--until-end"],
    ["--for", "8d"],
  ])
    expect((await home.run(["mute", "%2", ...more])).code).toBe(2);
  expect((await home.run(["rename", "%2", "second\u001b[2J try"])).stdout).not.toContain("\u001b");
  expect((await home.run(["rename", "%2", ""])).stdout).toContain("has its own title again");
  expect(daemon.asked.map(({ action, input }) => [action, input["forMs"] ?? input["name"] ?? null])).toEqual([
    ["mute", 3_600_000],
    ["mute", "end"],
    ["mute", null],
    ["rename", "second\u001b[2J try"],
    ["rename", ""],
  ]);
});

describe("a short reference", () => {
  beforeEach(() => {
    daemon.put(makePane({ pane: 2, session: "api", window: 3, state: "idle" }));
  });

  test("is settled before anything is done, and what acts says what it was taken for", async () => {
    const done = await home.run(["send", "api", "--text", "x"]);
    expect([done.code, done.stderr]).toEqual([0, "agtmux: 'api' is Claude Code in api:3.0 (host/%2)\n"]);
    const document = await home.run(["interrupt", "api:3", "--json"]);
    expect([document.code, document.stderr]).toEqual([0, ""]);
    expect((await home.run(["kill", "host/%2", "--yes"])).stderr).toContain(
      "'host/%2' is Claude Code in api:3.0",
    );
    expect((await home.run(["dismiss", "%2"])).stdout).toBe("Dismissed host/%2.\n");
    expect(daemon.asked.map(({ action, input }) => [action, input["ref"]])).toEqual([
      ["send", "pane:host/api/@3/%2"],
      ["interrupt", "pane:host/api/@3/%2"],
      ["kill", "pane:host/api/@3/%2"],
      ["dismiss", "pane:host/api/@3/%2"],
    ]);
  });

  test("that fits nothing or several is refused with what there is, and nothing is done", async () => {
    daemon.put(makePane({ pane: 3, session: "api", window: 4, state: "idle" }));
    const several = await home.run(["send", "api", "--text", "x"]);
    expect([several.code, several.stderr]).toEqual([
      4,
      "agtmux: 'api' matches 2 panes [E_REF_AMBIGUOUS]. Use one of the listed references.\n  host/%2 in api:3.0\n  host/%3 in api:4.0\n",
    ]);
    expect((await home.run(["attach", "%9"], { TMUX: "" })).code).toBe(2);
    expect((await home.run(["view-output", "ap"])).code).toBe(3);
    expect((await home.run(["explain", "api:+1"])).code).toBe(2);
    expect(daemon.asked).toEqual([]);
  });

  test("says of a reader nothing but its answer", async () => {
    const { code, stderr, stdout } = await home.run(["explain", "api:3.0", "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ pane: { short_ref: "host/%2" } });
  });
});

// The verbs about targets as a person meets them, against a fake daemon: what they ask for, what they print, and how they end.
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgtmuxError } from "../core/model/errors.ts";
import { targetViewSchema } from "../core/model/view.ts";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";
import { makeTarget } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";

let home: FakeHome;
let daemon: AnsweringDaemon;

beforeEach(async () => {
  home = makeFakeHome();
  daemon = new AnsweringDaemon();
  daemon.setTargets([
    makeTarget(),
    makeTarget({ target: "vm1", kind: "ssh", connection_ref: "vm1", transport: "ssh2", rtt_ms: 1.5 }),
    makeTarget({
      target: "vm2",
      kind: "ssh",
      connection_ref: "vm2",
      health: "down",
      health_reason: "connect to vm2: its host key has CHANGED\u001b[2J",
      remedy: "Run 'ssh-keygen -R vm2'.",
      next_attempt_at: "2126-11-21T09:00:00.000Z",
      awake: null,
      newer_release: null,
      limits: [],
    }),
  ]);
  await home.serve(daemon);
});
afterEach(() => home.close());

test("add names the host by the alias, else by its own name, and says how connecting went", async () => {
  const asked: unknown[] = [];
  daemon.targetAdd = async (input) => {
    asked.push(input);
    const target = makeTarget({ target: input.name, transport: "ssh2", rtt_ms: 2 });
    daemon.setTargets([...daemon.targets(), target]);
    return target;
  };
  const added = await home.run(["target", "add", "vm3"]);
  expect(added.code).toBe(0);
  expect(added.stdout).toContain("vm3 was added and is connected over ssh2, 2 ms: 1 pane (default).");
  await home.run(["target", "add", "b", "--kind", "ssh", "--ssh-target", "me@vm", "--transport", "openssh"]);
  await home.run(["target", "add", "c", "--tmux-path", "/opt/tmux", "--no-wait"]);
  expect(asked).toEqual([
    { name: "vm3", sshTarget: "vm3" },
    { name: "b", sshTarget: "me@vm", transport: "openssh" },
    { name: "c", sshTarget: "c", tmuxPath: "/opt/tmux" },
  ]);
});

test("add of a host that cannot be reached is no failure: it says why and what to do", async () => {
  daemon.targetConnect = async () => {
    throw new AgtmuxError("E_TARGET_HOST_KEY", "connect to vm3: its host key is unknown", {
      remedy: "Run 'ssh vm3' once.",
    });
  };
  const { code, stdout } = await home.run(["target", "add", "vm3"]);
  expect(code).toBe(0);
  expect(stdout).toContain("vm3 was added, but is not connected: connect to vm3: its host key is unknown");
  expect(stdout).toContain("Run 'ssh vm3' once.");
  const json = JSON.parse((await home.run(["target", "add", "vm4", "--json"])).stdout) as {
    item: unknown;
    problem: unknown;
  };
  expect(targetViewSchema.parse(json.item).target).toBe("vm4");
  expect(json.problem).toMatchObject({ code: "E_TARGET_HOST_KEY", remedy: "Run 'ssh vm3' once." });
});

test("add of this machine is done already, however often it is said", async () => {
  const added = await home.run(["target", "add", "host", "--kind", "local"]);
  expect([added.code, added.stdout]).toEqual([0, "host is this machine and is watched already.\n"]);
  const json = JSON.parse(
    (await home.run(["target", "add", "host", "--kind", "local", "--json"])).stdout,
  ) as {
    item: unknown;
    problem: unknown;
  };
  expect(targetViewSchema.parse(json.item)).toMatchObject({ target: "host", kind: "local" });
  expect(json.problem).toBeNull();
  expect(daemon.targets().map(({ target }) => target)).toEqual(["host", "vm1", "vm2"]);
});

test.each([
  { args: ["add", "host", "--kind", "local", "--transport", "ssh2"], code: 2, says: "no SSH settings" },
  { args: ["add", "x", "--kind", "local"], code: 15, says: "E_UNSUPPORTED" },
  { args: ["add", "x", "--kind", "telnet"], code: 2, says: "--kind: unknown value 'telnet'" },
  { args: ["add", "x", "--transport", "rsh"], code: 2, says: "--transport: unknown value 'rsh'" },
  { args: ["add", "x", "--tmux-path", "bin/tmux"], code: 2, says: "isn't an absolute path" },
  { args: ["set", "vm1"], code: 2, says: "needs something to set" },
  { args: ["connect", "nope"], code: 18, says: "E_TARGET_UNKNOWN" },
  { args: ["remove", "vm1"], code: 6, says: "E_CONFIRMATION_REQUIRED" },
])("target $args ends with $code", async ({ args, code, says }) => {
  const finished = await home.run(["target", ...args]);
  expect(finished.code).toBe(code);
  expect(finished.stderr).toContain(says);
});

test("list says what is wrong, what to do and when it is tried again, without control characters", async () => {
  const { stdout } = await home.run(["target", "list"]);
  expect(stdout).toContain("ssh2, 1.5 ms");
  expect(stdout).toMatch(
    /^vm2 +ssh +down.*\n {2}connect to vm2: its host key has CHANGED\n {2}Run 'ssh-keygen -R vm2'\.\n {2}next attempt in \S+$/m,
  );
});

test("integrate goes to the target that is named, and says how to check it there", async () => {
  const done = await home.run(["integrate", "claude", "--target", "vm1", "--yes"]);
  expect(done.stdout).toContain("Check it with 'agtmux integrate claude --target vm1 --verify'.");
  expect(daemon.asked).toEqual(
    [true, false].map((dryRun) => ({
      action: "integrationChange",
      input: { agent: "claude", target: "vm1", action: "install", dryRun },
    })),
  );
});

test("enable, disable and set change one target, remove forgets it", async () => {
  const asked: unknown[] = [];
  daemon.targetChange = async (input) => {
    asked.push(input);
    return makeTarget({ target: input.name });
  };
  await home.run(["target", "disable", "vm1"]);
  await home.run(["target", "enable", "vm1"]);
  await home.run(["target", "set", "vm1", "--tmux-path", "auto", "--transport", "ssh2"]);
  expect(asked).toEqual([
    { name: "vm1", enabled: false },
    { name: "vm1", enabled: true },
    { name: "vm1", tmuxPath: null, transport: "ssh2" },
  ]);
  const removed = await home.run(["target", "remove", "vm1", "--yes", "--json"]);
  expect(JSON.parse(removed.stdout)).toMatchObject({ schema_version: "1.0", removed: "vm1" });
  expect(daemon.targets().map(({ target }) => target)).toEqual(["host", "vm2"]);
});

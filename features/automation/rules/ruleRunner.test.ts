// Rules over a real store and a played agent: what they answer, when, and what they leave to the person.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useStore } from "../../../test/factories/store.ts";
import { makePane } from "../../../test/factories/view.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { ToldRequest } from "../../../core/model/request.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import type { DurableStore } from "../../../core/store/durableStore.ts";
import { hashOf } from "./ruleFile.ts";
import { FLOOD_MS, RuleRunner, STOOD_MS } from "./ruleRunner.ts";
import { RuleSet } from "./ruleSet.ts";

type AnswerInput = Parameters<FeatureContext["requests"]["answer"]>[0];

const START = Date.UTC(2026, 10, 23, 12);
let root: string;
let store: DurableStore;
let now = START;
let timers: { at: number; callback: () => void }[];
let row: PaneView;
let asked: ToldRequest | null;
let answers: AnswerInput[];
let told: string[];
/** What happens between the decision and the key. */
let meanwhile: () => void;
/** What happens once it was decided on, before it is looked at again. */
let beforeKeys: () => void | Promise<void>;
let fails: Error | null;
let context: FeatureContext;
let ruleSet: RuleSet;
let runner: RuleRunner;

const STATUS = { name: "status", when: { commands: [["git", "status"]] }, then: "approve" };
const PUSH = { name: "push", when: { commands: [["git", "push", "--force"]] }, then: "deny" };

/** Until nothing that was begun reads files any more: how long that takes is the machine's. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) {
    // Reads come one after the other, so that all that were begun have ended.
    await ruleSet.reload();
    for (let quiet = 0; quiet < 5; quiet += 1) {
      await new Promise((done) => setImmediate(done));
      if (process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"))) quiet = -1;
    }
  }
};
const pass = async (ms: number): Promise<void> => {
  const end = now + ms;
  for (;;) {
    const due = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
    if (due === undefined) break;
    timers = timers.filter((one) => one !== due);
    now = Math.max(now, due.at);
    due.callback();
    await settle();
  }
  now = end;
  await settle();
};

const write = async (...rules: unknown[]): Promise<void> => {
  writeFileSync(join(root, "rules.json"), JSON.stringify({ rules }), { mode: 0o600 });
  await ruleSet.reload();
};
const arm = (): void => {
  const { rules } = ruleSet.current;
  for (const rule of rules)
    store.armRule({ hash: hashOf(rule, rules), rule: rule.name, at: now, surface: "cli" });
};
const ask = (command: string, more: Partial<ToldRequest> = {}): void => {
  const version = row.state_version + 1;
  row = makePane({ state: "waiting_approval", version, fingerprint: `fp${version}` });
  asked = {
    runtimeId: "rt1",
    stateVersion: version,
    fingerprint: `fp${version}`,
    kind: "command",
    toolName: "Bash",
    command,
    folder: "/home/dev",
    file: null,
    doubt: null,
    ...more,
  };
  runner.tick();
};
const done = () => store.listRuleRuns(100).map(({ rule, verdict, outcome }) => [rule, verdict, outcome]);
const chosen = () => answers.map(({ choice, fingerprint }) => [choice, fingerprint]);

const start = (): void => {
  context = {
    rows: { all: () => [row] },
    jobs: store,
    rules: store,
    sends: { takeEvents: async () => beforeKeys() },
    requests: {
      find: () => asked,
      answer: async (input: AnswerInput) => {
        meanwhile();
        await input.lookAgain();
        const why = input.obstacle();
        if (why !== null) throw new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was sent: ${why}`);
        if (fails !== null) throw fails;
        answers.push(input);
        return { outcome: "delivered", detail: "", action_id: "act_1" };
      },
    },
    target: (name: string) => ({
      run: async ([file = "", ...args]: string[]) => {
        if (name === "vm2") throw new AgtmuxError("E_TARGET_UNREACHABLE", "it does not answer");
        return { exitCode: 0, stdout: execFileSync(file, args, { encoding: "utf8" }) };
      },
    }),
    isReady: () => true,
    homePath: root,
    env: { HOME: "/home/me" },
    uid: process.getuid?.() ?? 0,
    redact: (text: string) => text,
    clock: {
      now: () => now,
      setTimer: (delayMs: number, callback: () => void) => {
        const timer = { at: now + delayMs, callback };
        timers.push(timer);
        return () => (timers = timers.filter((one) => one !== timer));
      },
    },
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  ruleSet = new RuleSet(context, () => runner.tick());
  runner = new RuleRunner({ context, ruleSet, tell: (_row, { title }) => told.push(title) });
};

const reopen = useStore(
  () => now,
  (opened, folder) => ([store, root] = [opened, folder]),
);
beforeEach(() => {
  now = START;
  timers = [];
  answers = [];
  told = [];
  asked = null;
  fails = null;
  meanwhile = () => {};
  beforeKeys = () => {};
  row = makePane({ state: "running", version: 1 });
  start();
});
afterEach(async () => {
  ruleSet.close();
  await runner.close();
});

describe("a rule", () => {
  it("only notes what it would do until it is armed", async () => {
    await write(STATUS, PUSH);
    ask("git status");
    await pass(60_000);
    ask("git push --force");
    await pass(60_000);
    expect([answers, done()]).toEqual([
      [],
      [
        ["push", "would_deny", "in shadow"],
        ["status", "would_approve", "in shadow"],
      ],
    ]);
  });

  it("in shadow is named on the row of what it would answer, with how often, until something else is asked", async () => {
    await write(STATUS, PUSH);
    const notes = async (command: string): Promise<unknown[]> => {
      ask(command);
      await pass(10_000);
      return [...runner.shadowNotes()];
    };
    expect(await notes("git status")).toEqual([["rt1", "status would approve (1)"]]);
    expect(await notes("git status")).toEqual([["rt1", "status would approve (2)"]]);
    expect(await notes("git push --force")).toEqual([["rt1", "push would refuse (1)"]]);
    expect(await notes("ls")).toEqual([]);
    await notes("git status");
    await write(PUSH);
    await pass(10_000);
    expect([...runner.shadowNotes()]).toEqual([]);
    await write(STATUS, PUSH);
    arm();
    expect(await notes("git status")).toEqual([]);
  });

  it("answers once it is armed, and once for each asking", async () => {
    await write(STATUS, PUSH);
    arm();
    ask("git status");
    await pass(60_000);
    ask("git push --force");
    await pass(60_000);
    expect(chosen()).toEqual([
      ["approve", "fp2"],
      ["deny", "fp3"],
    ]);
    expect(answers.map(({ surface }) => surface)).toEqual(["rule:status", "rule:push"]);
    expect(done()).toEqual([
      ["push", "deny", "delivered"],
      ["status", "approve", "delivered"],
    ]);
  });

  it("leaves or refuses what is about a file that another rule names, also by a link, and approves nothing before", async () => {
    const show = { name: "show", when: { commands: [["cat", "*"]] }, then: "approve" };
    const secrets = { name: "secrets", when: { paths: [".env", ".git/**"] }, then: "leave" };
    const locks = { name: "locks", when: { kinds: ["edit"], paths: ["*.lock"] }, then: "deny" };
    writeFileSync(join(root, ".env"), "x");
    symlinkSync(".env", join(root, "plain"));
    await write(show, secrets, locks);
    arm();
    for (const command of ["cat .env", "cat plain", "cat a plain", "cat .git/config", "cat PLAIN/../.env"]) {
      ask(command, { folder: root });
      await pass(10_000);
    }
    expect(answers).toEqual([]);
    ask("cat other", { folder: root });
    await pass(10_000);
    ask("", { kind: "edit", command: null, file: "a/x.lock", folder: root });
    await pass(10_000);
    ask("", { kind: "edit", command: null, file: "a/x.txt", folder: root });
    await pass(10_000);
    expect(answers.map(({ choice, surface }) => [choice, surface])).toEqual([
      ["approve", "rule:show"],
      ["deny", "rule:locks"],
    ]);
  });

  it("looks where links lead once more before the key", async () => {
    const show = { name: "show", when: { commands: [["cat", "*"]] }, then: "approve" };
    await write(show, { name: "secrets", when: { paths: [".env"] }, then: "leave" });
    arm();
    writeFileSync(join(root, ".env"), "x");
    writeFileSync(join(root, "plain"), "x");
    beforeKeys = () => {
      rmSync(join(root, "plain"));
      symlinkSync(".env", join(root, "plain"));
      beforeKeys = () => {};
    };
    ask("cat plain", { folder: root });
    await pass(10_000);
    expect([answers, existsSync(join(root, "plain"))]).toEqual([[], true]);
    beforeKeys = () => {};
    rmSync(join(root, "plain"));
    ask("cat plain", { folder: root });
    await pass(10_000);
    expect(answers).toHaveLength(1);
  });

  it("is about the folder to which links lead, up to the key", async () => {
    const folders = Object.fromEntries(
      ["work", "evil"].map((name) => [name, join(realpathSync(root), name)]),
    );
    const { work = "", evil = "" } = folders;
    for (const folder of [work, evil]) mkdirSync(folder);
    symlinkSync(evil, join(work, "link"));
    symlinkSync(work, join(root, "named"));
    await write({ ...STATUS, when: { ...STATUS.when, cwd: [work, join(root, "named")] } });
    arm();
    const asks = async (folder: string): Promise<number> => {
      ask("git status", { folder });
      await pass(10_000);
      return answers.length;
    };
    expect(await asks(join(work, "link"))).toBe(0);
    expect(await asks(join(work, "link", "deeper"))).toBe(0);
    // A link turns while the answer is on its way.
    const place = join(work, "place");
    for (const turn of [(to: () => void) => (beforeKeys = to), (to: () => void) => (meanwhile = to)]) {
      mkdirSync(place);
      turn(() => {
        rmSync(place, { recursive: true });
        symlinkSync(evil, place);
        turn(() => {});
      });
      expect(await asks(place)).toBe(0);
      rmSync(place);
    }
    expect(await asks(join(work, "nothing"))).toBe(0);
    expect(await asks(work)).toBe(1);
    expect(await asks(join(root, "named"))).toBe(2);
    await write({ ...STATUS, when: { ...STATUS.when, cwd: ["/"] } });
    arm();
    expect(await asks(evil)).toBe(3);
  });

  it("refuses also in a folder that has another name, here and on another machine", async () => {
    const work = join(realpathSync(root), "work");
    mkdirSync(work);
    symlinkSync(work, join(root, "named"));
    await write({ ...PUSH, when: { ...PUSH.when, cwd: [join(root, "named")] } });
    arm();
    const asks = async (folder: string, target: string): Promise<number> => {
      ask("git push --force", { folder });
      row = { ...row, identity: { ...row.identity, target } };
      await pass(10_000);
      return answers.length;
    };
    expect(await asks(work, "host")).toBe(1);
    expect(await asks(work, "vm1")).toBe(2);
    for (const target of ["host", "vm1"]) expect(await asks(root, target), target).toBe(2);
    // Where the machine does not answer, or the folder is not there, nobody knows.
    expect(await asks(root, "vm2")).toBe(3);
    expect(await asks(join(root, "nothing"), "vm1")).toBe(4);
  });

  it("leaves a request alone while what its agent told is not read in time, and looks again", async () => {
    await write(STATUS);
    arm();
    beforeKeys = () => new Promise(() => {});
    ask("git status");
    await pass(5_000);
    expect(answers).toEqual([]);
    beforeKeys = () => {};
    await pass(5_000);
    expect(answers).toHaveLength(1);
  });

  it("leaves a request alone while what its agent told cannot be read, and looks again", async () => {
    await write(STATUS);
    arm();
    beforeKeys = () => Promise.reject(new Error("the connection is gone"));
    ask("git status");
    await pass(5_000);
    expect(answers).toEqual([]);
    beforeKeys = () => {};
    await pass(5_000);
    expect(answers).toHaveLength(1);
  });

  it("answers what has stood for a second, and not before", async () => {
    await write(STATUS);
    arm();
    ask("git status");
    await pass(STOOD_MS - 1);
    expect(answers).toEqual([]);
    ask("git status");
    await pass(STOOD_MS - 1);
    expect(answers).toEqual([]);
    await pass(1);
    expect(chosen()).toEqual([["approve", "fp3"]]);
  });

  it("is not armed any more once it, or what goes before it, was changed", async () => {
    await write(STATUS, PUSH);
    arm();
    for (const rules of [[{ ...STATUS, limit: 19 }, PUSH], [STATUS], [STATUS, { ...PUSH, name: "other" }]]) {
      await write(...rules);
      ask("git status");
      await pass(10_000);
    }
    expect(answers).toEqual([]);
    await write(STATUS, PUSH);
    ask("git status");
    await pass(10_000);
    expect(answers).toHaveLength(1);
  });

  it("does nothing while automation is paused, nor when it is paused before the key", async () => {
    await write(STATUS);
    arm();
    store.setPausedAt(now);
    ask("git status");
    await pass(60_000);
    expect([answers, done()]).toEqual([[], []]);
    store.setPausedAt(null);
    meanwhile = () => store.setPausedAt(now);
    ask("git status");
    await pass(60_000);
    expect(answers).toEqual([]);
    expect(done()).toEqual([["status", "approve", expect.stringContaining("automation is paused")]]);
  });

  it.each<[string, () => void]>([
    ["it was disarmed", () => void store.disarmRule("status")],
    ["another request came", () => (asked = asked && { ...asked, fingerprint: "other" })],
    ["the state went on", () => (asked = asked && { ...asked, stateVersion: 99 })],
    ["the request is gone", () => (asked = null)],
    ["something speaks against it now", () => (asked = asked && { ...asked, doubt: "two are open" })],
    ["another command stands there", () => (asked = asked && { ...asked, command: "git stash" })],
  ])("presses no key where in the meantime %s", async (_name, change) => {
    await write(STATUS);
    arm();
    meanwhile = change;
    ask("git status");
    await pass(STOOD_MS + 500);
    expect(answers).toEqual([]);
    expect(done().every(([, , outcome]) => outcome?.startsWith("not answered"))).toBe(true);
  });

  it("reads its file once more before it answers", async () => {
    await write(STATUS);
    arm();
    ask("git status");
    // Nobody has told the daemon of it yet.
    writeFileSync(join(root, "rules.json"), JSON.stringify({ rules: [] }), { mode: 0o600 });
    await pass(60_000);
    expect([answers, done()]).toEqual([[], []]);
  });

  it("leaves what is in doubt to the person, and answers it once the doubt is gone", async () => {
    await write(STATUS);
    arm();
    ask("git status", { doubt: "its dialog is not on the screen" });
    await pass(5_000);
    expect([answers, done()]).toEqual([[], []]);
    asked = asked && { ...asked, doubt: null };
    await pass(5_000);
    expect(answers).toHaveLength(1);
  });

  it("answers one agent twenty times in ten minutes, and then tells the person once", async () => {
    await write(STATUS);
    arm();
    for (let count = 0; count < 23; count += 1) {
      ask("git status");
      await pass(5_000);
    }
    expect(answers).toHaveLength(20);
    expect(told).toHaveLength(3);
    await pass(FLOOD_MS);
    ask("git status");
    await pass(5_000);
    expect(answers).toHaveLength(21);
  });

  it("keeps to a limit of its own", async () => {
    await write({ ...STATUS, limit: 2 });
    arm();
    for (let count = 0; count < 4; count += 1) {
      ask("git status");
      await pass(5_000);
    }
    expect(answers).toHaveLength(2);
    expect(told[0]).toContain("status left it to you: it answered this agent 2 times");
  });

  it("tries a request five times, and gives it up where nobody knows whether a key arrived", async () => {
    await write(STATUS);
    arm();
    fails = new AgtmuxError("E_STALE_SNAPSHOT", "somebody types there");
    ask("git status");
    await pass(120_000);
    expect(done()).toHaveLength(5);
    fails = new AgtmuxError("E_TARGET_UNREACHABLE", "tmux does not answer");
    ask("git status");
    await pass(120_000);
    expect(done()).toHaveLength(6);
    expect(done()[0]?.[2]).toContain("unverified");
    expect(told.at(-1)).toContain("status left it to you");
  });
});

describe("a file that cannot be trusted", () => {
  it.each<[string, () => void]>([
    ["others can write to", () => chmodSync(join(root, "rules.json"), 0o622)],
    ["is gone", () => rmSync(join(root, "rules.json"))],
    ["is no JSON", () => writeFileSync(join(root, "rules.json"), "{")],
  ])("that %s lets nothing be answered", async (_name, damage) => {
    await write(STATUS, PUSH);
    arm();
    damage();
    ask("git status");
    await pass(10_000);
    expect(answers).toEqual([]);
  });

  it("with a mistake in a rule that refuses lets nothing be approved, and other refusals go on", async () => {
    await write(STATUS, PUSH, { name: "x", when: { commands: [[]] }, then: "deny" });
    arm();
    ask("git status");
    await pass(10_000);
    ask("git push --force");
    await pass(10_000);
    expect(chosen()).toEqual([["deny", "fp3"]]);
  });
});

it("nothing is armed after damage to the database", async () => {
  await write(STATUS);
  arm();
  store.close();
  writeFileSync(join(root, "state.db"), "no database");
  rmSync(join(root, "state.db-wal"), { force: true });
  reopen();
  start();
  await ruleSet.reload();
  ask("git status");
  await pass(10_000);
  expect([answers, done()]).toEqual([[], [["status", "would_approve", "in shadow"]]]);
});

it("what a daemon began and did not see through is on record as unverified, and is not repeated", async () => {
  await write(STATUS);
  arm();
  ask("git status");
  let die: () => void = () => {};
  const isDead = new Promise<never>((_resolve, reject) => (die = () => reject(new Error("killed"))));
  (context.requests as { answer: unknown }).answer = () => isDead;
  await pass(5_000);
  expect(done()).toEqual([["status", "approve", "begun"]]);
  const before = runner;
  start();
  runner.tick();
  // After a restart the request is known from the store alone.
  asked = asked && { ...asked, doubt: "no event has reported it since this daemon started" };
  await pass(60_000);
  expect(done()).toEqual([["status", "approve", expect.stringContaining("unverified")]]);
  expect(answers).toEqual([]);
  die();
  await before.close();
});

// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { describe, expect, it } from "vitest";
import { judgeRequest, type Asked, type RulesNow } from "./judgeRequest.ts";
import { hashOf, readRules } from "./ruleFile.ts";

const ASKED: Asked = {
  agent: "claude",
  target: "host",
  session: "work",
  kind: "command",
  tool: "Bash",
  command: "git status",
  folder: "/home/dev/project",
  leadsTo: (folder) => folder,
  paths: [],
};

const rule = (name: string, then: string, when: object, more: object = {}) => ({ name, then, when, ...more });
const STATUS = rule("status", "approve", { commands: [["git", "status"]] });
const PUSH = rule("push", "deny", { commands: [["git", "push", "--force"]] });

/** With all of them armed. */
const armed = (...rules: unknown[]): RulesNow => {
  const read = readRules(JSON.stringify({ rules }));
  expect(read.problems).toEqual([]);
  return { ...read, armed: new Set(read.rules.map((one) => hashOf(one, read.rules))) };
};
const verdictOf = (now: RulesNow, asked: Partial<Asked> = {}) => judgeRequest(now, { ...ASKED, ...asked });

describe("a request", () => {
  it("that no rule knows is the person's", () => {
    expect(verdictOf(armed(), {})).toMatchObject({ verdict: "nothing", rule: null });
    expect(verdictOf(armed(STATUS, PUSH), { command: "git log" })).toMatchObject({ verdict: "nothing" });
  });

  it("is approved by an armed rule, and noted by one in shadow", () => {
    const now = armed(STATUS);
    expect(verdictOf(now)).toMatchObject({ verdict: "approve", rule: { name: "status" }, isArmed: true });
    expect(verdictOf({ ...now, armed: new Set() })).toMatchObject({ verdict: "approve", isArmed: false });
  });

  it("is approved only for exactly these words, of exactly a command", () => {
    const now = armed(STATUS);
    for (const command of [
      "git status ",
      "git status --short",
      "Git status",
      "git  status",
      "git status; rm x",
      "/usr/bin/git status",
      "git -c core.fsmonitor=x status",
      "git --upload-pack=x status",
      "A=b git status",
      "sudo git status",
      "echo x | git status",
      "git status # x",
      "git status\n",
      "git [redacted]",
    ])
      expect(verdictOf(now, { command }).verdict, command).toBe("nothing");
    for (const kind of ["edit", "tool", "plan", "question", "trust", "other"] as const)
      expect(verdictOf(now, { kind }).verdict, kind).toBe("nothing");
    expect(verdictOf(now, { command: null }).verdict).toBe("nothing");
  });

  it("with more words is approved only for plain ones that lie below", () => {
    const now = armed(rule("show", "approve", { commands: [["cat", "log", "*"]] }));
    for (const rest of ["", " src", " src/a.ts main..next v1.2", " HEAD"])
      expect(verdictOf(now, { command: `cat log${rest}` }).verdict, rest).toBe("approve");
    for (const rest of [
      " -p",
      " --output=x",
      " /etc/passwd",
      " ../x",
      " a/../b",
      " a=b",
      " a:b",
      " @x",
      " +x",
    ])
      expect(verdictOf(now, { command: `cat log${rest}` }).verdict, rest).toBe("nothing");
    expect(verdictOf(now, { command: "cat" }).verdict).toBe("nothing");
  });

  it("is refused before it is left, and left before it is approved", () => {
    const all = [
      STATUS,
      rule("keep", "leave", { commands: [["git", "status"]] }),
      rule("never", "deny", { commands: [["git", "status"]] }),
    ];
    expect(verdictOf(armed(...all)).rule?.name).toBe("never");
    expect(verdictOf(armed(...all.slice(0, 2)))).toMatchObject({ verdict: "leave", rule: { name: "keep" } });
    // Not armed, it refuses nothing, and all the same nothing is approved before it.
    const now = armed(...all);
    expect(verdictOf({ ...now, armed: new Set() })).toMatchObject({ verdict: "deny", isArmed: false });
  });

  it("that only may be what is refused is refused", () => {
    for (const command of [
      "git push --force",
      "/usr/bin/git push origin --force",
      "GIT push --force=x",
      "git -C /x push origin main --force",
      "ls && sudo git push --force",
      "bash -c 'git push --force'",
      "git pu$()sh; git push\t--force",
    ])
      expect(verdictOf(armed(PUSH), { command }), command).toMatchObject({ verdict: "deny" });
    for (const command of ["git push", "echo --force; git push", "git pull --force"])
      expect(verdictOf(armed(PUSH), { command }).verdict, command).toBe("nothing");
    const short = armed(rule("f", "deny", { commands: [["git", "push", "-f"]] }));
    expect(verdictOf(short, { command: "git push -uf x" }).verdict).toBe("deny");
  });

  it("is nobody's to approve while the file has a mistake in a rule that stops", () => {
    const now = { ...armed(STATUS, PUSH), blocksApproval: true };
    expect(verdictOf(now)).toMatchObject({ verdict: "leave", why: expect.stringContaining("mistake") });
    expect(verdictOf(now, { command: "git push --force" }).verdict).toBe("deny");
  });
});

describe("where a rule counts", () => {
  it("an approval needs to know, a refusal does not", () => {
    const here = { commands: [["git", "status"]], cwd: ["/home/dev/project"] };
    const may = armed(rule("a", "approve", here));
    for (const folder of ["/home/dev/project", "/home/dev/project/src"])
      expect(verdictOf(may, { folder }).verdict).toBe("approve");
    for (const folder of [
      null,
      "/home/dev",
      "/home/dev/project2",
      "/home/dev/project/../x",
      "home/dev/project",
      "",
    ])
      expect(verdictOf(may, { folder }).verdict, String(folder)).toBe("nothing");
    const not = armed(rule("d", "deny", here));
    expect(verdictOf(not, { folder: null }).verdict).toBe("deny");
    expect(verdictOf(not, { folder: "/elsewhere" }).verdict).toBe("nothing");
  });

  it("by agent, machine, session, kind and tool", () => {
    const leave = (when: object) => armed(rule("l", "leave", when));
    expect(verdictOf(leave({ agents: ["codex"] })).verdict).toBe("nothing");
    expect(verdictOf(leave({ agents: ["codex", "claude"] })).verdict).toBe("leave");
    expect(verdictOf(leave({ targets: ["vm1"] })).verdict).toBe("nothing");
    expect(verdictOf(leave({ sessions: ["work"] })).verdict).toBe("leave");
    expect(verdictOf(leave({ kinds: ["edit"] })).verdict).toBe("nothing");
    expect(verdictOf(leave({ tools: ["Bash"] })).verdict).toBe("leave");
    expect(verdictOf(leave({ tools: ["Write"] }), { tool: null }).verdict).toBe("nothing");
  });
});

it("rules that tell decide nothing", () => {
  const now = armed(STATUS, rule("n", "notify", { commands: [["git", "*"]] }));
  expect(verdictOf(now)).toMatchObject({ verdict: "approve", notify: [{ name: "n" }] });
});

/** Of four runs, in milliseconds of this thread's own computing; the least of three tries, because other programs share the machine. */
const costOf = (work: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.threadCpuUsage();
      for (let run = 0; run < 4; run += 1) work();
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1_000;
    }),
  );

it("a text of thousands of parts costs about the same, however many rules refuse", () => {
  const refused = Array.from({ length: 100 }, (_, index) => ["git", "push", `--force${index}`]);
  const few = armed(rule("d", "deny", { commands: [["git", "push", "--force"]] }));
  const many = armed(
    rule("d", "deny", { commands: refused }),
    rule("e", "deny", { commands: refused.map(([, ...words]) => ["bin/hg", ...words]) }),
    rule("f", "leave", { commands: refused.map(([, ...words]) => ["sudo", ...words]) }),
  );
  const command = "ls;".repeat(21_000);
  expect(verdictOf(many, { command }).verdict).toBe("nothing");
  const costOfOne = costOf(() => verdictOf(few, { command }));
  // The words alone, read fifty times over.
  const costOfText = costOf(() => Array.from({ length: 50 }, () => command.split(/[;\s]/).length));
  expect(costOfOne).toBeLessThan(costOfText);
  expect(costOf(() => verdictOf(many, { command })) / costOfOne).toBeLessThan(10);
  for (const program of ["/usr/bin/hg", "/opt/BIN/HG"])
    expect(verdictOf(many, { command: `${command}${program} push --force7` }).verdict).toBe("deny");
});

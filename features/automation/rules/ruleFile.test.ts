// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { describe, expect, it } from "vitest";
import { hashOf, notesOf, readRules, watchOf, addRule } from "./ruleFile.ts";

const file = (...rules: unknown[]): string => JSON.stringify({ rules }, null, 1);
const approve = (commands: unknown, more: object = {}) => ({
  name: "a",
  when: { commands, ...more },
  then: "approve",
});
const only = (text: string) => {
  const { rules } = readRules(text);
  const [rule] = rules;
  if (rule === undefined || rules.length !== 1) throw new Error("there is not one rule");
  return rule;
};

describe("a rules file", () => {
  it("is read, with its defaults", () => {
    const read = readRules(file(approve([["git", "status"]]), { name: "b", when: {}, then: "leave" }));
    expect(read.problems).toEqual([]);
    expect(read.blocksApproval).toBe(false);
    expect(read.rules).toEqual([
      { name: "a", when: { commands: [["git", "status"]] }, then: "approve", limit: 20 },
      { name: "b", when: {}, then: "leave", limit: 20 },
    ]);
  });

  it("takes watches, which only tell", () => {
    const watch = {
      name: "w",
      when: { watch: "quiet:10m", cwd: ["/work"] },
      then: "notify",
      channel: "phone",
    };
    const read = readRules(file(watch));
    expect([read.problems, read.rules]).toEqual([[], [{ ...watch, limit: 20 }]]);
    expect(read.rules.map(watchOf)).toEqual([{ kind: "quiet", forMs: 600_000 }]);
  });

  it.each([
    [{ watch: "loud:3m" }, {}, "when.watch", "a watch waits for"],
    [{ watch: "quiet:2d" }, {}, "when.watch", "1s to 1d"],
    [{ watch: "match:(a+)+$" }, {}, "when.watch", "the pattern is refused"],
    [{ watch: `match:${"a".repeat(501)}` }, {}, "when.watch", "500 characters"],
    [{ watch: "gone", commands: [["ls"]] }, {}, "when.commands", "leave this out"],
    [{ watch: "gone", paths: [".env"] }, {}, "when.paths", "leave this out"],
    [{ watch: "gone" }, { then: "leave" }, "then", 'write "notify"'],
    [{ kinds: ["plan"] }, { channel: "phone" }, "channel", "only a rule with a watch"],
  ])("refuses the watch %j with %j, by its place", (when, more, path, says) => {
    const { rules, problems } = readRules(file({ name: "w", when, then: "notify", ...more }));
    expect([rules, problems[0]?.path]).toEqual([[], `rules.0.${path}`]);
    expect(problems[0]?.message).toContain(says);
  });

  it("takes fifty watches and no more, and goes on approving without the rest", () => {
    const watches = Array.from({ length: 52 }, (_, index) => ({
      name: `w${index}`,
      when: { watch: "gone" },
      then: "notify",
    }));
    const read = readRules(file(...watches, approve([["ls"]])));
    expect([read.rules.length, read.problems.length, read.blocksApproval]).toEqual([51, 2, false]);
  });

  it("that is no JSON, or has another form, gives no rule and says where", () => {
    expect(readRules('{\n "rules": [\n')).toMatchObject({
      rules: [],
      blocksApproval: true,
      problems: [{ line: 3 }],
    });
    for (const text of ["[]", "{}", '{"rules":{}}', '{"rules":[],"more":1}', '{"rules":[],"rules":[]}'])
      expect(readRules(text), text).toMatchObject({ rules: [], blocksApproval: true });
  });

  it("keeps the rest in force where one rule is wrong, and names line, key and what to do", () => {
    const text = [
      '{ "rules": [',
      '  { "name": "a", "when": { "commands": [["git", "status"]] }, "then": "approve" },',
      '  { "name": "b", "when": { "commands": [["ls"]], "colour": 1 },',
      '    "then": "approve" }',
      "] }",
    ].join("\n");
    const read = readRules(text);
    expect(read.rules.map(({ name }) => name)).toEqual(["a"]);
    expect(read.problems).toEqual([
      { line: 3, path: "rules.1.when.colour", message: "unknown key", rule: "b" },
    ]);
    expect(read.blocksApproval).toBe(false);
  });

  it.each([
    ["a deny rule", { name: "d", when: { commands: [["git", "push", 1]] }, then: "deny" }],
    ["a leave rule", { name: "d", when: { colour: 1 }, then: "leave" }],
    ["a rule without an end", { name: "d", when: {} }],
    ["no rule", 1],
  ])("approves nothing while %s is wrong", (_name, broken) => {
    const read = readRules(file(approve([["ls"]]), broken));
    expect(read.rules).toHaveLength(1);
    expect(read.blocksApproval).toBe(true);
  });

  it("takes no key twice: the last one would win, and nobody would see it", () => {
    const twice = '{"rules":[{"name":"a","when":{"commands":[["ls"]]},"then":"deny","then":"approve"}]}';
    expect(readRules(twice)).toMatchObject({ rules: [], blocksApproval: true });
    expect(readRules(twice).problems[0]?.message).toContain("twice");
  });

  it("takes no name twice", () => {
    expect(readRules(file(approve([["ls"]]), approve([["pwd2"]]))).problems).toMatchObject([
      { path: "rules.1.name", message: expect.stringContaining("already") },
    ]);
  });
});

describe("a rule that approves is refused", () => {
  it.each([
    ["without commands", { name: "a", when: {}, then: "approve" }],
    ["for kinds", approve([["ls"]], { kinds: ["edit"] })],
    ["for tools", approve([["ls"]], { tools: ["Read"] })],
    ["for other machines", approve([["ls"]], { targets: ["vm1"] })],
    ["with a word that is never understood", approve([["git", "$x"]])],
    ["with an empty word", approve([["git", ""]])],
    ["with a word of the shell", approve([["eval", "x"]])],
    ["with an assignment", approve([["A=b", "git"]])],
    ["with a star that is not the last word", approve([["git", "*", "status"]])],
    ["with a star alone", approve([["*"]])],
    ["with a star behind an option", approve([["git", "-c", "*"]])],
    ["with a star behind a program of many commands", approve([["git", "*"]])],
    ["with a star behind npm", approve([["npm", "*"]])],
    ["with a star behind what runs other programs", approve([["sudo", "ls", "*"]])],
    ["with a star behind a shell", approve([["bash", "*"]])],
    ["with a star behind a path to a shell", approve([["/bin/sh", "*"]])],
    ["with a star behind an option in place of git's command", approve([["git", "-C", "sub", "*"]])],
    ["with a star behind an option in place of npm's", approve([["npm", "--prefix", "web", "*"]])],
    ["with a star behind what npx does by another name", approve([["npm", "exec", "*"]])],
    ["with a star behind pnpm's npx", approve([["pnpm", "dlx", "*"]])],
    ["with a star behind uv run", approve([["uv", "run", "*"]])],
    ["with a star behind bundle exec, with more words", approve([["bundle", "exec", "rake", "*"]])],
    ["with a star behind a program with its version", approve([["python3.12", "*"]])],
    [
      "with a star behind a program in other letters, which a Mac takes for the same",
      approve([["Bash", "*"]]),
    ],
    ["with a star behind xargs", approve([["xargs", "*"]])],
    ["with a star behind find", approve([["find", "*"]])],
    ["with a relative folder", approve([["ls"]], { cwd: ["src"] })],
    ["with a folder that climbs", approve([["ls"]], { cwd: ["/home/dev/../etc"] })],
    ["with a limit that is too high", { ...approve([["ls"]]), limit: 21 }],
    ["with a name that is none", { ...approve([["ls"]]), name: "a b" }],
    ["with a paths key, which no rule has", approve([["ls"]], { paths: ["*"] })],
  ])("%s", (_name, rule) => {
    const { rules, problems } = readRules(file(rule));
    expect(rules).toEqual([]);
    expect(problems).not.toEqual([]);
    for (const { message } of problems) expect(message.length).toBeGreaterThan(10);
  });
});

describe("'*' stands only behind programs that are known to run nothing", () => {
  const isTaken = (...words: string[]): boolean =>
    readRules(file(approve([[...words, "*"]]))).problems.length === 0;

  // Each runs what its words, its settings or the project name.
  const RUNNERS = (
    "tsx ts-node pkexec taskset java runuser setpriv capsh chrt numactl cpulimit prlimit firejail bwrap proot fakeroot faketime " +
    "unbuffer dbus-run-session xvfb-run systemd-inhibit at batch entr watchexec nodemon foreman overmind hyperfine perf valgrind " +
    "rr gdbserver lldb-server dtrace bpftrace ld.so qemu-x86_64 wine mono scala kotlin groovy clojure lein julia Rscript R octave " +
    "ghci runghc stack cabal ocaml dune erl elixir iex tclsh wish guile racket sbcl emacsclient code gvim ex rvim pico nano m4 " +
    "sqlite3 psql mysql gnuplot bc dc make ninja cmake cargo go npm git hg svn uniq xxd egrep zgrep diff rg tee cp mv ln install dd " +
    "curl wget socat nc openssl gpg ffmpeg convert pdflatex latexmk unzip cpio rpm dpkg pip sudo env xargs find sh busybox"
  ).split(" ");
  it("not behind others", () => {
    expect(RUNNERS.filter((name) => isTaken(name))).toEqual([]);
    expect(RUNNERS.filter((name) => isTaken(name, "sub"))).toEqual([]);
  });

  it("not behind what only looks like one of them", () => {
    for (const name of [
      "./ls",
      "bin/cat",
      "/tmp/cat",
      "/opt/x/grep",
      "LS",
      "ls2",
      "/usr/bin/../tmp/ls",
      "lsof",
    ])
      expect(isTaken(name), name).toBe(false);
    expect(isTaken("grep", "-f")).toBe(false);
  });

  it("as behind ls", () => {
    for (const words of [
      ["ls"],
      ["/usr/bin/ls"],
      ["cat", "docs"],
      ["grep", "-rn", "x"],
      ["touch"],
      ["wc", "-l", "a"],
    ])
      expect(isTaken(...words), words.join(" ")).toBe(true);
  });
});

it("a rule that refuses names what it refuses", () => {
  expect(readRules(file({ name: "d", when: {}, then: "deny" })).rules).toEqual([]);
  expect(
    readRules(file({ name: "d", when: { commands: [["sudo", "*"]] }, then: "deny" })).rules,
  ).toHaveLength(1);
});

describe("the hash by which a rule is armed", () => {
  const deny = (name: string) => ({ name, when: { commands: [["git", "push"]] }, then: "deny" });
  const hash = (...rules: unknown[]): string => {
    const read = readRules(file(...rules)).rules;
    const rule = read.find(({ name }) => name === "a");
    if (rule === undefined) throw new Error("no rule");
    return hashOf(rule, read);
  };
  const base = approve([["ls"]]);

  it("is another one after any change of the rule", () => {
    const hashes = [
      hash(base),
      hash(approve([["ls", "-l"]])),
      hash(approve([["ls", "-l"], ["pwd2"]])),
      hash(approve([["ls"]], { cwd: ["/home/dev"] })),
      hash(approve([["ls"]], { agents: ["claude"] })),
      hash({ ...base, limit: 5 }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it("is another one when a rule that goes before it is changed or taken away", () => {
    expect(new Set([hash(base), hash(base, deny("d")), hash(base, deny("e"))]).size).toBe(3);
    expect(hash(base, deny("d"), deny("e"))).toBe(hash(deny("e"), base, deny("d")));
  });

  it("is the same however the file is written, and whatever other rules approve", () => {
    const other = { ...approve([["tsc", "-b"]]), name: "b" };
    const turned = { then: "approve", when: { commands: [["ls"]] }, name: "a", limit: 20 };
    expect(hash(base, other)).toBe(hash(turned));
  });
});

describe("a rule about paths", () => {
  const withPaths = (paths: unknown, then = "leave") => readRules(file({ name: "p", when: { paths }, then }));

  it("refuses, leaves or tells", () => {
    for (const then of ["deny", "leave", "notify"]) expect(withPaths([".env"], then).problems).toEqual([]);
  });

  it("never approves, and blocks approvals where it is wrong", () => {
    const read = readRules(file(approve([["ls"]], { paths: [".env"] })));
    expect(read.problems[0]).toMatchObject({
      path: "rules.0.when.paths",
      message: expect.stringContaining("only stop something"),
    });
    for (const paths of [[], ["a**"], ["../x"], [1], ".env"])
      expect(withPaths(paths), JSON.stringify(paths)).toMatchObject({ rules: [], blocksApproval: true });
  });
});

it("notes say what a rule lets run", () => {
  const SETTINGS = { conflicts: false, pull_requests: false };
  const notes = (words: string[]) => notesOf(only(file(approve([words]))), SETTINGS).join(" ");
  expect(notes(["npm", "test"])).toContain("npm test runs what the project says");
  expect(notes(["git", "status"])).toContain("git status may run programs that the repository names");
  expect(notes(["sudo", "ls"])).toContain("sudo ls runs another program");
  expect(notes(["tsx", "x.ts"])).toContain("agtmux doesn't know tsx");
  expect(notes(["ls", "-l"])).toBe("");
});

const RULE = { name: "look", when: { commands: [["git", "status"]] }, then: "approve" };
const NEW = JSON.stringify(RULE, null, 2);
const added = (text: string | null, rule = NEW): string => {
  const done = addRule(text, rule);
  if ("problem" in done) throw new Error(done.problem);
  return done.text;
};
const problem = (text: string | null, rule = NEW): string => {
  const done = addRule(text, rule);
  return "problem" in done ? done.problem : "none";
};

describe("a rule that is added", () => {
  it("makes the file where there is none", () => {
    expect(readRules(added(null)).rules.map(({ name }) => name)).toEqual(["look"]);
    expect(added(null)).toContain('\n    {\n      "name": "look"');
  });

  it("stands behind the others, which stay byte for byte", () => {
    const before = '{ "rules": [\n\t{"name":"a",   "when":{}, "then":"leave"} ]\n}';
    const after = added(before);
    expect(after.startsWith(before.slice(0, before.indexOf(" ]")))).toBe(true);
    expect(readRules(after).rules.map(({ name }) => name)).toEqual(["a", "look"]);
    expect(after).toContain('\n\t{\n\t  "name": "look"');
  });

  it.each([
    ["a file that is not JSON", "{", NEW, "mistake in line 1"],
    ["a file in which one rule is wrong", '{"rules":[{"name":"b"}]}', NEW, "mistake in line 1"],
    ["a name that is taken", JSON.stringify({ rules: [RULE] }), NEW, "already called 'look'"],
    ["no rule", null, '{"name":"x"}', "this isn't a rule"],
    ["two rules", null, `${NEW},${NEW.replace("look", "more")}`, "this is not one rule"],
    ["what closes the list and adds to the file", null, `${NEW}], "more": [${NEW}`, "this isn't a rule"],
    ["nothing", null, "", "this is not one rule"],
  ])("is refused for %s", (_name, text, rule, why) => {
    expect(problem(text, rule)).toContain(why);
  });

  it("is refused where the file would hold too many", () => {
    const rules = Array.from({ length: 200 }, (_, index) => ({ ...RULE, name: `r${index}` }));
    expect(problem(JSON.stringify({ rules }))).not.toBe("none");
  });
});

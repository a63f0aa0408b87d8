import { mkdtempSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { Screen } from "../../core/ports/agentAdapter.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createClaudeAdapter } from "../claude/index.ts";
import { FOREIGN_TREES } from "../testkit/foreignTrees.ts";
import { createFileAdapter, patchAdapter } from "./createAdapter.ts";
import { createAdapterSource, type OwnedAdapterSource, readAdapterFile } from "./createAdapterSource.ts";
import { createDeadline, findPatternProblem, PatternTimeout } from "../../core/pattern/pattern.ts";
import { adapterJsonSchema, isPatch, type AgentFile } from "./schema.ts";

const resource = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../resources/${path}`, import.meta.url)), "utf8");
const EXAMPLE = resource("adapters/example.json");
const deadline = createDeadline();

const screen = (text: string, title = ""): Screen => ({
  lines: text.split("\n"),
  title,
  isAlternate: false,
  width: 100,
  height: 30,
});
const agentFile = (text: string): AgentFile => {
  const { content, problems } = readAdapterFile("x.json", text, deadline);
  if (content === null || isPatch(content)) throw new Error(JSON.stringify(problems));
  return content;
};
const minimal = (more: object = {}): string =>
  JSON.stringify(
    { agent_type: "mine", display_name: "Mine", process: { names: ["mine"] }, ...more },
    null,
    2,
  );
const adapterOf = (text: string) =>
  createFileAdapter(agentFile(text), { name: "x.json", deadline, logger: SILENT_LOGGER });
const problemsOf = (text: string) => readAdapterFile("x.json", text, deadline).problems;

describe("the shipped files", () => {
  it("hold the schema that the code enforces", () => {
    expect(JSON.parse(resource("schemas/adapter.schema.json"))).toEqual(
      JSON.parse(JSON.stringify({ $comment: "Made by scripts/makeSchemas.mjs", ...adapterJsonSchema() })),
    );
  });

  it("hold an example that reads its agent's screens", () => {
    const adapter = adapterOf(EXAMPLE);
    const read = (text: string) => {
      const found = adapter.readScreen(screen(text));
      return found === null ? null : `${found.status.state}/${found.status.reasonCode}`;
    };
    expect(read("npm test\nRun shell command? (Y)es/(N)o/(D)on't ask again [Yes]: ")).toBe(
      "waiting_approval/permission_tool",
    );
    expect(read("src/a.ts\nAdd file to the chat? (Y)es/(N)o/(D)on't ask again [Yes]:")).toBe(
      "waiting_approval/permission_edit",
    );
    expect(read("> do it\n\n░█ Waiting for some-model")).toBe("running/thinking");
    expect(read("Tokens: 2.1k sent, 90 received.\n────\n> ")).toBe("completed/turn_ended");
    expect(read("Aider v0\n────\n> ")).toBe("idle/fresh");
    expect(read("some text that nobody knows")).toBeNull();
    expect(read("Run shell command? (Y)es/(N)o [Yes]: \nnpm test\n\n\n\n\n\nmore output")).toBeNull();
  });

  it("are documented by an example that is valid", () => {
    const page = readFileSync(fileURLToPath(new URL("../../docs/adapters.md", import.meta.url)), "utf8");
    const block = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    expect(problemsOf(block)).toEqual([]);
    expect(
      adapterOf(block).readScreen(screen("make\nRun shell command? (Y)es/(N)o [Yes]:"))?.request?.body,
    ).toBe("make");
  });

  it("hold an example that claims no other agent's process", () => {
    const adapter = adapterOf(EXAMPLE);
    expect(FOREIGN_TREES.filter((tree) => adapter.identify(tree.processes) !== null)).toEqual([]);
  });
});

describe("screen rules", () => {
  it("extract what is asked: groups for title and body, options with their keys", () => {
    const adapter = adapterOf(
      minimal({
        screens: [
          {
            pattern: "^Do (?<title>.*)\\?\\n(?<body>.*)$",
            state: "waiting_input",
            request: { kind: "question", options: "^\\s?(?<key>\\d)\\) (?<label>.*)$" },
          },
        ],
      }),
    );
    expect(adapter.readScreen(screen("Do this?\nthe body\n 1) Yes\n 2) No\n\n"))?.request).toEqual({
      kind: "question",
      title: "this",
      body: "the body",
      toolName: null,
      options: [
        { label: "Yes", keys: ["1"], role: null },
        { label: "No", keys: ["2"], role: null },
      ],
      expiresAt: null,
    });
  });

  describe("that say that they take all that is asked", () => {
    const rule = (more: object) => ({
      pattern: "^Command:\\n(?<body>[\\s\\S]*?)\\n(?<title>Run it\\?)$",
      state: "waiting_approval",
      request: { kind: "command", whole: true, ...more },
    });
    const keys = { approve: ["y"], deny: ["n"] };
    const read = (text: string, more: object = {}) =>
      adapterOf(minimal({ screens: [{ ...rule(more), lines: 5 }], keys })).readScreen(screen(text));
    const DIALOG = "Command:\n  rm -rf build \nRun it?";

    it("give it to the letter, and the row in which it begins", () => {
      const reading = read(`some text\n\n${DIALOG}\n\n`);
      expect(reading?.dialogTop).toBe(2);
      expect(reading?.request).toMatchObject({ title: "Run it?", body: "  rm -rf build", isWhole: true });
    });

    it("do not where they do not say so, take no body, or do not see what is above", () => {
      const unsaid = read(DIALOG, { whole: false });
      expect([unsaid?.request?.isWhole, unsaid?.request?.body, unsaid?.dialogTop]).toEqual([
        undefined,
        "rm -rf build",
        0,
      ]);
      const bare = minimal({ screens: [{ ...rule({}), pattern: "^Run it\\?$" }], keys });
      expect(adapterOf(bare).readScreen(screen(DIALOG))?.request?.isWhole).toBeUndefined();
      expect(read(`${"x\n".repeat(120)}${DIALOG}`)?.request?.isWhole).toBeUndefined();
      expect(read(`${"x".repeat(401)}\n${DIALOG}`)?.request?.isWhole).toBeUndefined();
    });

    it("do not where the dialog begins further up and its text looks like one", () => {
      const quoted = read(`Command:\nrm -rf ~\n\n\n${DIALOG}`);
      expect(quoted?.request?.body).toBe("rm -rf build");
      expect(quoted?.request?.isWhole).toBeUndefined();
    });

    it("are refused for edits and trust", () => {
      for (const kind of ["edit", "trust"])
        expect(problemsOf(minimal({ screens: [rule({ kind })] })).map(({ message }) => message)).toEqual([
          "edits and trust requests are never shown in full",
        ]);
    });
  });

  it("offer the file's own keys where the screen shows no options", () => {
    const request = adapterOf(EXAMPLE).readScreen(
      screen("npm test\nRun shell command? (Y)es/(N)o [Yes]:"),
    )?.request;
    expect([request?.body, request?.options]).toEqual([
      "npm test",
      [
        { label: "Approve", keys: ["y", "Enter"], role: "approve" },
        { label: "Deny", keys: ["n", "Enter"], role: "deny" },
      ],
    ]);
  });

  it("count only at the bottom, in order, and not where `not` matches", () => {
    const adapter = adapterOf(
      minimal({
        screens: [
          { pattern: "^busy$", not: "^stopped$", lines: 2, state: "running" },
          { name: "second", pattern: "^(busy|ready)$", lines: 1, state: "idle" },
        ],
        titles: [{ pattern: "^✳ ", state: "running", reason: "tool" }],
      }),
    );
    const rules = (text: string, title = "") =>
      adapter.traceScreen?.(screen(text, title)).map(({ rule, reading }) => [rule, reading.status.state]);
    expect(rules("busy")).toEqual([
      ["screens.0", "running"],
      ["second", "idle"],
    ]);
    expect(rules("busy\nstopped")).toEqual([]);
    expect(rules("busy\na\nb")).toEqual([]);
    expect(rules("x", "✳ at work")).toEqual([["titles.0", "running"]]);
  });

  it("are given up, once and for all, when they take too long", () => {
    const gaveUp: string[] = [];
    const limits: number[] = [];
    // Ambiguous in a way that no probe of one repeated character shows.
    const file = agentFile(minimal({ screens: [{ pattern: "^mine$", state: "idle" }] }));
    const [rule] = file.screens;
    if (rule === undefined) throw new Error("no rule");
    const adapter = createFileAdapter(
      { ...file, screens: [{ ...rule, pattern: "^(ab|a|b|ba)*$" }] },
      {
        name: "slow.json",
        deadline: {
          run: (limitMs, work) => {
            limits.push(limitMs);
            return deadline.run(limitMs, work);
          },
        },
        logger: { ...SILENT_LOGGER, warn: (fields) => gaveUp.push(String(fields["file"])) },
      },
    );
    const hostile = screen(`${"ab".repeat(150)}!`);
    expect(adapter.health?.()).toEqual({ status: "ok" });
    for (let index = 0; index < 5; index += 1) expect(adapter.readScreen(hostile)).toBeNull();
    expect(gaveUp).toEqual(["slow.json"]);
    expect(adapter.health?.()).toEqual({
      status: "degraded",
      reason: "the rules of slow.json were too slow and are not tried until the file changes",
    });
    // As docs/adapters.md says.
    expect(new Set(limits)).toEqual(new Set([100]));
    const tries = limits.length;
    expect(adapter.readScreen(screen("abba"))).toBeNull();
    expect(limits).toHaveLength(tries);
  });
});

describe("identification", () => {
  const processes = (...commands: [string, string][]): ProcessInfo[] =>
    [["bash", "bash"], ...commands].map(([comm = "", args = ""], index) => ({
      pid: index + 1,
      ppid: index,
      comm,
      args,
      startedAt: 0,
    }));
  const identify = (process: object, ...commands: [string, string][]) =>
    adapterOf(minimal({ process })).identify(processes(...commands));

  it.each<[string, object, [string, string], "high" | "medium" | null]>([
    ["a program's name", { names: ["mine"] }, ["mine", "/usr/bin/mine --x"], "medium"],
    [
      "a script of an interpreter",
      { names: ["mine"] },
      ["python3", "/usr/bin/python3 /opt/bin/mine"],
      "medium",
    ],
    [
      "arguments of an interpreter",
      { arguments: ["/mine/cli\\.js"] },
      ["node", "node /opt/mine/cli.js"],
      "medium",
    ],
    ["two signs", { names: ["pi"], second_sign: ["--agent"] }, ["pi", "pi --agent"], "high"],
    ["a missing second sign", { names: ["pi"], second_sign: ["--agent"] }, ["pi", "pi 3.14"], null],
    ["an excluded verb", { names: ["mine"], exclude: [" serve\\b"] }, ["mine", "mine serve"], null],
    ["an editor on a file of that name", { names: ["mine"] }, ["vim", "vim mine"], null],
    ["a shell that mentions it", { arguments: ["mine"] }, ["bash", "bash -c mine"], null],
  ])("by %s", (_what, process, command, confidence) => {
    expect(identify(process, command)?.confidence ?? null).toBe(confidence);
  });

  it("finds an agent that the pane itself was started with", () => {
    const [, agent] = processes(["mine", "mine"]);
    expect(adapterOf(minimal()).identify(agent === undefined ? [] : [agent])?.process.comm).toBe("mine");
  });

  it("tries patterns only where a program runs scripts, or has the agent's name", () => {
    let tries = 0;
    const counting = {
      run: <T>(limitMs: number, work: () => T): T => {
        tries += 1;
        return deadline.run(limitMs, work);
      },
    };
    const adapter = createFileAdapter(agentFile(minimal({ process: { arguments: ["mine"] } })), {
      name: "x.json",
      deadline: counting,
      logger: SILENT_LOGGER,
    });
    expect([adapter.identify(processes(["vim", "vim mine"])), tries]).toEqual([null, 0]);
    expect([adapter.identify(processes(["node", "node mine.js"]))?.process.comm, tries]).toEqual(["node", 1]);
  });
});

describe("problems", () => {
  it.each([
    ["text that is no JSON", '{\n  "agent_type": "x",\n}', 3, ""],
    ["an unknown key", minimal({ sceens: [] }), 9, "sceens"],
    ["a state that is none", minimal({ titles: [{ pattern: "x", state: "busy" }] }), 12, "titles.0.state"],
    [
      "a reason of another state",
      minimal({ titles: [{ pattern: "x", state: "idle", reason: "tool" }] }),
      13,
      "titles.0.reason",
    ],
    ["a missing key", JSON.stringify({ agent_type: "x", process: { names: ["x"] } }), 1, "display_name"],
    ["no sign of the process", minimal({ process: {} }), 4, "process.names"],
    ["a broken pattern", minimal({ titles: [{ pattern: "(", state: "idle" }] }), 11, "titles.0.pattern"],
    [
      "a nested repetition",
      minimal({ screens: [{ pattern: "(a+)+$", state: "idle" }] }),
      11,
      "screens.0.pattern",
    ],
  ])("name the line of %s", (_what, text, line, path) => {
    expect(problemsOf(text).map((problem) => [problem.line, problem.path])).toEqual([[line, path]]);
  });

  it("are found in patterns whose parts can match the same text", () => {
    expect(findPatternProblem("(a|a)*$", deadline)).toMatch(/too long/);
    expect(findPatternProblem("^❯ (?<n>\\d)\\. (?<label>.*)$", deadline)).toBeNull();
  });
});

describe("a file full of slow patterns", () => {
  it("is refused once the first of them have taken too long", () => {
    const rule = { pattern: "(a|a)*$", state: "idle" };
    const problems = problemsOf(minimal({ titles: Array.from({ length: 50 }, () => rule) }));
    expect(problems.at(-1)?.message).toMatch(/was not checked/);
    expect(problems.length).toBeLessThan(20);
  });
});

describe("the deadline", () => {
  it("ends a match that would never end", () => {
    expect(() => deadline.run(30, () => /^(a+)+$/.test(`${"a".repeat(60)}b`))).toThrow(PatternTimeout);
    expect(deadline.run(1_000, () => 7)).toBe(7);
  });
  it("counts what this thread computes, not the time for which it has to wait for the processor", () => {
    const nobody = new Int32Array(new SharedArrayBuffer(4));
    expect(deadline.run(10, () => Atomics.wait(nobody, 0, 0, 60))).toBe("timed-out");
  });
  it("hands on what the work throws", () => {
    expect(() =>
      deadline.run(1_000, () => {
        throw new RangeError("mine");
      }),
    ).toThrow(RangeError);
  });
});

describe("the source", () => {
  const opened: OwnedAdapterSource[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const source of opened.splice(0)) await source.close();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  const open = async () => {
    const dir = join(mkdtempSync(join(tmpdir(), "agtmux-adapters-")), "adapters");
    folders.push(join(dir, ".."));
    const timers: (() => void)[] = [];
    const source = await createAdapterSource({
      dir,
      builtIn: [createClaudeAdapter()],
      clock: {
        now: () => 0,
        setTimer: (_ms, work) => {
          timers.push(work);
          return () => {};
        },
      },
      logger: SILENT_LOGGER,
    });
    opened.push(source);
    return { dir, source, timers };
  };
  const types = (source: OwnedAdapterSource) => source.list().map(({ agentType }) => agentType);

  it("follows files while it is open, tells of changes, and keeps the good ones beside a bad one", async () => {
    const { dir, source } = await open();
    const changed = new Promise<void>((resolve) => source.files.onChange(resolve));
    expect(types(source)).toEqual(["claude"]);
    await writeFile(join(dir, "mine.json"), minimal());
    await changed;
    await source.refresh();
    expect(types(source)).toEqual(["claude", "mine"]);

    await writeFile(join(dir, "bad.json"), "{");
    await source.refresh();
    expect(types(source)).toEqual(["claude", "mine"]);
    expect(source.files.problems()).toEqual([
      { file: "bad.json", line: 1, path: "", message: "this is not JSON" },
    ]);

    await rm(join(dir, "mine.json"));
    await rm(join(dir, "bad.json"));
    await source.refresh();
    expect([types(source), source.files.problems()]).toEqual([["claude"], []]);
  });

  it("finds what its watch missed, as in a folder that was made again, by looking from time to time", async () => {
    const { dir, source, timers } = await open();
    await rm(dir, { recursive: true });
    await source.refresh();
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, "mine.json"), minimal());
    const changed = new Promise<void>((resolve) => source.files.onChange(resolve));
    expect(timers).toHaveLength(1);
    timers[0]?.();
    await changed;
    expect(types(source)).toEqual(["claude", "mine"]);
    await expect.poll(() => timers.length).toBe(2);
  });

  it("watches nothing once it is closed", async () => {
    const watching = () => process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap").length;
    const before = watching();
    const { source } = await open();
    expect(watching()).toBe(before + 1);
    await source.close();
    await expect.poll(watching).toBe(before);
  });

  it("puts a file's rules before those of the built-in agent that it extends", async () => {
    const { dir, source } = await open();
    const patch = {
      extends: "claude",
      version: "2.0.0",
      screens: [{ pattern: "^BUSY$", state: "running", reason: "tool" }],
    };
    await writeFile(join(dir, "claude-more.json"), JSON.stringify(patch));
    await source.refresh();
    const adapter = source.byAgentType("claude");
    expect(adapter?.readScreen(screen("BUSY"))?.status.reasonCode).toBe("tool");
    expect(adapter?.readScreen(screen("nothing"))).toEqual(
      createClaudeAdapter().readScreen(screen("nothing")),
    );
    expect(adapter?.version).toBe(`${createClaudeAdapter().version}+2.0.0`);
    expect(source.files.originOf("claude")).toEqual({ kind: "patched", files: ["claude-more.json"] });
  });

  it("tells of every file of an agent whose rules were given up, and of what the built-in adapter says", async () => {
    const { content } = readAdapterFile(
      "x.json",
      JSON.stringify({ extends: "claude", screens: [{ pattern: "^mine$", state: "idle" }] }),
      deadline,
    );
    if (content === null || !isPatch(content)) throw new Error("no patch");
    // Ambiguous in a way that reading the file would have found.
    const slow = {
      ...content,
      screens: content.screens.map((rule) => ({ ...rule, pattern: "^(ab|a|b|ba)*$" })),
    };
    const context = (name: string) => ({ name, deadline, logger: SILENT_LOGGER });
    const ill = {
      ...createClaudeAdapter(),
      health: () => ({ status: "degraded", reason: "it is ill" }) as const,
    };
    const both = patchAdapter(patchAdapter(ill, slow, context("one.json")), slow, context("two.json"));
    expect(both.health?.()).toEqual({ status: "degraded", reason: "it is ill" });
    for (let index = 0; index < 3; index += 1) both.readScreen(screen(`${"ab".repeat(150)}!`));
    expect(both.health?.()).toEqual({
      status: "degraded",
      reason: expect.stringMatching(/^the rules of two\.json .*; the rules of one\.json .*; it is ill$/),
    });
  });

  it("refuses a type that is taken and an extension of nothing", async () => {
    const { dir, source } = await open();
    await writeFile(join(dir, "a.json"), minimal({ agent_type: "claude" }));
    await writeFile(join(dir, "b.json"), JSON.stringify({ extends: "nobody" }));
    await source.refresh();
    expect(source.files.problems().map(({ file, path }) => [file, path])).toEqual([
      ["a.json", "agent_type"],
      ["b.json", "extends"],
    ]);
    expect(types(source)).toEqual(["claude"]);
  });
});

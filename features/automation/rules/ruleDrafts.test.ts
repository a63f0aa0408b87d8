// Rules that are made of what an agent asks: their text, whatever stands in it, and how they come into the file.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { DEFAULT_CONFIG } from "../../../core/model/config.ts";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useStore } from "../../../test/factories/store.ts";
import type { ToldRequest } from "../../../core/model/request.ts";
import { visibleText } from "../../../core/model/words.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import type { DurableStore } from "../../../core/store/durableStore.ts";
import { createLocalFiles } from "../../../core/targets/executors/localExecutor.ts";
import { draftRule, draftText, hashOf, readRules } from "./ruleFile.ts";
import { createRuleService } from "../ruleService.ts";
import { RuleSet } from "./ruleSet.ts";

const SECRET = "sk-secret";
const ANYWHERE = { folder: null, agent: null };
const STATUS = { name: "status", when: { commands: [["git", "status"]] }, then: "approve" };

let root: string;
let path: string;
let store: DurableStore;
let asked: ToldRequest | null;
let ruleSet: RuleSet;
let service: ReturnType<typeof createRuleService>;
let records: string[];

useStore(
  () => 5_000,
  (opened, folder) => ([store, root] = [opened, folder]),
);
beforeEach(() => {
  path = join(root, "rules.json");
  records = [];
  asked = {
    runtimeId: "rt1",
    stateVersion: 1,
    fingerprint: "fp1",
    kind: "command",
    toolName: "Bash",
    command: "git status",
    folder: "/home/dev",
    file: null,
    doubt: null,
  };
  const context = {
    jobs: store,
    rules: store,
    requests: { find: () => asked },
    target: () => ({ files: createLocalFiles() }),
    record: ({ action, ref }: { action: string; ref: string }) => records.push(`${action} ${ref}`),
    homePath: root,
    env: { HOME: "/home/me" },
    uid: process.getuid?.() ?? 0,
    redact: (text: string) => text.replaceAll(SECRET, "‹secret›"),
    config: () => DEFAULT_CONFIG,
    clock: { now: () => 5_000 },
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  ruleSet = new RuleSet(context, () => {});
  service = createRuleService({ context, ruleSet, onChange: () => {} });
});
afterEach(() => {
  ruleSet.close();
});

const write = (...rules: unknown[]): void => writeFileSync(path, JSON.stringify({ rules }), { mode: 0o600 });
const arm = async (): Promise<void> => {
  await ruleSet.reload();
  const { rules } = ruleSet.current;
  for (const rule of rules)
    store.armRule({ hash: hashOf(rule, rules), rule: rule.name, at: 1, surface: "cli" });
};
const draft = (verdict: "approve" | "deny" | "leave" = "approve", fingerprint: string | null = "fp1") =>
  service.ruleDraft({ runtimeId: "rt1", fingerprint, verdict, agent: null });
const add = (text: string) => service.ruleAdd({ text, surface: "popover" });
const ask = (change: Partial<ToldRequest>): void => {
  if (asked !== null) asked = { ...asked, ...change };
};

describe("a drafted rule", () => {
  it("names just these words, in just this folder, and is one that the file takes", () => {
    const drafted = draftRule(
      ["git", "log", "--format=%h"],
      { folder: "/home/dev/project", agent: null },
      "approve",
    );
    expect(drafted).toEqual({
      name: "git-log-format-h",
      when: { commands: [["git", "log", "--format=%h"]], cwd: ["/home/dev/project"] },
      then: "approve",
      limit: 20,
    });
    expect(readRules(JSON.stringify({ rules: [drafted] })).problems).toEqual([]);
    expect(draftRule(["./x", "-"], ANYWHERE, "deny")).toMatchObject({
      name: "x",
      when: { commands: [["./x", "-"]] },
    });
  });

  it("is none where no rule can be", () => {
    expect(draftRule(["ls"], { folder: "/w", agent: "claude" }, "approve")?.when).toEqual({
      commands: [["ls"]],
      agents: ["claude"],
      cwd: ["/w"],
    });
    expect(draftRule(["ls"], { folder: "work", agent: null }, "approve")).toBeNull();
    expect(draftRule([], ANYWHERE, "deny")).toBeNull();
  });

  it("has a name of its own, however long and odd its words are", () => {
    const taken = new Set<string>();
    for (const words of [["ls"], ["ls"], ["ls"], ["_", "/"], ["x".repeat(60)], ["x".repeat(60)]]) {
      const rule = draftRule(words, ANYWHERE, "deny", taken);
      expect(rule?.name, words.join(" ")).toMatch(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/);
      taken.add(rule?.name ?? "");
    }
    expect([...taken].slice(0, 4)).toEqual(["ls", "ls-2", "ls-3", "rule"]);
    expect(taken.size).toBe(6);
  });

  it.each(["\u202E/txt", "\u009B2J", "\u2028", "\u200B", "\u{E0041}", "⟨U+202E⟩", "\t\u001B[2J", '"}]}'])(
    "shows all that stands in it, and means what it shows (%#)",
    (odd) => {
      const folder = `/home/dev/${odd}/ü`;
      const rule = draftRule(["ls"], { folder, agent: null }, "approve");
      if (rule === null) throw new Error("no rule");
      const text = draftText(rule);
      expect(visibleText(text)).toBe(text);
      expect(text).not.toContain("⟨");
      expect(readRules(`{"rules":[${text}]}`).rules[0]?.when.cwd).toEqual([folder]);
    },
  );

  it("keeps letters that everybody sees", () => {
    const rule = draftRule(["ls"], { folder: "/home/dev/Zürich", agent: null }, "approve");
    expect(rule === null ? "" : draftText(rule)).toContain("/home/dev/Zürich");
  });
});

describe("a rule about what is asked", () => {
  it("says what to know before it is put into the file", async () => {
    write({ ...STATUS, when: { commands: [["git", "diff"]] } });
    await arm();
    expect((await draft("approve")).notes.join()).toContain("programs that the repository names");
    expect((await draft("deny")).notes).toEqual(["adding it turns these back into dry runs: status"]);
    ask({ command: "ls", folder: null, doubt: "its dialog is not on the screen" });
    expect((await draft("approve")).notes).toEqual([
      "can't tell which folder this runs in, so the rule applies in every folder",
      "as asked now, it would come to you: its dialog is not on the screen",
    ]);
  });

  it.each([
    ["what was shown is not asked any more", {}, "fp0", "asks something else now"],
    ["it is several commands", { command: "git status; rm -rf /" }, "fp1", "simple commands"],
    ["a secret is in the command", { command: `curl ${SECRET}` }, "fp1", "contains a secret"],
    ["a secret is in the folder", { folder: `/home/dev/${SECRET}` }, "fp1", "contains a secret"],
    ["it isn't about a command", { command: null }, "fp1", "simple commands"],
  ])("is refused where %s", async (_name, change, fingerprint, why) => {
    ask(change);
    await expect(draft("approve", fingerprint)).rejects.toThrow(why);
  });

  it("is refused where nothing is asked", async () => {
    asked = null;
    await expect(draft()).rejects.toThrow("asks nothing now");
  });
});

describe("a rule that is added", () => {
  it("comes into a file of the person's own, in shadow", async () => {
    const { text } = await draft();
    expect(await add(text)).toMatchObject({ name: "git-status", mode: "shadow", then: "approve" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(records).toEqual(["rule-add rule:git-status"]);
    // The same once more gets a name of its own, and the text that was shown first is refused.
    expect((await draft()).rule["name"]).toBe("git-status-2");
    await expect(add(text)).rejects.toThrow("already called 'git-status'; nothing was added");
  });

  it("is in shadow even if just this text was armed before and taken out of the file", async () => {
    const { text } = await draft();
    writeFileSync(path, `{ "rules": [${text}] }`, { mode: 0o600 });
    await arm();
    writeFileSync(path, '{ "rules": [] }');
    expect(await add(text)).toMatchObject({ mode: "shadow", armed_at: null });
    expect(store.listArmedRules()).toEqual([]);
  });

  it("puts armed approvals into shadow where it refuses, as any other change does", async () => {
    write({ ...STATUS, when: { commands: [["ls"]] } });
    await arm();
    await add((await draft("deny")).text);
    const { items } = await service.rules();
    expect(items.map(({ name, mode }) => [name, mode])).toEqual([
      ["status", "shadow"],
      ["git-status", "shadow"],
    ]);
  });

  it.each([
    ["is not JSON", "{", 0o600, "mistake in line 1"],
    ["others can write to", '{"rules":[]}', 0o666, "others can write to the file"],
  ])("is refused for a file that %s, which stays as it is", async (_name, content, mode, why) => {
    writeFileSync(path, content);
    chmodSync(path, mode);
    await expect(add(JSON.stringify(STATUS))).rejects.toThrow(why);
    expect(readFileSync(path, "utf8")).toBe(content);
    expect(records).toEqual([]);
  });

  it("adds both of two that come at once", async () => {
    await Promise.all(["a", "b"].map((name) => add(JSON.stringify({ ...STATUS, name }))));
    expect(ruleSet.current.rules.map(({ name }) => name)).toEqual(["a", "b"]);
  });
});

it("each rule says what it did last", async () => {
  write(STATUS, { ...STATUS, name: "other" });
  await ruleSet.reload();
  const { rules } = ruleSet.current;
  const [status, other] = rules.map((rule) => hashOf(rule, rules));
  const run = { runtimeId: "rt1", ref: "pane:x", fingerprint: "f", actionId: null, command: "git status" };
  const said = { ...run, outcome: "in shadow", verdict: "would_approve" as const };
  store.insertRuleRun({ ...said, rule: "status", hash: status ?? "", at: 1_000 });
  for (let at = 2_000; at < 2_200; at += 1)
    store.insertRuleRun({ ...said, rule: "other", hash: other ?? "", at });
  const { items } = await service.rules();
  expect(items.map(({ last }) => Date.parse(last?.at ?? ""))).toEqual([1_000, 2_199]);
});

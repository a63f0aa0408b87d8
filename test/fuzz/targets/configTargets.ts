// Files that people write: JSON with its places, config.json, and adapter files with their patterns.
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { createClaudeAdapter } from "../../../adapters/claude/index.ts";
import { createFileAdapter, patchAdapter } from "../../../adapters/declarative/createAdapter.ts";
import { readAdapterFile } from "../../../adapters/declarative/createAdapterSource.ts";
import { isPatch } from "../../../adapters/declarative/schema.ts";
import { createAdapterRegistry } from "../../../adapters/index.ts";
import { EVENT_SCRIPT } from "../../../adapters/testkit/memoryFiles.ts";
import { parseConfig } from "../../../core/config/configFile.ts";
import { configProblems, configSchema, editConfig, isOfChannel } from "../../../core/model/config.ts";
import { type JsonNode, JsonSyntaxError, parseJsonTree } from "../../../core/model/jsonTree.ts";
import { createDeadline } from "../../../core/pattern/pattern.ts";
import type { Integration, IntegrationChange, IntegrationRequest } from "../../../core/ports/agentAdapter.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import { hold, orRefused, orRefusedLater } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson } from "../mutateJson.ts";
import { hostileText, mutatedText } from "../mutateText.ts";
import { frameSeeds } from "../seeds.ts";
import { stubFiles } from "../stubs.ts";
import { checkReading } from "./tmuxTargets.ts";

// Settings of agents that our hooks are merged into: whatever stands there, taking our entries out again gives the file of
// before, byte for byte; and a file that does not parse is refused, not repaired.

const HOME = "/home/dev";
const FOREIGN = { type: "command", command: "/usr/bin/notify 'it''s done'", timeout: 3 };
const SETTINGS: readonly unknown[] = [
  {},
  { model: "opus", hooks: {} },
  {
    hooks: { Stop: [{ hooks: [FOREIGN] }], PreToolUse: [{ matcher: "Bash", hooks: [FOREIGN] }] },
    env: { A: "b" },
  },
  { hooks: { SessionStart: [], Notification: [{ hooks: [] }] }, permissions: { allow: ["Bash(ls:*)"] } },
  { version: 1, hooks: { sessionStart: [FOREIGN], stop: [] } },
];
const LAYOUTS: readonly string[] = [
  "",
  "\n",
  "{}",
  "{}\n",
  "{ }",
  '{\n  "a": 1\n}\n',
  '{\r\n\t"a": 1,\r\n\t"hooks": {}\r\n}\r\n',
  '// mine\n{\n  "hooks": {\n    // keep\n    "Stop": [ /* and this */ ]\n  }\n}\n',
  '{"hooks":{"Stop":[]}}',
  '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  '{ "hooks": {}, "hooks": { "Stop": [] } }',
  ...SETTINGS.map((value) => JSON.stringify(value, null, 2)),
  ...SETTINGS.map((value) => JSON.stringify(value, null, "\t").replaceAll("\n", "\r\n")),
];

const requestFor = (path: string, text: string | null): IntegrationRequest => ({
  files: stubFiles({ readText: (asked) => (asked === path ? text : null) }),
  homeDir: HOME,
  configDir: `${HOME}/.agent`,
  eventScript: EVENT_SCRIPT,
});

/** The one file that the integration would write into an empty home. */
const pathOf = async (integration: Integration): Promise<string> => {
  const [change] = await integration.planInstall(requestFor("", null)).catch((): IntegrationChange[] => []);
  return change?.path ?? "";
};

const onlyChange = (changes: readonly IntegrationChange[], path: string, before: string | null) => {
  hold(changes.length <= 1, "more than one file");
  const [change] = changes;
  if (change === undefined) return before;
  hold(change.path === path && change.before === before, "another file, or another text before");
  hold(change.after !== before, "a change that changes nothing");
  return change.after;
};

const settingsTarget = (agentType: string, integration: Integration): FuzzTarget =>
  defineTarget({
    name: `settings/${agentType}`,
    weight: 2,
    covers: [`settings of ${agentType}`],
    open: async () => {
      const path = await pathOf(integration);
      const text = fc.oneof(
        { weight: 3, arbitrary: mutatedText(LAYOUTS, 3) },
        { weight: 3, arbitrary: mutatedJson(SETTINGS, 4) },
        {
          weight: 2,
          arbitrary: fc
            .tuple(mutatedJson(SETTINGS, 4), fc.constantFrom<number | string>(1, 2, 4, "\t"))
            .map(([json, indent]) => {
              try {
                return JSON.stringify(JSON.parse(json), null, indent);
              } catch {
                return json;
              }
            }),
        },
        { weight: 1, arbitrary: hostileText },
      );
      return {
        arbitrary: text,
        check: async (before) => {
          await integration.inspect(requestFor(path, before));
          const installed = await orRefusedLater(() => integration.planInstall(requestFor(path, before)));
          if (installed === null) {
            await orRefusedLater(() => integration.planUninstall(requestFor(path, before)));
            return;
          }
          const after = onlyChange(installed, path, before);
          hold(after !== null, "an installation took the file away");
          const request = requestFor(path, after);
          hold((await integration.planInstall(request)).length === 0, "installing twice changes something");
          const { missing } = await integration.inspect(request);
          hold(missing.length === 0, `missing after the installation: ${missing.join()}`);
          // What had entries of ours is left without them.
          if (before.includes("agtmux")) return;
          const removed = onlyChange(await integration.planUninstall(request), path, after);
          hold(
            removed === before || (removed === null && before.trim() === ""),
            `not byte-exact: ${JSON.stringify(before.slice(0, 300))} became ${JSON.stringify(removed?.slice(0, 300))}`,
          );
        },
      };
    },
  });

export const settingsTargets = (): FuzzTarget[] =>
  createAdapterRegistry()
    .list()
    .flatMap(({ agentType, integration }) =>
      integration === undefined ? [] : [settingsTarget(agentType, integration)],
    );

const valueOfTree = (node: JsonNode): unknown => {
  if (node.kind === "array") return node.children.map(valueOfTree);
  if (node.kind !== "object") return node.value;
  const object: Record<string, unknown> = {};
  for (const { value, children } of node.children)
    Object.defineProperty(object, String(value), {
      value: children[0] === undefined ? undefined : valueOfTree(children[0]),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return object;
};

const CONFIG = {
  $schema: "x",
  tmux_servers: ["work", { name: "other", socket_path: "/tmp/s" }],
  tmux_path: null,
  targets: [{ name: "box", ssh_target: "dev@box", enabled: true, transport: "auto", tmux_servers: [] }],
  timing: { running_ttl_ms: 45_000, contest_ms: 500 },
  retention: { max_age_days: 14 },
  adapters: { disabled: ["pi"] },
  idle_shutdown_ms: 1_800_000,
};
const CONFIG_TEXTS = [JSON.stringify(CONFIG, null, 2), "{}", JSON.stringify(CONFIG).replaceAll(",", ",\r\n")];

const jsonTreeTarget = defineTarget({
  name: "json/tree",
  weight: 2,
  open: () => ({
    arbitrary: fc.oneof(mutatedText(CONFIG_TEXTS, 4), mutatedJson([CONFIG]), hostileText),
    check: (text) => {
      let isJson = true;
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        isJson = false;
      }
      try {
        const tree = valueOfTree(parseJsonTree(text));
        hold(isJson, "it takes what JSON.parse refuses");
        hold(JSON.stringify(tree) === JSON.stringify(value), "another value than JSON.parse");
      } catch (error) {
        if (!(error instanceof JsonSyntaxError)) throw error;
        hold(!isJson || /[[{]{1}/.test(text), "it refuses what JSON.parse takes");
        hold(!isJson || (text.match(/[[{]/g) ?? []).length > 400, "it refuses what JSON.parse takes");
      }
    },
  }),
});

const configTarget = defineTarget({
  name: "config.json",
  weight: 2,
  open: () => ({
    arbitrary: fc.tuple(
      fc.oneof(mutatedText(CONFIG_TEXTS, 3), mutatedJson([CONFIG], 4)),
      fc.constantFrom<readonly [string, ...string[]]>(
        ["timing", "contest_ms"],
        ["adapters", "disabled"],
        ["x"],
      ),
      // Values come through the schemas of the settings: scalars and short lists.
      fc.oneof(
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        hostileText,
        fc.array(hostileText, { maxLength: 4 }),
      ),
    ),
    check: ([text, path, value]) => {
      const config = orRefused(() => parseConfig(text, "config.json"));
      const problems = configProblems(text);
      for (const { line, message } of problems) {
        hold(line >= 1, "a problem on no line");
        hold(message !== "", "a problem without words");
      }
      if (config === null) hold(problems.length > 0, "a file that is refused without a problem");
      else {
        configSchema.parse(config);
        hold(problems.every(isOfChannel) || /[[{]{400}/.test(text), "a good file with problems");
      }
      let edited: string;
      try {
        edited = editConfig(text, path, value);
      } catch (error) {
        hold(
          error instanceof JsonSyntaxError ||
            (error instanceof Error && error.message.startsWith("editConfig:")),
          String(error),
        );
        return;
      }
      let at: unknown = JSON.parse(edited);
      const before: unknown = JSON.parse(text);
      for (const key of path) at = Reflect.get(Object(at), key);
      hold(JSON.stringify(at) === JSON.stringify(value), "the value is not there");
      const [top] = path;
      for (const key of Object.keys(Object(before)))
        if (key !== top)
          hold(
            JSON.stringify(Reflect.get(Object(before), key)) ===
              JSON.stringify(Reflect.get(Object(JSON.parse(edited)), key)),
            `the key ${key} changed`,
          );
    },
  }),
});

const PATTERNS = [
  "(a+)+$",
  "(a|aa)+$",
  "(.*)*x",
  "^(?<title>.{0,300})\\n(?<body>[^>]{1,800})>$",
  "(x+x+)+y",
  "([a-z]+)*[0-9]",
  "\\s*\\s*\\s*\\s*$",
  "(?=(a+))a*b",
  "(.+?){1,50}z",
  "[\\s\\S]*?[\\s\\S]*?[\\s\\S]*?q",
];
/** Checking a file may take a second, a look at a screen a tenth of that; both are stopped by the deadline. */
const adapterFileTarget = defineTarget({
  name: "adapter files",
  weight: 0.3,
  budgetMs: 2_500,
  open: () => {
    const example: { screens: { pattern: string }[] } = JSON.parse(
      readFileSync(new URL("../../../resources/adapters/example.json", import.meta.url), "utf8"),
    );
    const slow = PATTERNS.map((pattern) => ({
      ...example,
      screens: example.screens.map((screen) => ({ ...screen, pattern })),
    }));
    const patch = { patches: "claude", version: "1.0.0", screens: example.screens };
    const frames = frameSeeds("claude").map(({ text }) => text);
    const deadline = createDeadline();
    return {
      arbitrary: fc.tuple(
        fc.oneof(
          mutatedJson([example, ...slow, patch], 3),
          mutatedText([JSON.stringify(example, null, 2), JSON.stringify(patch)], 3),
        ),
        mutatedText([...frames, "a".repeat(300), "Run shell command? (Y)es/(N)o [Yes]:"], 3),
      ),
      check: ([text, screenText]) => {
        const { content, problems } = readAdapterFile("x.json", text, deadline);
        hold((content === null) === problems.length > 0, "neither content nor problems, or both");
        for (const { line } of problems) hold(line >= 1, "a problem on no line");
        if (content === null) return;
        const context = { name: "x.json", deadline, logger: SILENT_LOGGER };
        const adapter = isPatch(content)
          ? patchAdapter(createClaudeAdapter(), content, context)
          : createFileAdapter(content, context);
        const lines = screenText.split("\n");
        const screen = { lines, title: lines[0] ?? "", isAlternate: true, width: 80, height: 24 };
        checkReading(adapter.readScreen(screen));
        for (const { reading } of adapter.traceScreen?.(screen) ?? []) checkReading(reading);
        const args = screenText.slice(0, 4_000);
        adapter.identify([{ pid: 5, ppid: 1, comm: "aider", args, startedAt: 0 }]);
      },
    };
  },
});

/** Files as large as they may be: every problem names its line, and that must not cost a walk through the file each. */
const wideFileTarget = defineTarget({
  name: "adapter files and config.json of many keys",
  weight: 0.01,
  open: () => {
    const deadline = createDeadline();
    return {
      arbitrary: fc.record({
        count: fc.integer({ min: 1, max: 12_000 }),
        isLines: fc.boolean(),
        isNested: fc.boolean(),
      }),
      check: ({ count, isLines, isNested }) => {
        const keys = Array.from({ length: count }, (_, index) => `"key${index}":${index}`);
        const object = `{${keys.join(isLines ? ",\n" : ",")}}`;
        const text = isNested ? `{"timing":${object},"screens":${object}}` : object;
        hold(readAdapterFile("x.json", text, deadline).content === null, "an adapter of unknown keys");
        hold(configProblems(text).length > 0, "a good configuration of unknown keys");
      },
    };
  },
});

export const configTargets = (): FuzzTarget[] => [
  jsonTreeTarget,
  configTarget,
  adapterFileTarget,
  wideFileTarget,
];

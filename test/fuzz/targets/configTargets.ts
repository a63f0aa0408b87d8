// Files that people write: JSON with its places, config.json, and adapter files with their patterns.
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { createClaudeAdapter } from "../../../adapters/claude/index.ts";
import { createFileAdapter, patchAdapter } from "../../../adapters/declarative/createAdapter.ts";
import { createDeadline } from "../../../core/pattern/pattern.ts";
import { readAdapterFile } from "../../../adapters/declarative/createAdapterSource.ts";
import { isPatch } from "../../../adapters/declarative/schema.ts";
import { parseConfig } from "../../../core/config/configFile.ts";
import { configSchema, editConfig, configProblems, isOfChannel } from "../../../core/model/config.ts";
import { JsonSyntaxError, parseJsonTree, type JsonNode } from "../../../core/model/jsonTree.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import { hold, orRefused } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson } from "../mutateJson.ts";
import { hostileText, mutatedText } from "../mutateText.ts";
import { frameSeeds } from "../seeds.ts";
import { checkReading } from "./screenTargets.ts";
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

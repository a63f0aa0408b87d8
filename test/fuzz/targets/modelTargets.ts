// References, configuration and files that people write: config.json, adapter files with their patterns, the window's own
// choices; and the texts that are cleaned of secrets.
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { createClaudeAdapter } from "../../../adapters/claude/index.ts";
import { createFileAdapter, patchAdapter } from "../../../adapters/declarative/createAdapter.ts";
import { createDeadline } from "../../../adapters/declarative/pattern.ts";
import { readAdapterFile } from "../../../adapters/declarative/readFile.ts";
import { isPatch } from "../../../adapters/declarative/schema.ts";
import { parseConfig } from "../../../core/daemon/configFile.ts";
import { formatPaneRef, parseRef, resolveRef } from "../../../core/engine/ref.ts";
import { configSchema } from "../../../core/model/config.ts";
import { editConfig } from "../../../core/model/configEdit.ts";
import { configProblems } from "../../../core/model/configProblems.ts";
import { JsonSyntaxError, parseJsonTree, type JsonNode } from "../../../core/model/jsonTree.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import { redactText } from "../../../core/store/redactText.ts";
import { prefsSchema, readPrefs } from "../../../main/readPrefs.ts";
import { appearanceSchema } from "../../../renderer/state/appearance.ts";
import { hold, holdLine, orRefused } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson, mutatedValue } from "../mutateJson.ts";
import { hostileText, mutatedText } from "../mutateText.ts";
import { frameSeeds } from "../seeds.ts";
import { checkReading } from "./screenTargets.ts";

const REFS = ["pane:host/work/@1/%3", "pane:box:other/a%20b/2/1", "runtime:rt_1", "pane:host/%25/@1/%3"];
const refTarget = defineTarget({
  name: "reference/parsed",
  weight: 2,
  open: () => ({
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: mutatedText(REFS, 3) },
      { weight: 1, arbitrary: hostileText },
    ),
    check: (text) => {
      const ref = orRefused(() => parseRef(text));
      if (ref?.kind === "runtime") hold(text === `runtime:${ref.runtimeId}`, "another runtime");
      const found = orRefused(() => resolveRef(text, []));
      hold(found === null, "found among nothing");
    },
  }),
});

const namedRefTarget = defineTarget({
  name: "reference/printed and parsed",
  weight: 2,
  open: () => ({
    arbitrary: fc.record({
      target: fc.constantFrom("host", "box", "a.b-c_1"),
      server: fc.constantFrom("default", "other", "x.y"),
      // As the listing hands names over: whole characters, none of control.
      sessionName: hostileText
        .map((text) => text.replace(/\p{Cc}/gu, "").toWellFormed())
        .filter((name) => name !== ""),
      windowId: fc.nat(999_999_999).map((id) => `@${id}`),
      paneId: fc.nat(999_999_999).map((id) => `%${id}`),
    }),
    check: (subject) => {
      const text = formatPaneRef(subject);
      hold(/^[!-~]+$/.test(text), "a reference that is not of printable characters");
      const ref = parseRef(text);
      hold(
        ref.kind === "pane" &&
          ref.target === subject.target &&
          ref.server === subject.server &&
          ref.session === subject.sessionName &&
          ref.window === subject.windowId &&
          ref.pane === subject.paneId,
        `another pane: ${text}`,
      );
      const row = {
        ...subject,
        sessionNames: [subject.sessionName],
        windowIndex: 0,
        paneIndex: 0,
        runtimeId: null,
      };
      hold(resolveRef(text, [row]) === row, "not found");
    },
  }),
});

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
        hold(problems.length === 0 || /[[{]{400}/.test(text), "a good file with problems");
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

const prefsTarget = defineTarget({
  name: "window choices",
  open: () => ({
    arbitrary: mutatedValue([
      { popoverHeight: 600, terminal: { kind: "known", id: "kitty" }, shortcut: "Control+Alt+A" },
      { terminal: { kind: "command", argv: ["xterm", "-e", "{}"] }, shortcut: null },
      { theme: "dark", textSize: 115 },
    ]),
    check: (value) => {
      const prefs = readPrefs(value);
      prefsSchema.parse(prefs);
      if (prefs.terminal.kind === "command")
        for (const word of prefs.terminal.argv) holdLine(word, 1_000, "a word");
      appearanceSchema.safeParse(value);
    },
  }),
});

const SECRETS = [
  "export API_KEY=sk-abcdefghijklmnopqrstuvwxyz0123456789",
  "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x",
  "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----",
  "https://user:hunter2secret@example.org/x",
  "curl -u me:longpassword https://x",
  'password = "correct horse"',
];
const redactTarget = defineTarget({
  name: "secrets in texts",
  weight: 2,
  open: () => ({
    arbitrary: fc.tuple(mutatedText(SECRETS, 5), fc.constantFrom(40, 200, 500, 8_000)),
    check: ([text, max]) => {
      const once = redactText(text, max);
      hold(once.length <= max, `${once.length} characters`);
      hold(redactText(`x ${SECRETS[0]} x`, 4_000).includes("abcdefgh") === false, "a secret is kept");
      hold(redactText(once, max).length <= max, "more the second time");
    },
  }),
});

export const modelTargets = (): FuzzTarget[] => [
  refTarget,
  namedRefTarget,
  jsonTreeTarget,
  configTarget,
  adapterFileTarget,
  wideFileTarget,
  prefsTarget,
  redactTarget,
];

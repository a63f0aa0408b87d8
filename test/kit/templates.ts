// What `new` writes: an agent's folder, its file of the live driver and their places in the lists, from the kinds of agents that exist.
// What is still to be filled in is a sentence behind the mark, and the contract test fails until recordings are there.
export const MARK = "FILL IN:";

export const FAMILIES = ["ink", "opencode", "pi", "gemini"] as const;
export type Family = (typeof FAMILIES)[number];

export interface NewAgent {
  /** Lower-case letters, digits, `_` and `-`. */
  id: string;
  displayName: string;
  /** What a person types. */
  command: string;
  /** The npm package; null: a program that is on this machine already. */
  npm: string | null;
  version: string;
  /** Absolute path of the program where there is no package. */
  program: string | null;
  family: Family;
}

/** `kilo-code` → `KiloCode`, `kiloCode`. */
const pascal = (id: string): string =>
  id
    .split(/[-_]/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
export const camel = (id: string): string => pascal(id).replace(/^./, (first) => first.toLowerCase());
export const factoryName = (id: string): string => `create${pascal(id)}Adapter`;

/** What a family's adapter shares: imports, and the fields of the adapter. */
interface Parts {
  imports: readonly string[];
  fields: readonly string[];
  /** How its screen is read where no rule of its own matches. */
  fallback: { from: string; name: string } | null;
  todo: readonly string[];
  isEventDriven: boolean;
}

const partsOf = ({ id, family }: NewAgent): Parts => {
  switch (family) {
    case "ink":
      return {
        imports: [],
        fields: ["normalize: () => ({ signals: [], sessionId: null, eventId: null, isExit: false }),"],
        fallback: null,
        todo: [
          "normalize.ts and integration.ts where the agent has hooks (adapters/gemini is short), and `event_driven` with them",
        ],
        isEventDriven: false,
      };
    case "gemini":
      return {
        imports: ['import { readDraft } from "../gemini/layout.ts";'],
        fields: [
          "normalize: () => ({ signals: [], sessionId: null, eventId: null, isExit: false }),",
          "readDraft,",
        ],
        fallback: { from: "../gemini/screen.ts", name: "readGeminiScreen" },
        todo: ["its hooks: which of the gemini family's or of Claude's events it has (`record` keeps them)"],
        isEventDriven: false,
      };
    case "opencode":
      return {
        imports: ['import { readDraft } from "../opencode/screen.ts";'],
        fields: [
          "normalize: () => ({ signals: [], sessionId: null, eventId: null, isExit: false }),",
          "readDraft,",
        ],
        fallback: { from: "../opencode/screen.ts", name: "readOpencodeScreen" },
        todo: [
          "its plugin: adapters/opencode/integration.ts and normalize.ts, with this agent's folder and names",
        ],
        isEventDriven: false,
      };
    case "pi":
      return {
        imports: [
          'import { createExtensionIntegration, RUN_EVENTS } from "../piFamily/integration.ts";',
          'import { createPiNormalizer } from "../piFamily/normalize.ts";',
          'import { piHistory, readPiTranscript } from "../piFamily/history.ts";',
        ],
        fields: [
          "normalize: createPiNormalizer({ retriesAfterEnd: false, settles: false, hasAskTool: true }),",
          "readTranscript: readPiTranscript,",
          `configFolder: { usual: ".${id}/agent", variable: "PI_CODING_AGENT_DIR" },`,
          "history: piHistory,",
          `integration: createExtensionIntegration({ agentType: "${id}", folder: ".${id}", hasAskTimeout: false, events: RUN_EVENTS }),`,
        ],
        fallback: { from: "../piFamily/screen.ts", name: "readDocumentedScreen" },
        todo: ["whether its folder and its events are those of the family: `record` shows both"],
        isEventDriven: true,
      };
  }
};

const indexOf = (agent: NewAgent): string => {
  const { id, displayName, command, npm, version } = agent;
  const parts = partsOf(agent);
  const packagePath = npm === null ? `\\/${command}$` : `(^|\\/)${npm.replaceAll("/", "\\/")}\\/`;
  const capabilities = parts.isEventDriven
    ? ""
    : "\n  capabilities: { ...BUILT_IN.capabilities, event_driven: false },";
  const todos = parts.todo.map((todo) => `\n// ${MARK} ${todo}.`).join("");
  return `// The adapter for ${displayName}: which process it is, and how its parts are wired to the contract.${todos}
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { AgentAdapter, IdentifyMatch } from "../../core/ports/agentAdapter.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { identifyScript } from "../common/identifyScript.ts";
${parts.imports.join("\n")}
import { read${pascal(id)}Screen } from "./screen.ts";

/** ${MARK} from the process trees of its recordings: the script's path, and the first words that run no session on the screen. */
const SIGNS = {
  displayName: "${displayName}",
  packagePath: /${packagePath}/,
  command: "${command}",
  helpers: /^(help|mcp|serve|update)$/,
};

const identify${pascal(id)} = (processes: readonly ProcessInfo[]): IdentifyMatch | null =>
  identifyScript(processes, SIGNS);

/** A new adapter; recorded with ${version}. ${MARK} capabilities, keys and the way to go on with a session, as far as they were seen. */
export const ${factoryName(id)} = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "${id}",
  displayName: "${displayName}",
  recordedVersions: ["${version}"],
  programs: ["${command}"],
  announcesExit: false,${capabilities}
  interruptKeys: [["Escape"]],
  launch: { program: "${command}" },
  identify: identify${pascal(id)},
  readScreen: read${pascal(id)}Screen,
  ${parts.fields.join("\n  ")}
});
`;
};

/** Where `propose --write` puts rules: between these two lines, before those that are there. */
export const RULES_BEGIN = "// Rules: begin (npm run adapter -- propose --write)";
export const RULES_END = "// Rules: end";

const NO_RULES = `${RULES_BEGIN}
const RULES: RuleData = { screens: [], titles: [] };
${RULES_END}`;

const screenOf = (agent: NewAgent): string => {
  const name = `read${pascal(agent.id)}Screen`;
  const { fallback } = partsOf(agent);
  const imported = fallback === null ? "" : `import { ${fallback.name} } from "${fallback.from}";\n`;
  const body =
    fallback === null
      ? `export const ${name} = createRuleReader(RULES);`
      : `const readByRules = createRuleReader(RULES);

/** Its own rules, then its family's reader. */
export const ${name} = (screen: Screen): Reading | null => readByRules(screen) ?? ${fallback.name}(screen);`;
  const types =
    fallback === null ? "" : 'import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";\n';
  return `// Reads the screen of ${agent.displayName}, by rules that its recordings show.
// ${MARK} the rules: \`npm run adapter -- propose ${agent.id} --write\` makes them from recordings; look at each of them.
${types}import { createRuleReader, type RuleData } from "../declarative/ruleReader.ts";
${imported}
${NO_RULES}

${body}
`;
};

const contractOf = ({ id }: NewAgent): string => `import { runAdapterContract } from "../testkit/contract.ts";
import { ${factoryName(id)} } from "./index.ts";

runAdapterContract(${factoryName(id)}());
`;

const liveOf = ({ id, command, npm, program, version, displayName, family }: NewAgent): string => {
  const main = `main: { name: ${JSON.stringify(npm ?? command)}, version: ${JSON.stringify(version)} },`;
  const own = program === null ? "" : `\n  program: ${JSON.stringify(program)},`;
  const interrupt =
    family === "opencode" ? '\n  keys: { ...COMMON.keys, interrupt: ["Escape", "Escape"] },' : "";
  return `// ${displayName}, as the live driver runs it.
import { COMMON, type LiveAgent } from "./liveAgent.ts";
import { API_KEY } from "./settings.ts";

export const ${camel(id)}: LiveAgent = {
  ...COMMON,
  id: "${id}",
  ${main}${own}
  command: "${command}",
  // ${MARK} settings for a run without an account, written below \`home\` (writeJson): the model at \`modelUrl\`, no updates, no telemetry.
  configure: async () => {},
  // ${MARK} how it finds the scripted model: OpenAI chat and responses below \`/v1\`, Anthropic and Gemini at the root.
  environment: ({ modelUrl }) => ({ OPENAI_API_KEY: API_KEY, OPENAI_BASE_URL: \`\${modelUrl}/v1\` }),
  // ${MARK} words that only this state shows. What \`record\` misses, it prints with the screen that stood there.
  markers: {
    ready: /(?!)/,
    approval: /(?!)/,
    edit: null,
    ask: null,
    error: /live failure/,
    trust: null,
    plan: null,
    interrupted: /(?!)/,
  },${interrupt}
  exit: "/quit",
};
`;
};

/** Paths from the repository's root, with what stands in them. */
export const filesOf = (agent: NewAgent): Readonly<Record<string, string>> => ({
  [`adapters/${agent.id}/index.ts`]: indexOf(agent),
  [`adapters/${agent.id}/screen.ts`]: screenOf(agent),
  [`adapters/${agent.id}/contract.test.ts`]: contractOf(agent),
  [`test/live/agents/${agent.id}.ts`]: liveOf(agent),
});

/** A line into its place among its like, in the order of the alphabet from `first` on. */
const sortedIn = (text: string, line: string, isLike: (one: string) => boolean): string => {
  const lines = text.split("\n");
  const at = lines.findIndex((one) => isLike(one) && one > line);
  const end = lines.findLastIndex(isLike) + 1;
  return lines.toSpliced(at < 0 ? end : at, 0, line).join("\n");
};

/** Lists that name every agent, by path: what becomes of each. */
export const listsWith = (agent: NewAgent): Readonly<Record<string, (text: string) => string>> => {
  const { id, displayName, version } = agent;
  return {
    "adapters/index.ts": (text) =>
      sortedIn(
        sortedIn(text, `import { ${factoryName(id)} } from "./${id}/index.ts";`, (line) =>
          /^import \{ create\w+Adapter \} from "\.\/[\w-]+\/index\.ts";$/.test(line),
        ),
        `    ${factoryName(id)}(),`,
        (line) => /^ {4}create\w+Adapter\(\),$/.test(line),
      ),
    "test/live/agents/agentIds.ts": (text) => text.replace(/,?\s*\] as const;/, `, "${id}"] as const;`),
    "test/live/agents/index.ts": (text) =>
      sortedIn(text, `import { ${camel(id)} } from "./${id}.ts";`, (line) =>
        /^import \{.*\} from "\.\/\w+\.ts";$/.test(line),
      ).replace(/\n\};\s*$/, `\n  ${camel(id) === id ? id : `"${id}": ${camel(id)}`},\n};\n`),
    "docs/agents.md": (text) =>
      text.replace(/^\| any other /m, `| ${displayName} | ${version} | screen |\n| any other `),
  };
};

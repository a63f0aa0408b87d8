// What agents read when they start in a folder, by their documents and by what was seen of them (`basis`). The managed files are those of
// Linux and macOS.
import {
  inFile,
  place,
  settingsFile,
  type AgentLoads,
  type LoadLevel,
  type LoadPlace,
} from "../../core/ports/agentFiles.ts";

const CLAUDE_SETTINGS = { permissions: "permissions", hooks: "hooks" };

const claudeFolders = (level: LoadLevel, folder: string): LoadPlace[] => [
  place("rules", level, `${folder}/rules/*.md`),
  place("skills", level, `${folder}/skills/*/SKILL.md`),
  place("commands", level, `${folder}/commands/*.md`),
  place("agents", level, `${folder}/agents/*.md`),
];

const CLAUDE_MANAGED = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

export const claudeLoads: AgentLoads = {
  basis: "its documents; settings and hooks seen with 2.1.329",
  wins: { mcp: "nearest", agents: "nearest", skills: "person" },
  unknown: ["plugins", "files that its instructions name with @", "instructions in folders below"],
  places: [
    ...CLAUDE_MANAGED.flatMap((folder) => [
      place("instructions", "managed", `${folder}/CLAUDE.md`),
      ...settingsFile("managed", `${folder}/managed-settings.json`, CLAUDE_SETTINGS),
      place("mcp", "managed", `${folder}/managed-mcp.json`, inFile("json", "mcpServers")),
    ]),
    place("instructions", "person", "~/.claude/CLAUDE.md"),
    ...settingsFile("person", "~/.claude/settings.json", CLAUDE_SETTINGS),
    place("mcp", "person", "~/.claude.json", inFile("json", "mcpServers")),
    ...claudeFolders("person", "~/.claude"),
    place("instructions", "project", "CLAUDE.md", { reach: "root" }),
    place("instructions", "project", "CLAUDE.local.md", { reach: "root" }),
    place("instructions", "project", ".claude/CLAUDE.md"),
    ...settingsFile("project", ".claude/settings.json", CLAUDE_SETTINGS),
    ...settingsFile("project", ".claude/settings.local.json", CLAUDE_SETTINGS),
    place("mcp", "project", ".mcp.json", inFile("json", "mcpServers")),
    ...claudeFolders("project", ".claude"),
  ],
};

const CODEX_INSTRUCTIONS = ["AGENTS.override.md", "AGENTS.md"];

export const codexLoads: AgentLoads = {
  basis: "its documents; settings and hooks seen with 0.169.0",
  wins: { mcp: "nearest" },
  unknown: [
    "managed settings",
    "other names of instruction files (project_doc_fallback_filenames)",
    "whether the folder is trusted: else settings and hooks of the project are not read",
  ],
  places: [
    place(
      "instructions",
      "person",
      CODEX_INSTRUCTIONS.map((name) => `~/.codex/${name}`),
    ),
    place("mcp", "person", "~/.codex/config.toml", inFile("toml", "mcp_servers")),
    place("hooks", "person", "~/.codex/config.toml", inFile("toml", "hooks")),
    place("hooks", "person", "~/.codex/hooks.json", inFile("json", "hooks")),
    place("rules", "person", "~/.codex/rules/*.rules"),
    place("commands", "person", "~/.codex/prompts/*.md"),
    place("skills", "person", "~/.codex/skills/*/SKILL.md"),
    place("skills", "person", "~/.agents/skills/*/SKILL.md"),
    place("instructions", "project", CODEX_INSTRUCTIONS, { reach: "top" }),
    place("mcp", "project", ".codex/config.toml", { reach: "top", ...inFile("toml", "mcp_servers") }),
    place("hooks", "project", ".codex/hooks.json", inFile("json", "hooks")),
    place("skills", "project", ".codex/skills/*/SKILL.md", { reach: "top" }),
    place("skills", "project", ".agents/skills/*/SKILL.md", { reach: "top" }),
  ],
};

const GEMINI_SETTINGS = { mcp: "mcpServers", hooks: "hooks" };

export const geminiLoads: AgentLoads = {
  basis: "its documents; settings and hooks seen with 0.61.0",
  wins: { mcp: "nearest", commands: "nearest" },
  unknown: [
    "other names of instruction files (context.fileName)",
    "instructions in folders below",
    "whether the folder is trusted: else settings and hooks of the project are not read",
  ],
  places: [
    ...settingsFile("managed", "/etc/gemini-cli/settings.json", GEMINI_SETTINGS),
    ...settingsFile("managed", "/Library/Application Support/GeminiCli/settings.json", GEMINI_SETTINGS),
    place("instructions", "person", "~/.gemini/GEMINI.md"),
    ...settingsFile("person", "~/.gemini/settings.json", GEMINI_SETTINGS),
    place("commands", "person", "~/.gemini/commands/*.toml"),
    place("extensions", "person", "~/.gemini/extensions/*/gemini-extension.json"),
    place("instructions", "project", "GEMINI.md", { reach: "top" }),
    ...settingsFile("project", ".gemini/settings.json", GEMINI_SETTINGS),
    place("commands", "project", ".gemini/commands/*.toml"),
    place("extensions", "project", ".gemini/extensions/*/gemini-extension.json"),
  ],
};

const opencodeFolders = (level: LoadLevel, folder: string): LoadPlace[] =>
  ["", "s"].flatMap((plural) => [
    place("commands", level, `${folder}/command${plural}/*.md`),
    place("agents", level, `${folder}/agent${plural}/*.md`),
    place("extensions", level, `${folder}/plugin${plural}/*.js`),
    place("extensions", level, `${folder}/plugin${plural}/*.ts`),
  ]);

export const opencodeLoads: AgentLoads = {
  basis: "its documents; plugins seen with 1.18.33",
  wins: { mcp: "nearest" },
  unknown: ["names in opencode.jsonc", "files that its settings name as instructions", "skills"],
  places: [
    place("instructions", "person", ["~/.config/opencode/AGENTS.md", "~/.claude/CLAUDE.md"]),
    ...settingsFile("person", "~/.config/opencode/opencode.json", { mcp: "mcp", permissions: "permission" }),
    place("settings", "person", "~/.config/opencode/opencode.jsonc"),
    ...opencodeFolders("person", "~/.config/opencode"),
    place("instructions", "project", ["AGENTS.md", "CLAUDE.md"], { reach: "top" }),
    place("mcp", "project", "opencode.json", { reach: "top", ...inFile("json", "mcp") }),
    place("permissions", "project", "opencode.json", { reach: "top", ...inFile("json", "permission") }),
    place("settings", "project", "opencode.jsonc", { reach: "top" }),
    ...opencodeFolders("project", ".opencode"),
  ],
};

export const copilotLoads: AgentLoads = {
  basis: "its documents; hooks of .claude/settings.json seen with 1.0.102",
  wins: {},
  unknown: ["plugins", "settings of an organisation", "permissions that it remembers"],
  places: [
    place("instructions", "person", "~/.copilot/copilot-instructions.md"),
    place("mcp", "person", "~/.copilot/mcp-config.json", inFile("json", "mcpServers")),
    place("settings", "person", "~/.copilot/config.json"),
    place("hooks", "person", "~/.copilot/hooks/*.json"),
    place("skills", "person", "~/.copilot/skills/*/SKILL.md"),
    place("agents", "person", "~/.copilot/agents/*.md"),
    place("instructions", "project", ".github/copilot-instructions.md"),
    place("instructions", "project", ".github/instructions/*.md"),
    place("instructions", "project", "AGENTS.md", { reach: "top" }),
    place("hooks", "project", ".github/hooks/*.json"),
    place("hooks", "project", ".claude/settings.json", inFile("json", "hooks")),
    place("skills", "project", ".github/skills/*/SKILL.md"),
    place("agents", "project", ".github/agents/*.md"),
  ],
};

const piFolders = (level: LoadLevel, folder: string): LoadPlace[] => [
  place("settings", level, `${folder}/settings.json`),
  place("extensions", level, `${folder}/extensions/*.ts`),
  place("extensions", level, `${folder}/extensions/*.js`),
  place("skills", level, `${folder}/skills/*/SKILL.md`),
  place("commands", level, `${folder}/prompts/*.md`),
];

export const piLoads: AgentLoads = {
  basis: "its documents; settings and extensions seen with 0.87.1",
  wins: {},
  unknown: ["packages that its settings name", "extensions that are folders"],
  places: [
    place("instructions", "person", ["~/.pi/agent/AGENTS.md", "~/.pi/agent/CLAUDE.md"]),
    ...piFolders("person", "~/.pi/agent"),
    place("instructions", "project", ["AGENTS.md", "CLAUDE.md"], { reach: "root" }),
    ...piFolders("project", ".pi"),
  ],
};

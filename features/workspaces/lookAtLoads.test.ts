// What agents would read in a made-up home and project, by the adapters' own tables: names and places, what takes the place of what,
// and what a hostile project gets out of it (nothing).
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { localTarget } from "../../test/workspaces/localTarget.ts";
import { lookAtLoads } from "./lookAtLoads.ts";

let root: string;
let folder: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const look = async (agent: string) => {
  const adapter = createAdapterRegistry()
    .list()
    .find(({ agentType }) => agentType === agent);
  if (adapter?.loads === undefined) throw new Error(`nothing is known of ${agent}`);
  const at = { files: localTarget(root).files, home: join(root, "home"), folder };
  return (await lookAtLoads(at, adapter.loads, agent)).map(
    ({ identity: { kind, level, path }, names, problem, notes }) =>
      [kind, level, path.replace(root, ""), names.join(" "), problem ?? "", ...notes]
        .join("|")
        .replaceAll(root, "")
        .replace(/\|+$/, ""),
  );
};

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-loads-")));
  folder = join(root, "shop/api");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(root, "shop/.git"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("names what Claude Code reads, by level, and never what stands in it", async () => {
  write("home/.claude/CLAUDE.md", "secret words");
  write("home/.claude/settings.json", JSON.stringify({ hooks: { Stop: [{ command: "secret" }] } }));
  write(
    "home/.claude.json",
    JSON.stringify({ mcpServers: { github: { env: { TOKEN: "secret" } }, db: {} } }),
  );
  write("home/.claude/skills/review/SKILL.md", "x");
  write("home/.claude/skills/empty/README.md", "x");
  write("shop/CLAUDE.md", "x");
  write("shop/api/.mcp.json", JSON.stringify({ mcpServers: { github: {}, own: {} } }));
  write(
    "shop/api/.claude/settings.json",
    JSON.stringify({ permissions: { allow: ["secret", "b"], deny: [] } }),
  );
  write("shop/api/.claude/commands/fix.md", "x");
  const items = await look("claude");
  expect(items).toEqual([
    "instructions|person|/home/.claude/CLAUDE.md",
    "hooks|person|/home/.claude/settings.json|Stop (1)",
    "mcp|person|/home/.claude.json|github db||github: the one in /shop/api/.mcp.json is used",
    "skills|person|/home/.claude/skills|review",
    "instructions|project|/shop/CLAUDE.md",
    "permissions|project|/shop/api/.claude/settings.json|allow (2) deny (0)",
    "mcp|project|/shop/api/.mcp.json|github own",
    "commands|project|/shop/api/.claude/commands|fix",
  ]);
  expect(items.join()).not.toContain("secret");
});

it("says which file takes the place of another, and stops at the repository's top where the agent does", async () => {
  write("AGENTS.md", "above the repository");
  write("shop/AGENTS.md", "x");
  write("shop/api/AGENTS.override.md", "x");
  write("shop/api/AGENTS.md", "x");
  write("home/.codex/config.toml", '[mcp_servers.docs]\ncommand = "secret"\n');
  expect(await look("codex")).toEqual([
    "mcp|person|/home/.codex/config.toml|docs",
    "instructions|project|/shop/api/AGENTS.override.md",
    "instructions|project|/shop/api/AGENTS.md|||not read: AGENTS.override.md takes its place",
    "instructions|project|/shop/AGENTS.md",
  ]);
});

it("is not led astray by what lies in a project", async () => {
  write("home/.ssh/id", "PRIVATE");
  mkdirSync(join(folder, ".claude"));
  execFileSync("mkfifo", [join(folder, ".claude/settings.json")]);
  write("shop/api/.mcp.json", "no JSON");
  write("shop/api/opencode.json", JSON.stringify({ mcp: { ["x".repeat(300)]: 1, "\u001b[2J": 2 } }));
  write("shop/api/.gemini/settings.json", " ".repeat(300_000));
  expect(await look("claude")).toEqual([
    "permissions|project|/shop/api/.claude/settings.json||it isn't a file",
    "hooks|project|/shop/api/.claude/settings.json||it isn't a file",
    "mcp|project|/shop/api/.mcp.json||it is no JSON",
  ]);
  expect(await look("opencode")).toEqual([`mcp|project|/shop/api/opencode.json|${"x".repeat(80)} \u001b[2J`]);
  expect((await look("gemini"))[0]).toBe(
    "mcp|project|/shop/api/.gemini/settings.json||it is too large to be looked into",
  );
});

const OUT = "not looked into: it is a link out of the project, to";

it("names a link out of the project, and reads nothing through it", async () => {
  write("home/.claude.json", JSON.stringify({ mcpServers: { "of the person": {} } }));
  write("home/notes/private.md", "x");
  mkdirSync(join(folder, ".claude"));
  symlinkSync(join(root, "home/.claude.json"), join(folder, ".mcp.json"));
  symlinkSync("../../../home/notes", join(folder, ".claude/commands"));
  symlinkSync("/dev/zero", join(folder, ".claude/settings.local.json"));
  // A link inside that leads out by a second one, and `..` behind it.
  symlinkSync("there/../notes", join(folder, ".claude/agents"));
  symlinkSync(join(root, "home/notes"), join(folder, ".claude/there"));
  symlinkSync("loop", join(folder, ".claude/loop"));
  symlinkSync("loop", join(folder, ".claude/rules"));
  write("shop/api/.claude/skills/good/SKILL.md", "x");
  symlinkSync("bad", join(folder, ".claude/skills/bad"));
  const items = await look("claude");
  expect(items.filter((item) => item.includes("project"))).toEqual([
    `permissions|project|/shop/api/.claude/settings.local.json||${OUT} /dev/zero`,
    `hooks|project|/shop/api/.claude/settings.local.json||${OUT} /dev/zero`,
    `mcp|project|/shop/api/.mcp.json||${OUT} /home/.claude.json`,
    "rules|project|/shop/api/.claude/rules||it cannot be looked at",
    "skills|project|/shop/api/.claude/skills|good",
    `commands|project|/shop/api/.claude/commands||${OUT} ../../../home/notes`,
    `agents|project|/shop/api/.claude/agents||${OUT} /home/notes`,
  ]);
  expect(items.slice(1).join()).not.toMatch(/of the person|private/);
});

it("follows links inside of the project, and those that the person made in the own home", async () => {
  write("shop/AGENTS.md", "x");
  write("shop/shared/fix.md", "x");
  write("dotfiles/CLAUDE.md", "x");
  mkdirSync(join(root, "home/.claude"), { recursive: true });
  mkdirSync(join(folder, ".claude"));
  symlinkSync(join(root, "dotfiles/CLAUDE.md"), join(root, "home/.claude/CLAUDE.md"));
  symlinkSync("../AGENTS.md", join(folder, "CLAUDE.md"));
  symlinkSync(join(root, "shop/shared"), join(folder, ".claude/commands"));
  expect(await look("claude")).toEqual([
    "instructions|person|/home/.claude/CLAUDE.md",
    "instructions|project|/shop/api/CLAUDE.md",
    "commands|project|/shop/api/.claude/commands|fix",
  ]);
});

// What a project brings along: the commands that it wants run (`approveHooks`), what its documents tell agents
// (`agtmux doc audit-docs`), and the skill that agtmux puts into it (`agtmux doc skill`).
import { join, basename, dirname, extname, relative, resolve } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import { ensureHome } from "../../core/rpc/paths.ts";
import type { Hooks } from "../../features/documents/flow/documentChanges.ts";
import { readKept, writeKept, readText } from "../../features/documents/files/wholeFile.ts";
import { ask } from "../command/ask.ts";
import type { CliContext } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { auditDocs, type DocToAudit } from "../../features/documents/model/auditDocs.ts";

// Commands: they are shell, and run after a person has seen them and said yes. The yes is kept in the home of agtmux, never in the
// project, which could bring its own yes along; it ends when a command changes.

/** The oldest are asked for again. */
const MAX_KEPT = 500;

const readApproved = async (home: string, path: string): Promise<string[]> => {
  const text = await readKept({ root: home }, path);
  if (text === null) return [];
  try {
    const kept: unknown = JSON.parse(text);
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
  } catch {
    // It holds nothing but answers that can be asked for again.
    return [];
  }
};

/** @throws AgtmuxError E_CONFIRMATION_REQUIRED where the answer is no, or where nobody can be asked. */
export const approveHooks = async (context: CliContext, hooks: Hooks, isYes: boolean): Promise<void> => {
  const { home } = context.paths();
  const path = join(home, "doc-hooks.json");
  const approved = await readApproved(home, path);
  if (approved.includes(hooks.fingerprint)) return;
  const canAsk = context.stdin.isTTY && context.stdout.isTTY;
  if (!isYes && canAsk) {
    const commands = hooks.commands.map((command) => `  ${cleanLine(command)}\n`).join("");
    context.print(`This project wants to run:\n${commands}`);
  }
  if (!isYes && (!canAsk || (await ask("Run it now, and from now on? [y/N] ", context)) !== true))
    throw new AgtmuxError(
      "E_CONFIRMATION_REQUIRED",
      `components.toml wants to run ${hooks.commands.map((command) => `'${command}'`).join(" and ")}`,
      { remedy: "Read it, and repeat with --yes; the document was not changed." },
    );
  ensureHome(context.paths());
  const kept = [...approved, hooks.fingerprint].slice(-MAX_KEPT);
  await writeKept({ root: home }, path, `${JSON.stringify(kept)}\n`, { isPrivate: true });
};

const MARKERS = [
  "Cargo.toml",
  "package.json",
  "pyproject.toml",
  "setup.py",
  "go.mod",
  "Gemfile",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "CMakeLists.txt",
  "Makefile",
  "deno.json",
];
const AUDITED = new Set(["CLAUDE.md", "AGENTS.md", "README.md", "SKILL.md"]);
const SKIPPED = new Set([".git", "node_modules", "target", "dist", "build", "vendor", ".venv", ".agent-doc"]);
const SOURCES =
  /^\.(c|cc|cpp|cs|ex|go|h|hpp|java|js|jsx|kt|lua|mjs|php|pl|py|rb|rs|scala|sh|swift|ts|tsx|vue|zig)$/;
const MAX_DEPTH = 8;
const MAX_FILES = 50_000;

/** The nearest folder that has one of the names. */
const findUp = (from: string, names: readonly string[]): string | null => {
  for (let folder = from; ; folder = dirname(folder)) {
    if (names.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return null;
  }
};

const findRoot = (root: string | undefined, cwd: string): string =>
  root === undefined ? (findUp(cwd, MARKERS) ?? findUp(cwd, [".git"]) ?? cwd) : resolve(root);

/** Every file of the project, from its root; what is built or fetched is left out. */
const listFiles = async (root: string): Promise<string[]> => {
  const found: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (found.length >= MAX_FILES) return;
      const path = join(folder, entry.name);
      if (entry.isFile()) found.push(relative(root, path));
      else if (entry.isDirectory() && depth < MAX_DEPTH && !SKIPPED.has(entry.name))
        await visit(path, depth + 1);
    }
  };
  await visit(root, 0);
  return found;
};

const newestSource = async (root: string, files: readonly string[]): Promise<number | null> => {
  let newest: number | null = null;
  for (const file of files.filter((one) => SOURCES.test(extname(one))))
    newest = Math.max(newest ?? 0, (await stat(join(root, file))).mtimeMs);
  return newest;
};

/** Gives the exit status. */
export const runAudit = async (context: CliContext, options: { root?: string }): Promise<number> => {
  const root = findRoot(options.root, process.cwd());
  if (!existsSync(root))
    throw new AgtmuxError("E_USAGE", `there is no folder '${root}'`, {
      remedy: "Name the project's folder.",
    });
  const files = await listFiles(root);
  const docs: DocToAudit[] = [];
  for (const path of files.filter((file) => AUDITED.has(basename(file)))) {
    const whole = join(root, path);
    docs.push({ path, text: await readText(whole), modifiedAt: (await stat(whole)).mtimeMs });
  }
  const findings = auditDocs(docs, {
    exists: (path) => existsSync(join(root, path)),
    newestSourceAt: await newestSource(root, files),
  });
  for (const { path, line, message } of findings)
    context.print(`${cleanLine(`${path}:${line}: ${message}`)}\n`);
  if (findings.length === 0) context.print(`${docs.length} documents, nothing found.\n`);
  return findings.length === 0 ? 0 : 1;
};

interface SkillOptions {
  folder?: string;
  reload?: string;
}

const SKILLS = ".claude/skills";

/** A folder that is named may lie behind links; what a project brings along may not. */
const skillPlace = ({ folder }: SkillOptions): { root: string; path: string } => ({
  root: folder === undefined ? process.cwd() : resolve(folder),
  path: join(resolve(folder ?? SKILLS), "agent-doc", "SKILL.md"),
});

const bundledSkill = (context: CliContext): Promise<string> =>
  readFile(join(context.root, "resources", "skill", "SKILL.md"), "utf8");

export const runSkillInstall = async (context: CliContext, options: SkillOptions): Promise<void> => {
  if (options.reload !== undefined && options.reload !== "compact")
    throw new AgtmuxError("E_USAGE", `--reload '${options.reload}' is unknown`, { remedy: "Use compact." });
  const place = skillPlace(options);
  const { path } = place;
  const text = await bundledSkill(context);
  if ((await readKept(place, path)) === text) {
    context.print(`${cleanLine(path)} is current.\n`);
    return;
  }
  await mkdir(place.root, { recursive: true });
  await writeKept(place, path, text);
  context.print(`Wrote ${cleanLine(path)}.\n${options.reload === "compact" ? "SKILL_RELOAD=compact\n" : ""}`);
};

/** Gives the exit status. */
export const runSkillCheck = async (context: CliContext, options: SkillOptions): Promise<number> => {
  const place = skillPlace(options);
  const { path } = place;
  const found = await readKept(place, path);
  const isCurrent = found === (await bundledSkill(context));
  const what = isCurrent ? "is current" : found === null ? "is missing" : "is not current";
  context.print(`${cleanLine(path)} ${what}.${isCurrent ? "" : " 'agtmux doc skill install' writes it."}\n`);
  return isCurrent ? 0 : 1;
};

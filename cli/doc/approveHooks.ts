// Commands that a project brings along are shell: they run after a person has seen them and said yes. The yes is kept in the
// home of agtmux, never in the project, which could bring its own yes along; it ends when a command changes.
import { join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import { ensureHome } from "../../core/rpc/paths.ts";
import type { Hooks } from "../../features/documents/flow/patchComponent.ts";
import { readKept, writeKept } from "../../features/documents/files/wholeFile.ts";
import { ask } from "../ask.ts";
import type { CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";

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

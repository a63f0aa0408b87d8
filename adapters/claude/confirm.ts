// Whether another program may answer Claude Code's permission requests before a person sees them: then a request alone
// does not prove a dialog. Looks at the user's and the project's settings, remembered by modification time.
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { createFileVerdicts } from "../common/fileVerdicts.ts";
import { hooksFor } from "../common/hooksFor.ts";
import { isOurCommand } from "./settings.ts";

const EVENT = "PermissionRequest";

interface ConfirmRequest {
  files: TargetFiles;
  homeDir: string;
  cwd: string | null;
}

const hasForeignHook = (text: string): boolean => {
  try {
    return hooksFor(JSON.parse(text), EVENT).some((command) => !isOurCommand(command, EVENT, null));
  } catch {
    // Claude Code ignores settings that it cannot parse, so no hook of theirs runs.
    return false;
  }
};

/** A reader with its own small memory. A file that cannot be read counts as having no hook. */
export const createConfirmationReader = (): ((request: ConfirmRequest) => Promise<boolean>) => {
  const isForeignIn = createFileVerdicts(hasForeignHook);
  return ({ files, homeDir, cwd }) =>
    isForeignIn(files, [
      `${homeDir}/.claude/settings.json`,
      ...(cwd === null ? [] : [`${cwd}/.claude/settings.json`, `${cwd}/.claude/settings.local.json`]),
    ]);
};

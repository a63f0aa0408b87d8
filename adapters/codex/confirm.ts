// Whether something else may answer Codex's permission requests before a person sees them: another PermissionRequest hook,
// or a reviewer that is not the person. Then a request alone does not prove a dialog.
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { createFileVerdicts } from "../common/fileVerdicts.ts";
import { hooksFor } from "../common/hooksFor.ts";
import { isOurCommand } from "./settings.ts";

const EVENT = "PermissionRequest";
const TOML_HOOK = /^\s*\[\[?\s*hooks\s*\.\s*PermissionRequest\b/m;
/** Values other than `user` let a model review requests (vendor's configuration reference, not recorded). */
const TOML_REVIEWER = /^\s*approvals_reviewer\s*=\s*["'](?!user["'])/m;

const mayAnswer = (text: string, path: string): boolean => {
  if (path.endsWith(".toml")) return TOML_HOOK.test(text) || TOML_REVIEWER.test(text);
  try {
    return hooksFor(JSON.parse(text), EVENT).some((command) => !isOurCommand(command, EVENT, null));
  } catch {
    // Codex ignores a hooks file that it cannot parse.
    return false;
  }
};

interface ConfirmRequest {
  files: TargetFiles;
  homeDir: string;
  cwd: string | null;
}

/** A reader with its own small memory. A file that cannot be read counts as having no hook. */
export const createConfirmationReader = (): ((request: ConfirmRequest) => Promise<boolean>) => {
  const mayAnswerIn = createFileVerdicts(mayAnswer);
  return ({ files, homeDir, cwd }) =>
    mayAnswerIn(
      files,
      [homeDir, ...(cwd === null || cwd === homeDir ? [] : [cwd])].flatMap((folder) => [
        `${folder}/.codex/hooks.json`,
        `${folder}/.codex/config.toml`,
      ]),
    );
};

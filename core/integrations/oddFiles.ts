// Checks a settings file before an integration edits it, and says where its backup goes.
import { AgtmuxError } from "../model/errors.ts";
import type { Account } from "../model/runtime.ts";
import type { TargetFiles } from "../ports/targetExecutor.ts";

/** The limit for reading is higher, so a file that is edited was read completely. */
const MAX_SETTINGS_BYTES = 8 * 1024 * 1024;

export const backupOf = (path: string): string => `${path}.agtmux-backup`;

const refuse = (path: string, why: string): never => {
  throw new AgtmuxError("E_INTEGRATION_REFUSED", `${path} ${why}`, {
    remedy: "Check what it is, and move it away if it is not yours; nothing was changed.",
  });
};

const refuseOddFile = async (files: TargetFiles, path: string, isReplaced: boolean): Promise<void> => {
  const backup = backupOf(path);
  const [found, kept, link] = await Promise.all([
    files.stat(path),
    isReplaced ? files.stat(backup) : null,
    isReplaced ? files.readLink(backup) : null,
  ]);
  if (found !== null && !found.isFile) refuse(path, "is not a regular file");
  if (found !== null && found.size > MAX_SETTINGS_BYTES) refuse(path, "is too large to be a settings file");
  if (link !== null) refuse(backup, "is a symbolic link");
  if (kept?.isFile === false) refuse(backup, "is not a regular file");
};

/** Below `folder` no part of the path is a link. */
const refuseLinks = async (files: TargetFiles, folder: string, path: string): Promise<void> => {
  let part = folder;
  for (const name of path.slice(folder.length + 1).split("/")) {
    part = `${part}/${name}`;
    if ((await files.readLink(part)) !== null)
      refuse(part, "is a symbolic link, in a folder that only a running agent named");
  }
};

/**
 * A settings file, and a file at the place of its backup, must be a plain file of a bounded size: nothing is read from or
 * written to a pipe or a device, no backup follows a link, and nothing leads out of a folder that nobody named. Fails with
 * E_INTEGRATION_REFUSED.
 */
export const refuseOddFiles = async (
  files: TargetFiles,
  changes: readonly { path: string; before: string | null }[],
  accounts: readonly Account[],
): Promise<void> => {
  const found = accounts.filter(({ isFound }) => isFound);
  await Promise.all(
    changes.map(async ({ path, before }) => {
      for (const { configDir } of found)
        if (path.startsWith(`${configDir}/`)) await refuseLinks(files, configDir, path);
      await refuseOddFile(files, path, before !== null);
    }),
  );
};

// Keeps the installed copy of the event script current. Its path never changes, because some agents ask for trust again
// when a hook's command does.
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export const EVENT_SCRIPT_NAME = "agtmux-event";

/** Copies `source` to `<binDir>/agtmux-event` (mode 0700) when it differs; returns the installed path. */
export const installEventScript = async (source: string, binDir: string): Promise<string> => {
  const installed = join(binDir, EVENT_SCRIPT_NAME);
  const wanted = await readFile(source, "utf8");
  const present = await readFile(installed, "utf8").catch(() => null);
  if (present === wanted) return installed;
  await mkdir(dirname(installed), { recursive: true, mode: 0o700 });
  const temporary = `${installed}.${process.pid}.tmp`;
  await writeFile(temporary, wanted, { mode: 0o700 });
  await chmod(temporary, 0o700);
  await rename(temporary, installed);
  return installed;
};

// One project in this editor: its folder for patches, which shows the command that a plugin is here, the file that says which
// editor it is and when somebody last typed, and the watch on the folder.
import { randomUUID } from "node:crypto";
import { watch } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { inFolderBelow } from "../../../core/files/heldFolder.ts";
import type { EditorFile } from "../../../features/documents/ipc/writeThroughEditor.ts";
import { createPatchTaker, type TakerOptions } from "./patchTaker.ts";

/** A watch may miss something; this finds it. */
const SWEEP_MS = 250;
/** How often the file is written while somebody types. */
const TYPED_EVERY_MS = 300;

export const openProject = async (
  options: Omit<TakerOptions, "folder" | "signal"> & {
    /** `.agent-doc`. */
    readonly folder: string;
    readonly version: string;
  },
) => {
  const { folder, version, log } = options;
  const ended = new AbortController();
  const patches = join(folder, "patches");
  const own = join(folder, `editor-${process.pid}.json`);
  // Neither folder may be a link: they may have come with the project.
  await inFolderBelow({ root: dirname(folder), steps: [basename(folder), "patches"], make: 0o777 }, () =>
    Promise.resolve(),
  );

  let typedAt: number | null = null;
  let last: Promise<void> = Promise.resolve();
  const tell = (): void => {
    const file: EditorFile = { pid: process.pid, name: "vscode", version, merges: true, typedAt };
    const write = async () => {
      // A name that nobody can guess: a link of that name could lead anywhere.
      const made = `${own}.${randomUUID()}`;
      await writeFile(made, `${JSON.stringify(file)}\n`, { flag: "wx" });
      await rename(made, own);
    };
    last = last.then(write).catch((error: unknown) => log(String(error)));
  };
  tell();

  const take = createPatchTaker({ ...options, folder: patches, signal: ended.signal });
  const look = (): void => void take().catch((error: unknown) => log(String(error)));
  const watcher = watch(patches, { signal: ended.signal }, look);
  // The sweep goes on without it.
  watcher.on("error", (error) => log(String(error)));
  const sweep = setInterval(look, SWEEP_MS);
  // What came while no editor was there.
  look();

  return {
    /** Somebody changed a document of this project. */
    typed: (): void => {
      const now = Date.now();
      if (typedAt !== null && now - typedAt < TYPED_EVERY_MS) return;
      typedAt = now;
      tell();
    },
    close: async (): Promise<void> => {
      clearInterval(sweep);
      ended.abort();
      await last;
      await rm(own, { force: true });
    },
  };
};

export type Project = Awaited<ReturnType<typeof openProject>>;

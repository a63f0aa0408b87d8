// Settings files of agents, written into a HOME that was made for them.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export const API_KEY = "live-fake-key";

export const writeText = async (home: string, file: string, text: string): Promise<void> => {
  const path = join(home, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
};

export const writeJson = (home: string, file: string, value: unknown): Promise<void> =>
  writeText(home, file, `${JSON.stringify(value, null, 2)}\n`);

/** Puts more keys into a file of settings that is there. */
export const mergeJson = async (home: string, file: string, more: object): Promise<void> => {
  const before: unknown = JSON.parse(await readFile(join(home, file), "utf8"));
  await writeJson(home, file, Object.assign({}, before, more));
};

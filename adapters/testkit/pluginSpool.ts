// A spool in a temporary folder, for tests that run the source of a plugin of ours: what the plugin wrote, and in which order.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, vi } from "vitest";

interface WrittenEvent {
  name: string;
  header: string;
  event: string | undefined;
  payload: Record<string, unknown>;
}

interface PluginSpool {
  /** New for each test. */
  readonly root: string;
  readonly eventScript: string;
  /** `path`: of the file in `root` that holds the source. */
  load: (source: string, path: string) => Promise<Record<string, unknown>>;
  written: () => Promise<WrittenEvent[]>;
  untilWritten: (count: number) => Promise<WrittenEvent[]>;
}

/** Call it at the top level of a test file. The environment names pane %5 of a tmux server. */
export const usePluginSpool = (): PluginSpool => {
  let root = "";
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "agtmux-plugin-"));
    for (const folder of ["new", "tmp"]) await mkdir(join(root, "spool", folder), { recursive: true });
    vi.stubEnv("TMUX", "/tmp/sock,77,0");
    vi.stubEnv("TMUX_PANE", "%5");
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(root, { recursive: true, force: true });
  });
  const written = async (): Promise<WrittenEvent[]> => {
    const folder = join(root, "spool", "new");
    const names = (await readdir(folder)).toSorted();
    return Promise.all(
      names.map(async (name) => {
        const [header = "", body = ""] = (await readFile(join(folder, name), "utf8")).split("\n\n");
        const event = /^event=(.*)$/m.exec(header)?.[1];
        const payload: Record<string, unknown> = JSON.parse(body);
        return { name, header, event, payload };
      }),
    );
  };
  return {
    get root() {
      return root;
    },
    get eventScript() {
      return join(root, "bin", "agtmux-event");
    },
    load: async (source, path) => {
      const file = join(root, path);
      await mkdir(join(file, ".."), { recursive: true });
      await writeFile(file, source);
      return import(/* @vite-ignore */ pathToFileURL(file).href);
    },
    written,
    untilWritten: (count) =>
      vi.waitFor(async () => {
        const events = await written();
        expect(events).toHaveLength(count);
        return events;
      }),
  };
};

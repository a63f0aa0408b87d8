// Recorded events as our plugins hand them on: the recorder saw what an agent tells its plugins, and ours add and leave out.
// The plugins' real sources run here.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { vi } from "vitest";
import type { Payload, RecordedEvent } from "../../../adapters/testkit/recordings.ts";
import { opencodePluginSource } from "../../../adapters/opencode/integration.ts";
import { extensionSource, FORWARDED_EVENTS } from "../../../adapters/piFamily/integration.ts";

type Handler = (event: unknown, context?: unknown) => unknown;

const CWD = "/home/dev/project";
const END = "the end of what was recorded";
const PI_FAMILY = new Set(["omp", "pi"]);

const load = async (root: string, source: string): Promise<Record<string, unknown>> => {
  const file = join(root, "plugin.mjs");
  await writeFile(file, source);
  return import(/* @vite-ignore */ pathToFileURL(file).href);
};

const openExtension = async (root: string, agentType: string): Promise<(event: RecordedEvent) => void> => {
  Reflect.deleteProperty(globalThis, Symbol.for(`agtmux.${agentType}`));
  const source = extensionSource(agentType, [...FORWARDED_EVENTS], join(root, "bin", "agtmux-event"), null);
  const { default: create } = await load(root, source);
  if (typeof create !== "function") throw new Error("no extension");
  const handlers = new Map<string, Handler>();
  create({ on: (name: string, handler: Handler) => handlers.set(name, handler) });
  return ({ name, payload }) => handlers.get(name)?.(payload, { hasUI: true, cwd: CWD });
};

const openPlugin = async (root: string): Promise<(event: RecordedEvent) => void> => {
  const { AgtmuxPlugin: create } = await load(root, opencodePluginSource(join(root, "bin", "agtmux-event")));
  if (typeof create !== "function") throw new Error("no plugin");
  const hooks: Record<string, Handler> = await create({ directory: CWD });
  return ({ name, payload }) => {
    const hook = hooks[name];
    if (hook === undefined) hooks["event"]?.({ event: { type: name, properties: payload } });
    else hook(payload["input"], payload["output"]);
  };
};

/** Event and payload of each file that was written, in order. */
const written = async (root: string): Promise<RecordedEvent[]> => {
  const folder = join(root, "spool", "new");
  const names = (await readdir(folder)).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const [header = "", body = ""] = (await readFile(join(folder, name), "utf8")).split("\n\n");
      const payload: Payload = JSON.parse(body);
      return { at: 0, name: /^event=(.*)$/m.exec(header)?.[1] ?? "", payload };
    }),
  );
};

/** The same events where an agent runs our hook itself. */
export const handedOn = async (
  agentType: string,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> => {
  if (agentType !== "opencode" && !PI_FAMILY.has(agentType)) return events;
  const root = await mkdtemp(join(tmpdir(), "agtmux-handed-on-"));
  try {
    for (const folder of ["new", "tmp"]) await mkdir(join(root, "spool", folder), { recursive: true });
    const tell = agentType === "opencode" ? await openPlugin(root) : await openExtension(root, agentType);
    for (const event of events) tell(event);
    // The last of its own ends what is on its way.
    const name = agentType === "opencode" ? "session.compacted" : "turn_start";
    tell({ at: 0, name, payload: { sessionID: END, reason: END } });
    await vi.waitFor(
      async () => {
        const last = (await written(root)).at(-1);
        // Recordings have events of that name, too.
        if (!JSON.stringify(last?.payload ?? null).includes(END)) throw new Error("not written yet");
      },
      { timeout: 20_000 },
    );
    return (await written(root)).slice(0, -1);
  } finally {
    // A plugin may still write what nobody waits for.
    await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
};

// Reading a transcript in a test: a request over files in memory, and entries as short lines.
import type { AgentAdapter, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import { memoryFiles } from "./memoryFiles.ts";
import { somePane } from "./pane.ts";

const STARTED = Date.parse("2026-11-21T05:16:00Z");
export const TRANSCRIPT_HOME = "/home/dev";

/** Lines of JSON, with a cut first line and a half-written last one, as a log's tail has them. */
export const logText = (lines: readonly unknown[]): string =>
  `cut off"}\n${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"type":"us`;

const requestFor = (
  { configFolder }: AgentAdapter,
  files: Readonly<Record<string, string>>,
  more: Partial<StateFileRequest>,
): StateFileRequest => ({
  files: memoryFiles(files, { mtimeMs: STARTED + 1_000 }),
  configDir: `${TRANSCRIPT_HOME}/${configFolder?.usual}`,
  process: { pid: 42, ppid: 1, comm: "", args: "", startedAt: STARTED },
  pane: somePane(),
  agentSessionId: null,
  transcriptPath: null,
  cwd: null,
  ...more,
});

/** The name of the session that the adapter reads from these files. */
export const readTitle = async (
  adapter: AgentAdapter,
  files: Readonly<Record<string, string>>,
  more: Partial<StateFileRequest> = {},
): Promise<string | null> => (await adapter.readSessionTitle?.(requestFor(adapter, files, more))) ?? null;

/** Entries as `<role>: <text>`; null where the adapter says that there is none. */
export const readEntries = async (
  adapter: AgentAdapter,
  files: Readonly<Record<string, string>>,
  more: Partial<StateFileRequest> = {},
): Promise<string[] | null> => {
  const entries = await adapter.readTranscript?.(requestFor(adapter, files, more));
  return entries?.map(({ role, text }) => `${role}: ${text}`) ?? null;
};

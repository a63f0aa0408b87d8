// Reading a transcript in a test: a request over files in memory, and entries as short lines.
import type { Pane } from "../../core/model/runtime.ts";
import type { AgentAdapter, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import { memoryFiles } from "./memoryFiles.ts";

const STARTED = Date.parse("2026-11-21T05:16:00Z");
export const TRANSCRIPT_HOME = "/home/dev";

const PANE: Pane = {
  targetId: "host",
  server: "default",
  paneId: "%1",
  sessionId: "$1",
  sessionName: "dev",
  alsoIn: [],
  windowId: "@2",
  windowIndex: 0,
  windowName: "dev",
  paneIndex: 0,
  panePid: 41,
  tty: "/dev/pts/3",
  title: "",
  isActive: true,
  isDead: false,
  deadStatus: null,
  isAlternate: true,
  inMode: false,
  width: 120,
  height: 40,
  cursorX: 0,
  cursorY: 0,
  historySize: 0,
  windowActivity: 0,
  updatedAt: 0,
};

/** Lines of JSON, with a cut first line and a half-written last one, as a log's tail has them. */
export const logText = (lines: readonly unknown[]): string =>
  `cut off"}\n${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"type":"us`;

/** Entries as `<role>: <text>`; null where the adapter says that there is none. */
export const readEntries = async (
  adapter: AgentAdapter,
  files: Readonly<Record<string, string>>,
  more: Partial<StateFileRequest> = {},
): Promise<string[] | null> => {
  const entries = await adapter.readTranscript?.({
    files: memoryFiles(files, { mtimeMs: STARTED + 1_000 }),
    homeDir: TRANSCRIPT_HOME,
    process: { pid: 42, ppid: 1, comm: "", args: "", startedAt: STARTED },
    pane: PANE,
    agentSessionId: null,
    transcriptPath: null,
    cwd: null,
    ...more,
  });
  return entries?.map(({ role, text }) => `${role}: ${text}`) ?? null;
};

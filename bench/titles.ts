// `npm run bench:titles`: of the recorded agents, whose rows are titled with the work and not with the program. With hooks the title
// comes from the recorded events, without them from the pane's own title; what an agent's files say beside that is told in words,
// because the recordings of screens do not hold them. It reads fixtures only and starts nothing.
import { fileURLToPath } from "node:url";
import { createAdapterRegistry } from "../adapters/index.ts";
import { rowTitle } from "../core/model/words.ts";
import type { AgentAdapter } from "../core/ports/agentAdapter.ts";
import { makePane } from "../test/factories/view.ts";
import { loadCorpus, NO_AGENT, type Frame } from "./detect/corpus.ts";
import { envelopesOf } from "./detect/recordedEvents.ts";

const CORPUS = fileURLToPath(new URL("../test/fixtures/recordings", import.meta.url));
/** Where everything was recorded, and what tmux calls a window by itself. */
const FOLDER = "/home/dev/project";
const CONTEXT = { confirmRequests: false };

const isWork = (frame: Frame, adapter: AgentAdapter, prompt: string | null): boolean => {
  const pane = makePane({
    agent: adapter.agentType,
    agentName: adapter.displayName,
    windowName: frame.recording.processes.at(-1)?.comm ?? "",
    title: frame.recording.title,
    activity: {
      prompt,
      session_title: adapter.titleOfSession?.(frame.recording.title, FOLDER) ?? null,
      folder: FOLDER,
    },
  });
  const { source } = rowTitle(pane);
  return source === "prompt" || source === "session";
};

/** The last prompt that the frame's own events tell; null where none was recorded with it. */
const promptOf = (frame: Frame, adapter: AgentAdapter): string | null =>
  envelopesOf(frame)
    .map((envelope) => adapter.normalize(envelope, CONTEXT).promptText ?? null)
    .findLast((prompt) => prompt !== null && prompt.trim() !== "") ?? null;

const share = (part: number, of: number): string =>
  of === 0 ? "not recorded" : `${part} of ${of} (${Math.round((100 * part) / of)} %)`;

/** What an agent's own files tell without hooks, and what cannot be known. */
const BESIDE: Readonly<Record<string, string>> = {
  claude: "the log names the last prompt, and the session once it has a name",
  codex: "cannot be known: the title is the folder, names are in a database",
  copilot: "the log names the last prompt, `workspace.yaml` the session",
  gemini: "cannot be known: the title is the state and the folder, no file is tied to the process",
  omp: "the session file names both",
  opencode: "until the session has a name it cannot be known: sessions are in a database",
  pi: "cannot be known before somebody names the session: no file is tied to the process",
};

const rowOf = (adapter: AgentAdapter, frames: readonly Frame[]): string => {
  const own = frames.filter(({ agent, label }) => agent === adapter.agentType && label.state !== NO_AGENT);
  const asked = own.flatMap((frame) => {
    const prompt = promptOf(frame, adapter);
    return prompt === null ? [] : [isWork(frame, adapter, prompt)];
  });
  const untold = own.filter((frame) => isWork(frame, adapter, null));
  const columns = [
    adapter.displayName,
    share(asked.filter(Boolean).length, asked.length),
    share(untold.length, own.length),
    BESIDE[adapter.agentType] ?? "",
  ];
  return `| ${columns.join(" | ")} |`;
};

const { frames, problems } = loadCorpus(CORPUS);
for (const { file, problem } of problems) console.error(`${file}: ${problem}`);
const rows = createAdapterRegistry()
  .list()
  .filter(({ agentType }) => frames.some(({ agent }) => agent === agentType))
  .map((adapter) => rowOf(adapter, frames));
console.log("| agent | with hooks | without, by the title alone | without hooks, what else tells it |");
console.log("| ----- | ---------------------- | --------------------------- | ------------------------- |");
for (const row of rows) console.log(row);
process.exitCode = problems.length === 0 ? 0 : 1;

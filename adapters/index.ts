// The registry of adapters, and which of them a pane's processes belong to. The only file that names all agents.
import type { AgentAdapter, IdentifyMatch } from "../core/ports/agentAdapter.ts";
import type { Confidence } from "../core/model/state.ts";
import type { ProcessInfo } from "../core/model/runtime.ts";
import { inEditors } from "./common/editorWindow.ts";
import { byRightName } from "./common/commandLine.ts";
import { createAntigravityAdapter } from "./antigravity/index.ts";
import { createArcaneAdapter } from "./arcane/index.ts";
import { createClaudeAdapter } from "./claude/index.ts";
import { createClineAdapter } from "./cline/index.ts";
import { createCodexAdapter } from "./codex/index.ts";
import { createCopilotAdapter } from "./copilot/index.ts";
import { createCursorAdapter } from "./cursor/index.ts";
import { createGeminiAdapter } from "./gemini/index.ts";
import { createGjcAdapter } from "./gjc/index.ts";
import { createKiloAdapter } from "./kilo/index.ts";
import { createOmpAdapter } from "./omp/index.ts";
import { createOpencodeAdapter } from "./opencode/index.ts";
import { createPiAdapter } from "./pi/index.ts";
import { createQwenAdapter } from "./qwen/index.ts";

interface Identified {
  adapter: AgentAdapter;
  match: IdentifyMatch;
}

export interface AdapterRegistry {
  list(): readonly AgentAdapter[];
  byAgentType(agentType: string): AgentAdapter | null;
  /**
   * The agent of a pane, given its processes with parents before children: the most confident match. Of equal ones the
   * ancestor wins, because an agent may start another as a tool; null when that does not decide either.
   */
  identify(processes: readonly ProcessInfo[]): Identified | null;
}

const RANK: Readonly<Record<Confidence, number>> = { high: 2, medium: 1, low: 0 };

const isAncestor = (of: ProcessInfo, candidate: ProcessInfo, processes: readonly ProcessInfo[]): boolean => {
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  const seen = new Set<number>();
  for (let at = byPid.get(of.ppid); at !== undefined && !seen.has(at.pid); at = byPid.get(at.ppid)) {
    if (at.pid === candidate.pid) return true;
    seen.add(at.pid);
  }
  return false;
};

const builtInAdapters = (): readonly AgentAdapter[] =>
  [
    createAntigravityAdapter(),
    createArcaneAdapter(),
    createClaudeAdapter(),
    createClineAdapter(),
    createCodexAdapter(),
    createCopilotAdapter(),
    createCursorAdapter(),
    createGeminiAdapter(),
    createGjcAdapter(),
    createKiloAdapter(),
    createOmpAdapter(),
    createOpencodeAdapter(),
    createPiAdapter(),
    createQwenAdapter(),
  ].map(inEditors);

/** Pure over the given adapters; agent types must differ. */
export const createAdapterRegistry = (
  adapters: readonly AgentAdapter[] = builtInAdapters(),
): AdapterRegistry => ({
  list: () => adapters,
  byAgentType: (agentType) => adapters.find((adapter) => adapter.agentType === agentType) ?? null,
  identify(processes) {
    const found = adapters.flatMap((adapter) => {
      const seen = processes.flatMap((process) => byRightName(adapter, process) ?? []);
      const match = adapter.identify(seen);
      const process = processes.find(({ pid }) => pid === match?.process.pid);
      return match === null || process === undefined ? [] : [{ adapter, match: { ...match, process } }];
    });
    const best = Math.max(...found.map(({ match }) => RANK[match.confidence]));
    const top = found.filter(({ match }) => RANK[match.confidence] === best);
    const winner = top.find((one) =>
      top.every((other) => other === one || isAncestor(other.match.process, one.match.process, processes)),
    );
    return winner ?? null;
  },
});

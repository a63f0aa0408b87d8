// Every agent that can be driven.
import type { AgentId } from "./agentIds.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import type { LiveAgent } from "./liveAgent.ts";
import { omp } from "./omp.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";

export const LIVE_AGENTS: Readonly<Record<AgentId, LiveAgent>> = {
  claude,
  codex,
  gemini,
  copilot,
  opencode,
  omp,
  pi,
};

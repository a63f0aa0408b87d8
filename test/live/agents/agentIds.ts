// The agents that can be driven, by the names that agtmux gives them.
export const AGENT_IDS = [
  "claude",
  "codex",
  "gemini",
  "copilot",
  "opencode",
  "omp",
  "pi",
  "qwen",
  "kilo",
  "cline",
] as const;
export type AgentId = (typeof AGENT_IDS)[number];

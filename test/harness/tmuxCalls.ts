// How product code calls tmux on a test's private server.
import type { TargetExecutor } from "../../core/ports/targetExecutor.ts";
import { createTmuxCalls, type TmuxCalls } from "../../core/tmux/tmuxCalls.ts";
import type { VersionKnowledge } from "../../core/tmux/findTmux.ts";
import { realClock } from "../setup/realClock.ts";

export const callsOn = (
  executor: TargetExecutor,
  socketPath: string,
  {
    server = "test",
    tmuxPath = "tmux",
    knowledge = "tested",
  }: { server?: string; tmuxPath?: string; knowledge?: VersionKnowledge } = {},
): TmuxCalls =>
  createTmuxCalls({
    executor,
    tmuxPath,
    knowledge: async () => knowledge,
    socket: { server, socketPath },
    clock: realClock,
  });

// How product code calls tmux on a test's private server.
import type { TargetExecutor } from "../../core/ports/targetExecutor.ts";
import { createTmuxCalls, type TmuxCalls } from "../../core/tmux/tmuxCalls.ts";
import { realClock } from "../setup/realClock.ts";

export const callsOn = (
  executor: TargetExecutor,
  socketPath: string,
  { server = "test", tmuxPath = "tmux" }: { server?: string; tmuxPath?: string } = {},
): TmuxCalls =>
  createTmuxCalls({
    executor,
    tmuxPath,
    knowledge: async () => "tested",
    socket: { server, socketPath },
    clock: realClock,
  });

// What an event costs the agent: the hook's run time beside that of an empty shell and an empty Node, in turns.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Medians of whole processes, start to end, as a parent sees them. */
export interface HookBench {
  name: string;
  medianMs: number;
  emptyShellMs: number;
  emptyNodeMs: number;
  runs: number;
}

const RUNS = 60;

const timeOf = (program: string, args: readonly string[], input: string): number => {
  const from = performance.now();
  const result = spawnSync(program, args, { input });
  if (result.status !== 0) throw new Error(`bench hook: ${program} failed`);
  return performance.now() - from;
};
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export const benchHook = (): Promise<HookBench> => {
  const home = mkdtempSync(join(tmpdir(), "agtmux-bench-hook-"));
  try {
    for (const folder of ["bin", "spool/tmp", "spool/new"])
      mkdirSync(join(home, folder), { recursive: true });
    const script = join(home, "bin", "agtmux-event");
    copyFileSync(join(import.meta.dirname, "../resources/hooks/agtmux-event"), script);
    chmodSync(script, 0o755);
    const payload = JSON.stringify({ hook_event_name: "PreToolUse", tool_input: "x".repeat(2_000) });
    const hook: number[] = [];
    const shell: number[] = [];
    const node: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      hook.push(timeOf(script, ["claude", "PreToolUse"], payload));
      shell.push(timeOf("sh", ["-c", "true"], ""));
      node.push(timeOf(process.execPath, ["-e", "0"], ""));
    }
    const dropped = readdirSync(join(home, "spool", "new")).length;
    if (dropped !== RUNS) throw new Error(`bench hook: ${dropped} of ${RUNS} events were dropped`);
    return Promise.resolve({
      name: "hook: one event",
      medianMs: median(hook),
      emptyShellMs: median(shell),
      emptyNodeMs: median(node),
      runs: RUNS,
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

// What an event costs the agent: the hook's run time beside that of an empty shell and an empty Node, in turns.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atMost, type BenchOptions, type Measured } from "./report/model.ts";
import { SPREAD_HEAD, spreadCells } from "./report/words.ts";
import { spreadOf } from "./statistics.ts";

const RUNS = 100;
const QUICK_RUNS = 3;
const MAX_MS = 5;
const MAX_SHELLS = 4;

const timeOf = (program: string, args: readonly string[], input: string): number => {
  const from = performance.now();
  const result = spawnSync(program, args, { input });
  if (result.status !== 0) throw new Error(`bench hook: ${program} failed`);
  return performance.now() - from;
};

/** In turns, so that other load of the machine affects all three alike. */
const timeInTurns = (script: string, runs: number) => {
  const payload = JSON.stringify({ hook_event_name: "PreToolUse", tool_input: "x".repeat(2_000) });
  const [hook, shell, node]: number[][] = [[], [], []];
  for (let run = 0; run < runs; run += 1) {
    hook?.push(timeOf(script, ["claude", "PreToolUse"], payload));
    shell?.push(timeOf("sh", ["-c", "true"], ""));
    node?.push(timeOf(process.execPath, ["-e", "0"], ""));
  }
  return { hook: spreadOf(hook ?? []), shell: spreadOf(shell ?? []), node: spreadOf(node ?? []) };
};

export const benchHook = ({ isQuick }: BenchOptions): Promise<Measured> => {
  const runs = isQuick ? QUICK_RUNS : RUNS;
  const home = mkdtempSync(join(tmpdir(), "agtmux-bench-hook-"));
  try {
    for (const folder of ["bin", "spool/tmp", "spool/new"])
      mkdirSync(join(home, folder), { recursive: true });
    const script = join(home, "bin", "agtmux-event");
    copyFileSync(join(import.meta.dirname, "../resources/hooks/agtmux-event"), script);
    chmodSync(script, 0o755);
    const figures = timeInTurns(script, runs);
    const dropped = readdirSync(join(home, "spool", "new")).length;
    if (dropped !== runs) throw new Error(`bench hook: ${dropped} of ${runs} events were dropped`);
    const { hook, shell, node } = figures;
    const row = (name: string, spread: typeof hook): string[] => [
      name,
      ...spreadCells(spread),
      `${(spread.median / shell.median).toFixed(1)} ×`,
    ];
    return Promise.resolve({
      name: "hook",
      title: "Cost of a hook to its agent",
      how: "Whole processes from start to end as a parent sees them, the three in turns; the hook gets a payload of 2 kB and writes it to the spool.",
      tables: [
        {
          caption: "One process",
          head: ["", ...SPREAD_HEAD, "by `sh -c true`"],
          rows: [
            row("the hook", hook),
            row("`sh -c true`", shell),
            row("`node -e 0`: a hook written in Node before it does anything", node),
          ],
        },
      ],
      checks: [
        atMost(
          `hook, median: ${MAX_MS} ms or ${MAX_SHELLS} × \`sh -c true\``,
          hook.median,
          Math.max(MAX_MS, MAX_SHELLS * shell.median),
          "ms",
        ),
      ],
      notes: [],
      figures,
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

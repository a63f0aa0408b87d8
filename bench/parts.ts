// Every part of the report, in the order in which it is printed.
import { benchGrowth } from "./growth.ts";
import { benchHook } from "./hook.ts";
import { benchIngest } from "./ingest.ts";
import { benchLatency } from "./latency.ts";
import { benchLists } from "./lists.ts";
import type { BenchOptions, Measured } from "./report/model.ts";
import { benchScale } from "./scale.ts";
import { benchSsh } from "./sshPart.ts";
import { benchTmux } from "./tmux.ts";
import { benchWatching } from "./watching.ts";

export interface Part {
  /** One of them in `--only` runs it; it measures only what was named. */
  names: readonly string[];
  /** Not run unless it is named: it takes many minutes. */
  isLong?: boolean;
  run(options: BenchOptions, wants: ReadonlySet<string>): Promise<Measured[]>;
}

const one =
  (measure: (options: BenchOptions) => Promise<Measured>): Part["run"] =>
  async (options) => [await measure(options)];

export const PARTS: readonly Part[] = [
  { names: ["latency"], run: one(benchLatency) },
  { names: ["idle", "busy", "naive"], run: benchWatching },
  { names: ["hook"], run: one(benchHook) },
  { names: ["ingest"], run: one(benchIngest) },
  { names: ["lists"], run: one(benchLists) },
  { names: ["growth"], run: one(benchGrowth) },
  { names: ["scale"], run: one(benchScale) },
  { names: ["tmux"], run: one(benchTmux) },
  { names: ["ssh"], isLong: true, run: one(benchSsh) },
];

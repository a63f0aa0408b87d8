// Every part of the report, in the order in which it is printed. Each is loaded when it runs: what a part needs may be large.
import type { BenchOptions, Measured } from "./report/model.ts";

export interface Part {
  /** One of them in `--only` runs it; it measures only what was named. */
  names: readonly string[];
  /** Not run unless it is named: it takes many minutes. */
  isLong?: boolean;
  run(options: BenchOptions, wants: ReadonlySet<string>): Promise<Measured[]>;
}

const one =
  (load: () => Promise<(options: BenchOptions) => Promise<Measured>>): Part["run"] =>
  async (options) => {
    const measure = await load();
    return [await measure(options)];
  };

export const PARTS: readonly Part[] = [
  { names: ["latency"], run: one(async () => (await import("./latency.ts")).benchLatency) },
  {
    names: ["idle", "busy", "naive"],
    run: async (options, wants) => (await import("./watching.ts")).benchWatching(options, wants),
  },
  { names: ["background"], run: one(async () => (await import("./background.ts")).benchBackground) },
  { names: ["wishes"], run: one(async () => (await import("./optional.ts")).benchOptional) },
  { names: ["darwin"], run: one(async () => (await import("./darwin.ts")).benchDarwin) },
  { names: ["hook"], run: one(async () => (await import("./hook.ts")).benchHook) },
  { names: ["ingest"], run: one(async () => (await import("./ingest.ts")).benchIngest) },
  { names: ["lists"], run: one(async () => (await import("./lists.ts")).benchLists) },
  { names: ["growth"], run: one(async () => (await import("./growth.ts")).benchGrowth) },
  { names: ["scale"], run: one(async () => (await import("./scale.ts")).benchScale) },
  { names: ["tmux"], run: one(async () => (await import("./tmux.ts")).benchTmux) },
  { names: ["automation"], run: one(async () => (await import("./automation.ts")).benchAutomation) },
  {
    names: ["automation-local"],
    run: one(async () => (await import("./automation.ts")).benchAutomationLocal),
  },
  {
    names: ["automation-ssh"],
    isLong: true,
    run: one(async () => (await import("./automation.ts")).benchAutomationSsh),
  },
  { names: ["ssh"], isLong: true, run: one(async () => (await import("./sshPart.ts")).benchSsh) },
];

// The suites that talk to tmux, one by one, with a tmux program of one's own choice in the place of the system's.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as z from "zod";

const ROOT = join(import.meta.dirname, "..", "..");
const STORM_ASKS = "20000";

export interface Part {
  name: string;
  paths: readonly string[];
  /** The tmux of this machine, or only that of the remote side of a real sshd, with the system's here. */
  where: "here" | "remote";
}

export const PARTS: readonly Part[] = [
  { name: "core/tmux", paths: ["core/tmux"], where: "here" },
  { name: "core/actions", paths: ["core/actions"], where: "here" },
  { name: "test/chain", paths: ["test/chain"], where: "here" },
  { name: "test/actions", paths: ["test/actions"], where: "here" },
  {
    name: "test/workspaces",
    paths: ["start", "firstTask", "restore"].map((name) => `test/workspaces/${name}.`),
    where: "here",
  },
  { name: "test/neighbour", paths: ["test/neighbour"], where: "here" },
  { name: "plugin", paths: ["test/picker/tmuxPlugin."], where: "here" },
  {
    name: "remote",
    paths: ["test/ssh/target.", "test/ssh/actions."],
    where: "remote",
  },
];

export const outcomeSchema = z.object({
  passed: z.number(),
  skipped: z.number(),
  failed: z.array(z.string()),
});
export type Outcome = z.infer<typeof outcomeSchema>;

const reportSchema = z.object({
  numPassedTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** A file that could not even be loaded counts as one failure; so does a runner that left no report. */
const readReport = (path: string): Outcome => {
  const report = reportSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  const failed = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === "failed").map((test) => test.fullName);
    return status === "failed" && tests.length === 0 ? [`${name}: ${message.slice(0, 200)}`] : tests;
  });
  return { passed: report.numPassedTests, skipped: report.numPendingTests, failed };
};

export const runPart = ({ paths, where }: Part, program: string): Outcome => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-with-tmux-"));
  try {
    symlinkSync(resolve(program), join(folder, "tmux"));
    const report = join(folder, "report.json");
    const { PATH = "" } = process.env;
    const env = {
      ...process.env,
      AGTMUX_TEST_REPORT: report,
      AGTMUX_NEIGHBOUR: "whole",
      AGTMUX_STORM_ASKS: process.env["AGTMUX_STORM_ASKS"] ?? STORM_ASKS,
      ...(where === "here" ? { PATH: `${folder}:${PATH}` } : { AGTMUX_REMOTE_TMUX: resolve(program) }),
    };
    const vitest = join(ROOT, "node_modules", ".bin", "vitest");
    const { status } = spawnSync(vitest, ["run", ...paths], { cwd: ROOT, env, stdio: ["ignore", 2, 2] });
    const outcome = readReport(report);
    return status !== 0 && outcome.failed.length === 0
      ? { ...outcome, failed: [`the runner ended with ${status}`] }
      : outcome;
  } catch (error) {
    return {
      passed: 0,
      skipped: 0,
      failed: [`no report: ${error instanceof Error ? error.message : String(error)}`],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

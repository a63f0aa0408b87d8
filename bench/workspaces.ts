// `npm run bench:workspaces`: how long after `start` an agent has its row, and what comes of its task, and how many programs of git
// run while rows are shown and while they are not. Real tmux, real git, the daemon in this process; the agent is a played one that
// tells of its session as the real one does. `--starts N`, `--seconds N`.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startedSchema, type Started } from "../core/model/workspace.ts";
import { connectTo } from "../test/harness/daemonProcess.ts";
import { git } from "../test/workspaces/hostileRepository.ts";
import { openStartHarness } from "../test/workspaces/startHarness.ts";
import { describeMachine } from "./machine.ts";
import { spreadOf } from "./statistics.ts";

const { values } = parseArgs({
  options: { starts: { type: "string", default: "20" }, seconds: { type: "string", default: "60" } },
});
const STARTS = Number(values.starts);
const SECONDS = Number(values.seconds);
const REPOSITORIES = 5;
const TASK_WAIT_MS = 15_000;

console.log(describeMachine());
const folder = mkdtempSync(join(tmpdir(), "agtmux-bench-git-"));
const counted = join(folder, "runs");
const real = (process.env["PATH"] ?? "")
  .split(":")
  .map((one) => join(one, "git"))
  .find(existsSync);
if (real === undefined) throw new Error("git is not installed");
writeFileSync(counted, "");
writeFileSync(join(folder, "git"), `#!/bin/sh\nprintf x >>'${counted}'\nexec '${real}' "$@"\n`);
chmodSync(join(folder, "git"), 0o755);
const gitRuns = (): number => readFileSync(counted, "utf8").length;
/** Programs of git per minute and repository, over so many seconds. */
const perMinute = async (seconds: number): Promise<string> => {
  const before = gitRuns();
  await wait(seconds * 1_000);
  return ((gitRuns() - before) / REPOSITORIES / (seconds / 60)).toFixed(1);
};

process.env["PATH"] = `${folder}:${process.env["PATH"] ?? ""}`;
const harness = await openStartHarness({ turnMs: 300 });
const { service } = harness;
const { paths } = harness.daemon;
const client = await connectTo(paths.home, 10_000);
const start = async (input: object): Promise<Started> =>
  startedSchema.parse(
    await client.forward("workspaces.start", "mutation", { agent: "claude", surface: "bench", ...input }),
  );
try {
  const repositories = Array.from({ length: REPOSITORIES }, (_, index) => {
    const path = join(harness.root, `repository-${index}`);
    mkdirSync(path);
    git(path, "init", "-q", "-b", "main");
    writeFileSync(join(path, "a.txt"), "one\n");
    git(path, "add", ".");
    git(path, "commit", "-q", "-m", "one");
    writeFileSync(join(path, "a.txt"), "two\n");
    return path;
  });
  const toRow: number[] = [];
  const toTask: number[] = [];
  const outcomes: Record<string, number> = {};
  for (let index = 0; index < STARTS; index += 1) {
    const began = performance.now();
    const { pane_ref } = await start({
      folder: repositories[index % REPOSITORIES] ?? "",
      waitMs: TASK_WAIT_MS,
    });
    if (pane_ref === null) throw new Error("an agent was started and got no row");
    toRow.push(performance.now() - began);
  }
  for (let index = 0; index < STARTS; index += 1) {
    const began = performance.now();
    const { prompt } = await start({ folder: harness.root, text: `task ${index}`, waitMs: TASK_WAIT_MS });
    outcomes[prompt] = (outcomes[prompt] ?? 0) + 1;
    toTask.push(performance.now() - began);
  }
  const [row, task] = [spreadOf(toRow), spreadOf(toTask)];
  console.log(
    `start \u2192 row     median ${row.median.toFixed(0)} ms, p95 ${row.p95.toFixed(0)} ms (${STARTS} agents)`,
  );
  console.log(
    `start \u2192 task in median ${task.median.toFixed(0)} ms, p95 ${task.p95.toFixed(0)} ms, ${JSON.stringify(outcomes)}`,
  );
  console.log(`git per minute and repository, hidden ${await perMinute(Math.min(SECONDS, 30))}`);
  const showing = new AbortController();
  const shown = (async () => {
    const feed = service.feed({ since: null, sinceTime: null, all: false, shown: true }, showing.signal);
    for await (const _entry of feed) if (showing.signal.aborted) return;
  })();
  console.log(`git per minute and repository, shown  ${await perMinute(SECONDS)}`);
  showing.abort();
  await shown;
} finally {
  client.close();
  await harness.close();
  rmSync(folder, { recursive: true, force: true });
}

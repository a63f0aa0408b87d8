// Every line of `watch --format jsonl` says what was asked and what the totals are, as every other JSON document does.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { agentFile } from "../test/harness/agentFile.ts";
import { watchLineSchema } from "../core/model/documents.ts";
import { openCommandLine, serveDaemon, type CommandLine } from "../test/harness/commandLine.ts";
import { startTestDaemon, type TestDaemon } from "../test/harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../test/harness/privateTmux.ts";
import { until } from "../test/setup/realClock.ts";

let root: string;
let tmux: PrivateTmux;
let running: TestDaemon;
let cli: CommandLine;
let stop: () => Promise<void>;
beforeEach(async () => {
  tmux = createPrivateTmux();
  root = mkdtempSync(join(tmpdir(), "agtmux-wf-"));
  // The name by which an agent is known is all that these panes need to be one.
  copyFileSync(execFileSync("sh", ["-c", "command -v cat"], { encoding: "utf8" }).trim(), agentFile(root));
  await tmux.newSession("one", `exec ${agentFile(root)}`);
  running = await startTestDaemon({ sockets: [tmux.socketPath] });
  stop = await serveDaemon(running);
  cli = openCommandLine(running.paths.home);
});
afterEach(async () => {
  await cli.close();
  await stop();
  await running.close();
  await tmux.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

it.each(["panes", "windows", "sessions"])(
  "of %s has filters and summary",
  async (scope) => {
    const args = ["watch", "--format", "jsonl", "--scope", scope, "--target", "host", "--all"];
    const watching = cli.start(args);
    await until(() => watching.lines().length > 0, "a first line came", 20_000);
    await tmux.newSession("two", `exec ${agentFile(root)}`);
    await until(() => watching.lines().some((line) => line.includes('"two"')), "a change came", 20_000);
    for (const line of watching.lines()) {
      const read = watchLineSchema.parse(JSON.parse(line));
      expect(read.filters).toMatchObject({ target: ["host"] });
      expect(read.summary).toMatchObject({ total: expect.any(Number), by_target: expect.any(Object) });
    }
    const once = await cli.run([...args, "--once", "--since", "0"]);
    for (const line of once.stdout.split("\n").slice(0, -1)) watchLineSchema.parse(JSON.parse(line));
  },
  60_000,
);

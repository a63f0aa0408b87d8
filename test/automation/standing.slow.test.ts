// The watches that docs/automation.md puts into the rules file, as they stand there: the real command line, a real daemon, an agent on
// real tmux that comes later, a channel that receives.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { ChannelMessage } from "../../features/automation/channels/channelMessage.ts";
import { openHarness } from "../actions/actionHarness.ts";
import { openAgent } from "../actions/agentPane.ts";
import { openCommandLine, serveDaemon } from "../harness/commandLine.ts";
import { until } from "../setup/realClock.ts";

const LIMIT_MS = 60_000;
const WORKING = fileURLToPath(new URL("../fixtures/recordings/claude/running.txt", import.meta.url));
const TEXT = readFileSync(fileURLToPath(new URL("../../docs/automation.md", import.meta.url)), "utf8");
const SECTION = TEXT.slice(TEXT.indexOf("### Watches that stand"), TEXT.indexOf("## Texts for later"));
const RULES = /```json\n(.*?)```/s.exec(SECTION)?.[1] ?? "";

it(
  "the watches of the page tell of an agent that comes later, are listed, and rest while paused",
  { timeout: LIMIT_MS },
  async () => {
    const root = mkdtempSync(join(tmpdir(), "agtmux-standing-"));
    const messages = join(root, "messages");
    const harness = await openHarness();
    const stopServing = await serveDaemon(harness.daemon);
    const cli = openCommandLine(harness.daemon.paths.home);
    const print = async (...args: string[]): Promise<string> => (await cli.run(args)).stdout;
    const told = (): ChannelMessage[] =>
      existsSync(messages)
        ? readFileSync(messages, "utf8")
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line) as ChannelMessage)
        : [];
    try {
      const argv = ["sh", "-c", 'cat >> "$1"', "sh", messages];
      const phone = { name: "phone", kind: "command", argv, events: [], include: "request" };
      writeFileSync(harness.daemon.paths.config, JSON.stringify({ channels: [phone] }));
      await harness.service.configGet(undefined);
      // Nobody waits for ten minutes here, and the agent works in another folder.
      const rules = RULES.replace("quiet:10m", "quiet:2s").replace("/home/me/work", "/");
      writeFileSync(join(harness.daemon.paths.home, "rules.json"), rules, { mode: 0o600 });
      expect(await print("rule", "check")).toBe("2 rules are good.\n");
      expect(harness.daemon.daemon.keepsAwake).toBe(true);

      const agent = await openAgent(harness, {}, "agent");
      await harness.tmux.run("send-keys", "-t", agent.row.identity.pane_id, "-l", " 7 failed");
      await until(() => told().length > 0, "its line is told", 20_000);
      expect(told()[0]).toMatchObject({ kind: "watch", text: expect.stringContaining("7 failed") });
      await openAgent(harness, { working: WORKING }, "busy");
      await until(() => told().length > 1, "its silence is told", 20_000);
      expect(told()[1]?.title).toContain("has shown nothing new for 2s");

      const list = await print("rule", "list");
      expect(list).toMatch(/too-quiet +notify +in force +1/);
      expect(list).toContain('watch: "match:[1-9][0-9]* failed"');
      expect(list).toContain('channel: "phone"');
      expect(await print("rule", "log")).toMatch(/too-quiet +tell +has shown nothing new for 2s/);
      await print("automation", "pause");
      await openAgent(harness, { working: WORKING }, "late");
      await new Promise((done) => setTimeout(done, 4_000));
      expect(told()).toHaveLength(2);
    } finally {
      await cli.close();
      await stopServing();
      await harness.close();
      rmSync(root, { recursive: true, force: true });
    }
  },
);

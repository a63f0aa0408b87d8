// Watches on a daemon whose channel writes into a file: those that a person arms, and those that docs/automation.md puts into the
// rules file.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChannelMessage } from "../../features/automation/channels/channelMessage.ts";
import { openServed } from "../actions/servedHarness.ts";

const TEXT = readFileSync(fileURLToPath(new URL("../../docs/automation.md", import.meta.url)), "utf8");
const SECTION = TEXT.slice(TEXT.indexOf("### Watches in the rules file"), TEXT.indexOf("## Texts for later"));
const RULES = /```json\n(.*?)```/s.exec(SECTION)?.[1] ?? "";

interface Test {
  onTestFinished(close: () => Promise<void>): void;
}

/** With a daemon of its own, which is gone with the test: others wait at the same time. */
export const openWatches = async (test: Test) => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-watch-"));
  const messages = join(root, "messages");
  const { harness, cli, restart, close } = await openServed();
  test.onTestFinished(async () => {
    await close();
    rmSync(root, { recursive: true, force: true });
  });
  const argv = ["sh", "-c", 'cat >> "$1"', "sh", messages];
  const phone = { name: "phone", kind: "command", argv, events: [], include: "request" };
  writeFileSync(harness.daemon.paths.config, JSON.stringify({ channels: [phone] }));
  await harness.service.configGet(undefined);
  return {
    harness,
    cli,
    restart,
    /** What a command prints. */
    print: async (...args: string[]): Promise<string> => (await cli.run(args)).stdout,
    told: (): ChannelMessage[] =>
      existsSync(messages)
        ? readFileSync(messages, "utf8")
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line) as ChannelMessage)
        : [],
  };
};

/** The same with the watches of the page. */
export const openStandingWatches = async (test: Test) => {
  const watches = await openWatches(test);
  // Nobody waits for ten minutes here, and the agent works in another folder.
  const rules = RULES.replace("quiet:10m", "quiet:2s").replace("/home/me/work", "/");
  writeFileSync(join(watches.harness.daemon.paths.home, "rules.json"), rules, { mode: 0o600 });
  return watches;
};

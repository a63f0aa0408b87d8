// The watches that docs/automation.md puts into the rules file, in force on a daemon whose channel writes into a file.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChannelMessage } from "../../features/automation/channels/channelMessage.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { openCommandLine, serveDaemon } from "../harness/commandLine.ts";

const TEXT = readFileSync(fileURLToPath(new URL("../../docs/automation.md", import.meta.url)), "utf8");
const SECTION = TEXT.slice(TEXT.indexOf("### Watches that stand"), TEXT.indexOf("## Texts for later"));
const RULES = /```json\n(.*?)```/s.exec(SECTION)?.[1] ?? "";

export interface StandingWatches {
  readonly harness: Harness;
  /** What a command prints. */
  readonly print: (...args: string[]) => Promise<string>;
  readonly told: () => ChannelMessage[];
}

/** Gone with its test. */
export const openStandingWatches = async (test: {
  onTestFinished(close: () => Promise<void>): void;
}): Promise<StandingWatches> => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-standing-"));
  const messages = join(root, "messages");
  const harness = await openHarness();
  const stopServing = await serveDaemon(harness.daemon);
  const cli = openCommandLine(harness.daemon.paths.home);
  test.onTestFinished(async () => {
    await cli.close();
    await stopServing();
    await harness.close();
    rmSync(root, { recursive: true, force: true });
  });
  const argv = ["sh", "-c", 'cat >> "$1"', "sh", messages];
  const phone = { name: "phone", kind: "command", argv, events: [], include: "request" };
  writeFileSync(harness.daemon.paths.config, JSON.stringify({ channels: [phone] }));
  await harness.service.configGet(undefined);
  // Nobody waits for ten minutes here, and the agent works in another folder.
  const rules = RULES.replace("quiet:10m", "quiet:2s").replace("/home/me/work", "/");
  writeFileSync(join(harness.daemon.paths.home, "rules.json"), rules, { mode: 0o600 });
  return {
    harness,
    print: async (...args) => (await cli.run(args)).stdout,
    told: () =>
      existsSync(messages)
        ? readFileSync(messages, "utf8")
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line) as ChannelMessage)
        : [],
  };
};

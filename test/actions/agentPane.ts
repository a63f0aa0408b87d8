// Opens a pane with the program that has an input box, waits until it is seen to be at rest, and reads what it was sent.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PaneView } from "../../core/model/view.ts";
import type { Harness } from "./actionHarness.ts";

const SCRIPT = fileURLToPath(new URL("boxAgent.mjs", import.meta.url));

export interface AgentPane {
  readonly row: PaneView;
  readonly paneId: string;
  /** Submitted texts, and the word "escape" for each Escape. */
  received(): string[];
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** `cwd`: where it works. `settings`: its own folder of settings, in place of the usual one. `working` in the options: a screen of a turn, and then it is waited for that one. */
export const openAgent = async (
  harness: Harness,
  options: { working?: string; [name: string]: unknown } = {},
  name = "one",
  cwd = harness.tmux.folder,
  settings?: string,
): Promise<AgentPane> => {
  const folder = mkdtempSync(join(harness.tmux.folder, `${name}-`));
  const script = join(folder, "@anthropic-ai", "claude-code", "cli.mjs");
  mkdirSync(dirname(script), { recursive: true });
  copyFileSync(SCRIPT, script);
  const log = join(folder, "received");
  const command = [process.execPath, script, log, JSON.stringify(options)].map(quoted).join(" ");
  const env = settings === undefined ? "" : `env CLAUDE_CONFIG_DIR=${quoted(settings)} `;
  const opened = await harness.open(`cd ${quoted(cwd)} && exec ${env}${command}`);
  const paneId = opened.identity.pane_id;
  const expected = options.working === undefined ? "idle" : "running";
  const row = await harness.daemon.until(paneId, ({ state }) => state === expected, 10_000);
  return {
    row,
    paneId,
    received: () =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => (line === "escape" ? line : String(JSON.parse(line))))
        : [],
  };
};

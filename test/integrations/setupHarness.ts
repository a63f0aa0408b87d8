// A HOME with the settings of seven agents, a daemon process and a tmux server for them, and `agtmux setup` as the real command there.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, vi } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import type { SetupDocument } from "../../core/model/documents.ts";
import { startProgram, type Finished } from "../harness/commandLine.ts";
import { spawnDaemon } from "../harness/daemonProcess.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";

/** As people have them: others' hooks, comments, odd indentation, no final newline. */
export const SETTINGS: Readonly<Record<string, string>> = {
  ".claude/settings.json": `{\n\t"theme": "dark",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\n}`,
  ".codex/hooks.json": `{"hooks": {}}\n`,
  ".codex/config.toml": `model = "o5"\nnotify = ["say", "done"]\n`,
  ".gemini/settings.json": `// mine\n{\n  "ui": { "hideTips": true }\n}\n`,
  ".copilot/config.json": `{ "banner": "never" }\n`,
  ".config/opencode/opencode.json": `{ "$schema": "https://opencode.ai/config.json" }\n`,
  ".omp/agent/settings.json": `{}\n`,
  ".pi/agent/settings.json": `{ "theme": "light" }\r\n`,
};
export const AGENTS = ["claude", "codex", "copilot", "gemini", "omp", "opencode", "pi"];

export interface SetupHome {
  readonly root: string;
  readonly home: string;
  readonly run: (...args: string[]) => Promise<Finished>;
  readonly setup: (...args: string[]) => Promise<Finished>;
  /** The command in a terminal; each answer is typed once its question stands there. Gives all that was shown. */
  readonly typed: (
    args: string,
    answers: readonly (readonly [question: string, answer: string])[],
  ) => Promise<string>;
  readonly document: (...args: string[]) => Promise<SetupDocument>;
  /** Every file below HOME with its mode and bytes. */
  readonly files: () => Record<string, string>;
}

/** Gone with its test. */
export const openSetupHome = async (test: {
  onTestFinished(close: () => Promise<void>): void;
}): Promise<SetupHome> => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-su-"));
  const home = join(root, "home");
  for (const [path, text] of Object.entries(SETTINGS)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  chmodSync(join(home, ".claude/settings.json"), 0o640);
  mkdirSync(join(root, "a"), { mode: 0o700 });
  const tmux = createPrivateTmux();
  await tmux.newSession("work");
  const env = {
    HOME: home,
    AGTMUX_HOME: join(root, "a"),
    AGTMUX_TMUX_SOCKETS: tmux.socketPath,
    AGTMUX_NO_START: "1",
    NO_COLOR: "1",
  };
  const daemon = await spawnDaemon({ home: join(root, "a"), env });
  test.onTestFinished(async () => {
    await daemon.stop();
    await tmux.close();
    rmSync(root, { recursive: true, force: true });
  });
  const run: SetupHome["run"] = (...args) =>
    startProgram(process.execPath, [CLI_ENTRY, ...args], env).finished;
  const setup: SetupHome["setup"] = (...args) => run("setup", ...args);
  return {
    root,
    home,
    run,
    setup,
    typed: async (args, answers) => {
      const words = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
      const command = `${words.join(" ")} '${process.execPath}' '${CLI_ENTRY}' ${args}; echo "status $?"; exec cat`;
      const paneId = await tmux.newSession("person", command);
      await tmux.run("set-option", "-g", "history-limit", "2000");
      const screen = () => tmux.run("capture-pane", "-p", "-J", "-S", "-", "-t", paneId);
      const within = { timeout: 20_000, interval: 100 };
      const shows = (text: string) => vi.waitFor(async () => expect(await screen()).toContain(text), within);
      for (const [question, answer] of answers) {
        await shows(question);
        await tmux.run("send-keys", "-t", paneId, ...(answer === "" ? [] : [answer]), "Enter");
      }
      await vi.waitFor(async () => expect(await screen()).toMatch(/^status \d/m), within);
      return screen();
    },
    document: async (...args) => {
      const { stdout, stderr } = await setup(...args, "--json");
      expect(stderr).toBe("");
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document's schema has its own tests
      return JSON.parse(stdout) as SetupDocument;
    },
    files: () =>
      Object.fromEntries(
        readdirSync(home, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .toSorted()
          .map((path) => [
            relative(home, path),
            `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, "utf8")}`,
          ]),
      ),
  };
};

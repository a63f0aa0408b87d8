// The history in the picker, on a real daemon and logs on disk: the list, a search in it, and the end of a session.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { recordedLog } from "../../adapters/testkit/recordedLog.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { serveDaemon } from "../harness/commandLine.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { RECORDED_PATHS } from "../history/historyHome.ts";

const WAIT = { timeout: 20_000, interval: 60 };

let harness: Harness;
let person: PrivateTmux;
let stopServing: () => Promise<void>;

const write = (path: string, text: string): void => {
  const file = join(harness.daemon.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

beforeEach(async () => {
  harness = await openHarness();
  stopServing = await serveDaemon(harness.daemon);
  for (const [agent, path] of Object.entries(RECORDED_PATHS)) write(path, recordedLog(`${agent}.jsonl`));
  const hostile = {
    type: "user",
    cwd: "/w",
    timestamp: "2026-11-30T10:00:00.000Z",
    message: { role: "user", content: "\u001B[2Jevil\u202E" },
  };
  write(".claude/projects/-w/aaaaaaaa-1111-1111-1111-111111111111.jsonl", `${JSON.stringify(hostile)}\n`);
  person = createPrivateTmux();
  const command = `env -u TMUX AGTMUX_HOME='${harness.daemon.paths.home}' AGTMUX_NO_START=1 '${process.execPath}' '${CLI_ENTRY}' pick`;
  await person.run(
    "new-session",
    "-d",
    "-x",
    "100",
    "-y",
    "30",
    "-s",
    "terminal",
    `${command}; echo "status $?"; exec cat`,
  );
}, 60_000);
afterEach(async () => {
  await person.close();
  await stopServing();
  await harness.close();
});

const screen = () => person.run("capture-pane", "-p", "-t", "terminal:");
const shows = (text: string) => vi.waitFor(async () => expect(await screen()).toContain(text), WAIT);
const showsNot = (text: string) => vi.waitFor(async () => expect(await screen()).not.toContain(text), WAIT);
const type = (...keys: string[]) => person.run("send-keys", "-t", "terminal:", ...keys);

it("lists sessions, finds one, shows its end, and goes back step by step", async () => {
  await shows("No agent runs in tmux.");
  await type("h");
  await shows("7 sessions");
  await shows("❯ [2Jevil⟨U+202E⟩");
  await shows("GitHub Copilot CLI · project · master");
  await type("/");
  await type("l", "a", "b", " ", "s");
  await shows("1 found");
  await type("Enter");
  await showsNot("GitHub Copilot CLI");
  await type("Enter");
  await shows("Session   Lab session");
  await shows("> SAY done");
  await type("PageUp", "PageUp");
  await shows("> SAY hello from the lab");
  await type("Escape");
  await shows("1 found");
  await type("Escape");
  await shows("7 sessions");
  await type("Escape");
  await shows("No agent runs in tmux.");
  await type("q");
  await shows("status 0");
});

it("says what is wrong when the daemon goes, and recovers with it", async () => {
  await shows("No agent runs in tmux.");
  await stopServing();
  stopServing = () => Promise.resolve();
  await shows("the daemon is gone");
  await type("h");
  await shows("The daemon is gone.");
  await type("Escape");
  await shows("No agent runs in tmux.");
});

// The history in the picker, on a real daemon and logs on disk: the list, a search in it, and the end of a session.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, it } from "vitest";
import { recordedLog } from "../../adapters/testkit/recordedLog.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { serveDaemon } from "../harness/commandLine.ts";
import { openRealPicker, type RealPicker } from "./realPicker.ts";
import { RECORDED_PATHS } from "../history/historyHome.ts";

let harness: Harness;
let picker: RealPicker;
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
  picker = await openRealPicker(harness);
}, 60_000);
afterEach(async () => {
  await picker.close();
  await stopServing();
  await harness.close();
});

it("lists sessions, finds one, shows its end, and goes back step by step", async () => {
  const { shows, showsNot, type } = picker;
  await shows("No agents in tmux.");
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
  await shows("No agents in tmux.");
  await type("q");
  await shows("status 0");
});

it("says what is wrong when the daemon goes, and recovers with it", async () => {
  const { shows, type } = picker;
  await shows("No agents in tmux.");
  await stopServing();
  stopServing = () => Promise.resolve();
  await shows("the daemon is gone");
  await type("h");
  await shows("The daemon is gone.");
  await type("Escape");
  await shows("No agents in tmux.");
});

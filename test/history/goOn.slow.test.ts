// Going on with a session, by the real command line on real tmux: in its own agent, and in another one after the person has edited
// what is handed over.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { openStartHarness, type StartHarness } from "../workspaces/startHarness.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const CLAUDE = "5f2d5b0a-4b7e-4f0a-9c61-0b1f6f0c5b11";
const CODEX = "01a2059b-7fc5-7cc3-a062-067da0b4b9f5";
let harness: StartHarness;
let person: PrivateTmux;
let folder: string;

const write = (path: string, lines: readonly object[]): void => {
  const file = join(harness.daemon.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
};
const place = (name: string): string => {
  const path = join(harness.root, name);
  mkdirSync(path, { recursive: true });
  return path;
};

beforeAll(async () => {
  harness = await openStartHarness();
  person = createPrivateTmux();
  folder = place("payments");
  const timestamp = "2026-11-22T10:00:00.000Z";
  const asked = {
    type: "user",
    sessionId: CLAUDE,
    cwd: folder,
    timestamp,
    message: { role: "user", content: "count the refunds" },
  };
  write(`.claude/projects/-w/${CLAUDE}.jsonl`, [asked]);
  write(`.codex/sessions/2026/11/22/rollout-2026-11-22T10-00-00-${CODEX}.jsonl`, [
    { type: "session_meta", timestamp, payload: { id: CODEX, cwd: folder, source: "cli" } },
    { type: "event_msg", timestamp, payload: { type: "user_message", message: "make the retries honest" } },
    { type: "event_msg", timestamp, payload: { type: "agent_message", message: "two tests fail" } },
  ]);
});
afterAll(async () => {
  await person.close();
  await harness.close();
});

/** In a terminal, as a person runs it, with this editor. */
const inTerminal = async (editor: string, ...args: string[]): Promise<() => Promise<string>> => {
  const name = `t${Math.random().toString(36).slice(2)}`;
  const words = args.map((word) => `'${word}'`).join(" ");
  const command = `env -u TMUX -u VISUAL EDITOR="${editor}" AGTMUX_HOME='${harness.daemon.paths.home}' AGTMUX_NO_START=1 '${process.execPath}' '${CLI_ENTRY}' ${words}`;
  await person.run(
    "new-session",
    "-d",
    "-x",
    "160",
    "-y",
    "30",
    "-s",
    name,
    `${command}; echo "status $?"; exec cat`,
  );
  return () => person.run("capture-pane", "-p", "-t", `${name}:`);
};
const ended = async (screen: () => Promise<string>): Promise<string> => {
  await until(async () => (await screen()).includes("status "), "the command ends", 30_000);
  return screen();
};

it("a session goes on in its own agent, in its folder, and not twice", async () => {
  const dry = await harness.cli(harness.root, "history", "resume", "0c5b11", "--dry-run");
  expect(dry.stdout).toContain(`Would start 'claude --resume ${CLAUDE}'`);
  expect(harness.starts()).toEqual([]);
  const done = await harness.cli(harness.root, "history", "resume", "0c5b11");
  expect([done.code, done.stderr]).toEqual([0, ""]);
  expect(harness.starts()).toEqual([{ folder, args: `--resume ${CLAUDE}` }]);
  await until(() => harness.agents().some((row) => row.agent_session_id === CLAUDE), "it is known", 20_000);
  const again = await harness.cli(harness.root, "history", "resume", "0c5b11");
  expect(again.code).not.toBe(0);
  expect(again.stderr).toContain("runs already");
  expect((await harness.cli(harness.root, "history", "list")).stdout).toContain("[open] count the refunds");
});

it("nothing is handed over that nobody has read", async () => {
  const before = harness.starts().length;
  const refused = await harness.cli(harness.root, "history", "handoff", CODEX, "--to", "claude");
  expect(refused.code).toBe(6);
  const emptied = await ended(
    await inTerminal("cp /dev/null", "history", "handoff", CODEX, "--to", "claude"),
  );
  expect(emptied).toContain("Nothing was handed over.");
  const failed = await ended(await inTerminal("false", "history", "handoff", CODEX, "--to", "claude"));
  expect(failed).toContain("Nothing was handed over.");
  expect(harness.starts()).toHaveLength(before);
});

it("the agent that has it open writes it itself, or it is said why not", async () => {
  const other = place("asked");
  const row = () => harness.agents().find((one) => one.agent_session_id === CLAUDE);
  const ref = row()?.short_ref ?? "";
  const log = join(harness.daemon.home, `.claude/projects/-w/${CLAUDE}.jsonl`);
  const tell = (lines: readonly object[]): void =>
    appendFileSync(log, lines.map((line) => `${JSON.stringify({ ...line, cwd: folder })}\n`).join(""));
  const asking = harness.cli(
    harness.root,
    "history",
    "handoff",
    ref,
    "--ask",
    "--to",
    "claude",
    "--cwd",
    other,
    "--yes",
  );
  await until(
    () => harness.received(folder).some((text) => text.includes("takes over this work")),
    "it is asked",
    20_000,
  );
  const [question = ""] = harness.received(folder).slice(-1);
  const socket = `${harness.tmux.socketPath},${await harness.tmux.serverPid()},0`;
  const hook = (event: string): void => {
    execFileSync(harness.daemon.eventScript, ["claude", event], {
      env: { ...process.env, TMUX: socket, TMUX_PANE: row()?.identity.pane_id ?? "" },
      input: JSON.stringify({ session_id: CLAUDE, cwd: folder, hook_event_name: event, prompt: question }),
    });
  };
  hook("UserPromptSubmit");
  await until(() => row()?.state === "running", "it works", 20_000);
  tell([
    { type: "user", message: { role: "user", content: question } },
    {
      type: "assistant",
      message: {
        id: "m",
        role: "assistant",
        content: [
          { type: "text", text: "## Goal\n\ncount them, key sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
        ],
      },
    },
  ]);
  hook("Stop");
  const done = await asking;
  expect([done.code, done.stdout.includes("The task was sent.")]).toEqual([0, true]);
  const [task = ""] = harness.received(other);
  expect(task).toContain("It wrote this itself");
  expect(task).toContain("count them");
  expect(task).not.toContain("sk-ant-api03");
  const closed = await harness.cli(harness.root, "history", "handoff", CODEX, "--ask");
  expect([closed.code, closed.stderr]).toEqual([
    27,
    expect.stringContaining("no agent is known to have session"),
  ]);
});

it("what the person left in the editor is the task of the other agent", async () => {
  const other = place("other");
  const screen = await ended(
    await inTerminal(
      "sed -i s/honest/HONEST/",
      "history",
      "handoff",
      CODEX,
      "--to",
      "claude",
      "--cwd",
      other,
    ),
  );
  expect(screen).toContain("The task was sent.");
  const [task = ""] = harness.received(other);
  expect(task).toContain("## Goal\n\nmake the retries HONEST");
  expect(task).toContain("two tests fail");
  expect(harness.starts().at(-1)?.folder).toBe(other);
});

it("a session is handed over to the account that is named, and to none that is not known", async () => {
  const work = join(harness.daemon.home, ".claude-work");
  mkdirSync(work, { recursive: true });
  await harness.daemon.configure({ agents: { claude: { folders: ["~/.claude-work"] } } });
  const handOver = (account: string) => {
    const words = ["history", "handoff", CODEX, "--to", "claude", "--account", account, "--yes", "--dry-run"];
    return harness.cli(harness.root, ...words);
  };
  const wrong = await handOver("nowhere");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("has no account 'nowhere'")]);
  const right = await handOver(".claude-work");
  expect([right.code, right.stdout]).toEqual([0, expect.stringContaining(`CLAUDE_CONFIG_DIR=${work}`)]);
});

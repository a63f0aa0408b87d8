// `agtmux answer` at a terminal, as a person has it: it shows the prompt and answers exactly that one.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { makeFakeHome, type FakeHome } from "../../cli/testing/fakeHome.ts";
import { makePane } from "../factories/view.ts";
import { AnsweringDaemon } from "../fakes/answeringDaemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

const FINGERPRINT = "9c1e5f0a7b3d2468";
const PANE = makePane({
  state: "waiting_approval",
  request: {
    kind: "command",
    title: "Bash command",
    body: "touch a.txt",
    is_whole: true,
    tool_name: "Bash",
    options: [
      { label: "Yes", keys: ["1"], role: "approve" },
      { label: "No", keys: ["2"], role: "deny" },
    ],
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  },
  fingerprint: FINGERPRINT,
});

let home: FakeHome;
let daemon: AnsweringDaemon;
let tmux: PrivateTmux;
beforeEach(async () => {
  home = makeFakeHome();
  daemon = new AnsweringDaemon([PANE]);
  await home.serve(daemon);
  tmux = createPrivateTmux();
});
afterEach(async () => {
  await tmux.close();
  await home.close();
});

/** Runs the command in a pane, types once the question stands there, and gives what is on the screen at the end. */
const typed = async (options: string, keys: readonly string[]): Promise<string> => {
  const { paneId, screen, shows } = await opened(options);
  await shows(options === "" ? "anything else to leave it:" : "[y/N]");
  await tmux.run("send-keys", "-t", paneId, ...keys);
  await shows("status ");
  return screen();
};

const opened = async (options: string) => {
  const environment = `AGTMUX_HOME='${home.paths.home}' AGTMUX_NO_START=1 NO_COLOR=1`;
  const command = `${environment} node '${CLI_ENTRY}' answer runtime:rt1 ${options}; echo "status $?"; exec cat`;
  const paneId = await tmux.newSession("person", command);
  const screen = () => tmux.run("capture-pane", "-p", "-J", "-t", paneId);
  const shows = (text: string) =>
    vi.waitFor(async () => expect(await screen()).toContain(text), { timeout: 20_000, interval: 100 });
  return { paneId, screen, shows };
};

it.each([
  ["", ["y", "Enter"], { kind: "approve" }],
  ["", ["2", "Enter"], { kind: "option", number: 2 }],
  ["--deny", ["y", "Enter"], { kind: "deny" }],
])("shows what is asked and with '%s' answers by %j", async (options, keys, choice) => {
  const screen = await typed(options, keys);
  for (const text of [
    "Claude Code in",
    "asks (command):",
    "touch a.txt",
    "continues without an answer",
    "1. Yes",
  ])
    expect(screen).toContain(text);
  expect(screen).toContain("status 0");
  expect(daemon.asked.filter(({ action }) => action === "answer")).toMatchObject([
    { input: { choice, guards: { ifPrompt: FINGERPRINT } } },
  ]);
});

it.each([
  ["", ["Enter"], "status 6"],
  ["", ["3", "Enter"], "status 6"],
  ["--approve", ["n", "Enter"], "status 6"],
  ["--approve", ["C-c"], "status 130"],
])("leaves it with '%s' and %j", async (options, keys, status) => {
  const screen = await typed(options, keys);
  expect([screen.includes("Nothing was done."), screen.includes(status)]).toEqual([true, true]);
  expect(daemon.asked.filter(({ action }) => action === "answer")).toEqual([]);
});

const SIZES = makePane({
  state: "waiting_input",
  fingerprint: FINGERPRINT,
  request: {
    kind: "question",
    title: "Which sizes?",
    body: "Which sizes?",
    is_whole: true,
    tool_name: null,
    options: [
      { label: "Small", keys: null, toggle: "1", ticked: false },
      { label: "Large", keys: null, toggle: "2", ticked: false },
      { label: "Type something.", keys: null },
    ],
    submit: ["Down", "Down", "Down", "Enter"],
    expires_at: null,
  },
});

it("offers what can be answered alone: boxes, and no yes or no to a question", async () => {
  daemon.put(SIZES);
  const screen = await typed("", ["1,2", "Enter"]);
  expect(screen).toContain("numbers of 1, 2 with commas to choose several, anything else");
  expect(screen).not.toMatch(/to approve|to deny/);
  expect(daemon.asked).toMatchObject([{ input: { choice: { kind: "options", numbers: [1, 2] } } }]);
});

it("asks nothing about what is answered elsewhere, and says where that is", async () => {
  daemon.put({ ...PANE, background: { id: "ses_1", is_answered_elsewhere: true } });
  const { screen, shows } = await opened("");
  await shows("status ");
  expect(await screen()).toContain("It can't be answered from here: answer where it was asked.");
  expect(daemon.asked).toEqual([]);
});

// The picker on a real daemon and a real tmux: it answers a real dialog, and ends in exactly the pane that was chosen, inside of
// tmux, outside of it, and in a popup.
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { openDialogs, type DialogPane } from "../actions/dialogPane.ts";
import { CLAUDE } from "../actions/dialogs.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { serveDaemon } from "../harness/commandLine.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { READING } from "./pickerHarness.ts";

const WAIT = { timeout: 20_000, interval: 60 };

let harness: Harness;
let agent: DialogPane;
/** The person's terminal: a tmux around the one that is watched. */
let person: PrivateTmux;
let stopServing: () => Promise<void>;

beforeEach(async () => {
  harness = await openHarness();
  stopServing = await serveDaemon({ daemon: harness.daemon.daemon, paths: harness.daemon.paths });
  agent = await openDialogs(harness, "claude", [CLAUDE]);
  person = createPrivateTmux();
});
afterEach(async () => {
  await person.close();
  await stopServing();
  await harness.close();
});

const pick = (args = "pick"): string =>
  `env AGTMUX_HOME='${harness.daemon.paths.home}' AGTMUX_NO_START=1 '${process.execPath}' '${CLI_ENTRY}' ${args}`;

const openTerminal = async (command: string): Promise<string> => {
  await person.run(
    "new-session",
    "-d",
    "-x",
    "120",
    "-y",
    "40",
    "-s",
    "terminal",
    `env -u TMUX ${command}; echo "status $?"; exec cat`,
  );
  return "terminal:";
};
const screen = () => person.run("capture-pane", "-p", "-t", "terminal:");
const shows = (text: string) => vi.waitFor(async () => expect(await screen()).toContain(text), WAIT);
const type = (...keys: string[]) => person.run("send-keys", "-t", "terminal:", ...keys);
/** The pane that the only client shows. */
const shownPane = () => harness.tmux.run("list-clients", "-F", "#{pane_id}");
const attachClient = () => openTerminal(`tmux -S '${harness.tmux.socketPath}' attach-session -t base`);

it("attaches from outside of tmux", async () => {
  await openTerminal(pick());
  await shows("Attach");
  await type("Enter");
  await vi.waitFor(async () => expect(await shownPane()).toBe(agent.paneId), WAIT);
});

it("switches the client from a pane of the same tmux, and leaves that pane's screen as it was", async () => {
  const shell = await harness.tmux.run(
    "new-window",
    "-P",
    "-F",
    "#{pane_id}",
    "-t",
    "base:",
    `echo before; ${pick()}; echo "status $?"; exec cat`,
  );
  await attachClient();
  await shows("Attach");
  await type("Enter");
  await vi.waitFor(async () => expect(await shownPane()).toBe(agent.paneId), WAIT);
  await vi.waitFor(async () => {
    const left = await harness.tmux.run("capture-pane", "-p", "-t", shell);
    expect(left.trimEnd()).toBe("before\nstatus 0");
  }, WAIT);
});

it.each(["the binding", "--popup"])(
  "switches the client from a popup, opened by %s, which closes",
  async (way) => {
    const shell = await harness.tmux.run("new-window", "-P", "-F", "#{pane_id}", "-t", "base:", "sh");
    await attachClient();
    await shows("base");
    if (way === "--popup") await harness.tmux.run("send-keys", "-t", shell, pick("pick --popup"), "Enter");
    else {
      await harness.tmux.run("bind-key", "a", "display-popup", "-E", "-w", "90%", "-h", "85%", pick());
      await type("C-b", "a");
    }
    await shows("all keys");
    await type("Enter");
    await vi.waitFor(async () => expect(await shownPane()).toBe(agent.paneId), WAIT);
    await vi.waitFor(async () => expect(await screen()).not.toContain("all keys"), WAIT);
  },
);

it("approves the dialog of a real pane with one key", async () => {
  await openTerminal(pick());
  await shows("Approve");
  await wait(READING);
  await type("a");
  await vi.waitFor(() => expect(agent.chosen().map(([, label]) => label)).toEqual(["Yes"]), WAIT);
  await shows("Delivered.");
});

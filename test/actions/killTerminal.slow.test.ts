// `agtmux kill` at a terminal, as a person has it: what was asked about is what is killed, or nothing.
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { serveDaemon } from "../harness/commandLine.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { openHarness, type Harness } from "./actionHarness.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
const WAIT = { timeout: 20_000, interval: 50 };

let harness: Harness;
let player: Player;
/** The person's own tmux, which nobody watches. */
let person: PrivateTmux;
let stopServing: () => Promise<void>;
beforeAll(async () => {
  harness = await openHarness();
  stopServing = await serveDaemon(harness.daemon);
  person = createPrivateTmux();
  await person.newSession("base");
});
afterAll(async () => {
  await person.close();
  await stopServing();
  await harness.close();
});
beforeEach(async () => {
  player = await createPlayer({
    tmux: { socketArgs: harness.tmux.socketArgs },
    home: harness.daemon.home,
    recordingsDir: RECORDINGS,
  });
  await player.frame("waiting_approval");
  await harness.daemon.untilState(player.paneId, "waiting_approval");
});
afterEach(async () => {
  await player.close();
  await person.run("kill-session", "-t", "=person");
});

/** Asks to kill in a pane; gives what types there, and what is on the screen once it ended. */
const ask = async (options = "") => {
  const env = `AGTMUX_HOME='${harness.daemon.paths.home}' AGTMUX_NO_START=1 NO_COLOR=1`;
  const ref = harness.daemon.rows().find(({ identity }) => identity.pane_id === player.paneId)
    ?.identity.pane_ref;
  const command = `${env} '${process.execPath}' '${CLI_ENTRY}' kill '${ref}' ${options}; echo "status $?"; exec cat`;
  const paneId = await person.newSession("person", command);
  const screen = () => person.run("capture-pane", "-p", "-J", "-t", paneId);
  const shows = (text: string) => vi.waitFor(async () => expect(await screen()).toContain(text), WAIT);
  await shows("(waiting_approval) in");
  return async (keys: readonly string[]): Promise<string> => {
    await person.run("send-keys", "-t", paneId, ...keys);
    await shows("status ");
    return screen();
  };
};

it("kills the agent that the question named, in the state that it named", async () => {
  const type = await ask();
  expect(await type(["y", "Enter"])).toContain("status 0");
  expect(player.isAlive()).toBe(false);
});

it.each(["", "--signal KILL"])(
  "with '%s' kills nothing when the agent went on while the question stood there, and says what changed",
  async (options) => {
    const type = await ask(options);
    await player.frame("running");
    await harness.daemon.untilState(player.paneId, "running");
    const screen = await type(["y", "Enter"]);
    expect(player.isAlive()).toBe(true);
    expect(screen).toContain("status 5");
    expect(screen).toContain("[E_STALE_SNAPSHOT]");
    expect(screen).toContain("the state is running, not waiting_approval");
  },
);

it("kills nothing when the agent came back to the state that the question named", async () => {
  const type = await ask();
  await player.frame("running");
  await harness.daemon.untilState(player.paneId, "running");
  await player.frame("waiting_approval");
  await harness.daemon.untilState(player.paneId, "waiting_approval");
  const screen = await type(["y", "Enter"]);
  expect([player.isAlive(), screen.includes("the state version is")]).toEqual([true, true]);
});

// `agtmux attach` to a far pane, as a person has it: in a terminal, by the real command line, through the real sshd. Another
// private tmux plays the terminal.
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { actionGuardsSchema } from "../../core/model/action.ts";
import { serveDaemon } from "../harness/commandLine.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { LIMIT_MS, openTargetHarness, type TargetHarness } from "./targetHarness.ts";

let harness: TargetHarness;
let terminal: PrivateTmux;
let stopServing: () => Promise<void>;
beforeAll(async () => {
  harness = await openTargetHarness("ssh2");
  terminal = createPrivateTmux();
  stopServing = await serveDaemon(harness.daemon);
}, LIMIT_MS * 3);
afterAll(async () => {
  await terminal.close();
  await stopServing();
  await harness.close();
});

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

interface Terminal {
  type(keys: string): Promise<unknown>;
  screen: () => Promise<string>;
}

/** A terminal in which the person attaches; `isInside`: it is a pane of a tmux of this machine. */
const attach = async (ref: string, isInside: boolean): Promise<Terminal> => {
  const home = `AGTMUX_HOME=${quoted(harness.daemon.paths.home)} AGTMUX_NO_START=1`;
  const environment = `env ${isInside ? "" : "-u TMUX -u TMUX_PANE "}${home}`;
  const command = `${environment} node ${quoted(CLI_ENTRY)} attach ${quoted(ref)}; echo "status $?"; exec cat`;
  const paneId = await terminal.newSession(`terminal-${isInside ? "inside" : "outside"}`, command);
  return {
    type: (keys) => terminal.run("send-keys", "-t", paneId, "-l", keys),
    screen: () => terminal.run("capture-pane", "-p", "-t", paneId),
  };
};
const shows = (screen: () => Promise<string>, text: string) =>
  vi.waitFor(async () => expect(await screen()).toContain(text), { timeout: LIMIT_MS, interval: 100 });

it.each([
  ["outside of tmux", false],
  ["inside a tmux of this machine", true],
])("lands on exactly that pane, %s", async (where, isInside) => {
  // A name that every shell would take apart; the pane that is meant is not the one that is shown.
  const session = `${where}'s $(id) ; "x" \u6f22`;
  const shown = await harness.tmux.newSession(session, "exec cat");
  const meant = await harness.tmux.run(
    "split-window",
    "-d",
    "-P",
    "-F",
    "#{pane_id}",
    "-t",
    shown,
    "exec cat",
  );
  const row = await harness.daemon.until(meant, () => true, LIMIT_MS);

  const person = await attach(row.identity.pane_ref, isInside);
  const sessionId = await harness.tmux.run("display-message", "-p", "-t", meant, "#{session_id}");
  const clients = () =>
    harness.tmux.run("list-clients", "-t", sessionId, "-F", "#{client_termname} #{client_utf8}");
  await shows(clients, "1");
  await person.type("größe 漢字");
  await shows(() => harness.screen(meant), "größe 漢字");
  await shows(person.screen, "größe 漢字");
  expect(await harness.screen(shown)).not.toContain("größe");

  await harness.tmux.run("detach-client", "-s", sessionId);
  await shows(person.screen, "status 0");
});

it("names the person's own ssh, with the configuration in force and one word for the remote shell", async () => {
  const row = harness.daemon.rows()[0];
  const ref = row?.identity.pane_ref ?? "";
  const request = {
    ref,
    guards: actionGuardsSchema.parse({}),
    surface: "test",
    insideTmux: null,
    mayFocus: false,
  };
  const plan = await harness.service.prepareAttach(request);
  expect(plan.mode).toBe("attach");
  expect(plan.argv.slice(0, -1)).toEqual(["ssh", "-F", harness.server.configFile, "-t", "--", "vm1"]);
  expect(plan.argv.at(-1)).toMatch(/^exec \/bin\/sh -c 'eval "\$\(printf %b "\$1"\)"' sh '[ -~]*'$/);
});

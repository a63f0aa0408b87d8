// Attach as the popover asks for it, on a real daemon: the terminal that shows the session already is used, else a window is
// opened. A second private tmux plays the person's terminal.
import { afterEach, beforeEach, expect, it } from "vitest";
import { actionGuardsSchema } from "../../core/model/snapshot.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";

let inner: PrivateTmux;
let terminal: PrivateTmux;
let daemon: TestDaemon;
let done: string[];
let isFound: boolean;
let panes: readonly [string, string];
beforeEach(async () => {
  inner = createPrivateTmux();
  terminal = createPrivateTmux();
  done = [];
  isFound = true;
  const first = await inner.newSession("work");
  panes = [first, await inner.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "work:", "exec cat")];
  daemon = await startTestDaemon({
    sockets: [inner.socketPath],
    openTerminal: (argv) => {
      done.push(`open ${argv.includes("attach-session")}`);
      return Promise.resolve();
    },
    focusTerminal: ({ tty }) => {
      done.push(`focus ${tty}`);
      return Promise.resolve(isFound);
    },
  });
});
afterEach(async () => {
  await daemon.close();
  await terminal.close();
  await inner.close();
});

const openAttach = async (paneId: string) => {
  const row = await daemon.until(paneId, () => true);
  return daemon.daemon.service.openAttach({
    ref: row.identity.pane_ref,
    guards: actionGuardsSchema.parse({}),
    surface: "popover",
  });
};
const clients = async (): Promise<string[]> =>
  (await inner.run("list-clients", "-F", "#{client_tty} #{pane_id}"))
    .split("\n")
    .filter((line) => line.startsWith("/dev/"));

it("uses the terminal that shows the session, opens one where that is not found or none is there", async () => {
  expect((await openAttach(panes[1])).mode).toBe("attach");
  expect(done.splice(0)).toEqual(["open true"]);

  const command = `TMUX= tmux -S ${inner.socketPath} attach-session -t work`;
  const at = await terminal.newSession("terminal", command);
  const tty = await terminal.run("display-message", "-p", "-t", at, "#{pane_tty}");
  await until(async () => (await clients()).length === 1, "a client");
  expect(await openAttach(panes[1])).toMatchObject({
    mode: "focus_client",
    existingClient: { tty, isNative: false },
  });
  expect(done.splice(0)).toEqual([`focus ${tty}`]);
  expect(await clients()).toEqual([`${tty} ${panes[1]}`]);

  isFound = false;
  expect((await openAttach(panes[0])).mode).toBe("attach");
  expect(done).toEqual([`focus ${tty}`, "open true"]);
  const [entry] = daemon.daemon.service.audit({ limit: 1 }).items;
  expect([entry?.action, entry?.surface, entry?.outcome]).toEqual(["attach", "popover", "delivered"]);
});

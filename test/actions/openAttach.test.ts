// Attach as the popover asks for it, on a real daemon: the terminal that shows the session already is used, else a window is
// opened. A second private tmux plays the person's terminal.
import { afterEach, beforeEach, expect, it } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
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

const openAttach = async (paneId: string, at = daemon) => {
  const row = await at.until(paneId, () => true);
  return at.daemon.service.openAttach({
    ref: row.identity.pane_ref,
    guards: actionGuardsSchema.parse({}),
    surface: "popover",
  });
};
/** A terminal attached to a session; resolves with its pane and its tty. */
const attachTerminal = async (session: string, more = ""): Promise<{ at: string; tty: string }> => {
  const before = (await clients()).length;
  const command = `TMUX= tmux -S ${inner.socketPath} attach-session ${more} -t ${session}`;
  const at = await terminal.newSession(`terminal${before}`, command);
  const tty = await terminal.run("display-message", "-p", "-t", at, "#{pane_tty}");
  await until(async () => (await clients()).length > before, "a client");
  return { at, tty };
};
const clients = async (): Promise<string[]> =>
  (await inner.run("list-clients", "-F", "#{client_tty} #{pane_id}"))
    .split("\n")
    .filter((line) => line.startsWith("/dev/"));

it("uses the terminal that shows the session, opens one where that is not found or none is there", async () => {
  expect((await openAttach(panes[1])).mode).toBe("attach");
  expect(done.splice(0)).toEqual(["open true"]);

  const { tty } = await attachTerminal("work");
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

/** Whether two terminals were used within the same second. */
const usedAtOnce = async (): Promise<boolean> => {
  const [first, second] = (await inner.run("list-clients", "-F", "#{client_activity}"))
    .split("\n")
    .toSorted()
    .toReversed();
  return first === second;
};

it("switches the terminal that was used last where no window can be opened, and says so where none is there", async () => {
  const headless = await startTestDaemon({ sockets: [inner.socketPath] });
  try {
    await expect(openAttach(panes[1], headless)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    await inner.newSession("other");
    const [older, last, looking] = [
      await attachTerminal("other"),
      await attachTerminal("other"),
      await attachTerminal("other", "-r"),
    ];
    // tmux counts in seconds when a terminal was used.
    await until(async () => {
      await terminal.run("send-keys", "-t", last.at, "x");
      const [first] = (await inner.run("list-clients", "-F", "#{client_activity} #{client_tty}"))
        .split("\n")
        .toSorted()
        .toReversed();
      return first?.endsWith(last.tty) === true && !(await usedAtOnce());
    }, "one terminal is the last");
    const shown = async () => Object.fromEntries((await clients()).map((line) => line.split(" ")));
    const before = await shown();
    expect(await openAttach(panes[1], headless)).toMatchObject({
      mode: "switch_client",
      existingClient: { tty: last.tty },
    });
    expect(await shown()).toEqual({ ...before, [last.tty]: panes[1] });
    expect(before[older.tty]).toBe(before[looking.tty]);
    expect(headless.daemon.service.audit({ limit: 1 }).items).toMatchObject([
      { action: "attach", outcome: "delivered" },
    ]);
  } finally {
    await headless.close();
  }
});

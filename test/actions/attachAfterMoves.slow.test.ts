// A client that attaches to a pane stands on exactly that pane, also right after the pane was moved, or is told that it went. What moves
// it on afterwards is somebody else: clients of one session share its current window.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { serveDaemon } from "../harness/commandLine.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

/** How soon after the move, in ms: before the row can know of it, and after. */
const AFTER_MS = [0, 100, 2_000];
const LAND_MS = 4_000;

let tmux: PrivateTmux;
let terminals: PrivateTmux;
let daemon: TestDaemon;

beforeAll(async () => {
  tmux = createPrivateTmux();
  terminals = createPrivateTmux();
  await terminals.run("new-session", "-d", "-x", "100", "-y", "30", "cat");
  await tmux.run("new-session", "-d", "-s", "keep", "-x", "100", "-y", "30", "cat");
  daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
});
afterAll(async () => {
  await daemon.close();
  await tmux.close();
  await terminals.close();
});

/** A session of three windows with two panes each; the panes' ids. */
const openSession = async (name: string): Promise<string[]> => {
  await tmux.run("new-session", "-d", "-s", name, "-x", "100", "-y", "30", "cat");
  for (const window of [0, 1, 2]) {
    if (window > 0) await tmux.run("new-window", "-d", "-t", `${name}:`, "cat");
    await tmux.run("split-window", "-d", "-t", `${name}:${window}`, "cat");
  }
  const panes = (await tmux.run("list-panes", "-s", "-t", name, "-F", "#{pane_id}")).split("\n");
  for (const pane of panes) await daemon.until(pane, () => true);
  return panes;
};

interface Landed {
  /** Where the client stands; null: it is not attached. */
  pane: string | null;
}

/** Attaches to the pane in a terminal of its own. */
const attach = async (pane: string): Promise<Landed & { terminal: string }> => {
  const row = daemon.rows().find(({ identity }) => identity.pane_id === pane);
  const plan = await daemon.daemon.service
    .prepareAttach({
      ref: row?.identity.pane_ref ?? "",
      guards: actionGuardsSchema.parse({}),
      surface: "test",
      insideTmux: null,
      mayFocus: false,
    })
    // A refusal is one of the two right answers.
    .catch(() => null);
  if (plan === null) return { pane: null, terminal: "" };
  const opened = await terminals.run(
    "new-window",
    "-d",
    "-P",
    "-F",
    "#{pane_id} #{pane_tty}",
    "-e",
    "TMUX=",
    // One word: tmux would take a semicolon among several for the end of its own command.
    plan.argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" "),
  );
  const [terminal = "", tty = ""] = opened.split(" ");
  for (const until = Date.now() + LAND_MS; Date.now() < until; await wait(50)) {
    const clients = await tmux.run("list-clients", "-F", "#{client_tty} #{pane_id}");
    const own = clients.split("\n").find((line) => line.startsWith(`${tty} `));
    if (own !== undefined) {
      await wait(100);
      const now = (await tmux.run("list-clients", "-F", "#{client_tty} #{pane_id}")).split("\n");
      return { pane: now.find((line) => line.startsWith(`${tty} `))?.split(" ")[1] ?? null, terminal };
    }
    const isOpen = (await terminals.run("list-panes", "-a", "-F", "#{pane_id}"))
      .split("\n")
      .includes(terminal);
    if (!isOpen) return { pane: null, terminal };
  }
  return { pane: null, terminal };
};
const leave = async ({ terminal }: { terminal: string }): Promise<void> => {
  if (terminal !== "") await terminals.run("kill-pane", "-t", terminal).catch(() => "");
};

type Move = (session: string, pane: string, panes: readonly string[]) => Promise<unknown>;
const MOVES: readonly (readonly [name: string, move: Move])[] = [
  ["break-pane", (_session, pane) => tmux.run("break-pane", "-d", "-s", pane)],
  [
    "break-pane into another session",
    (_session, pane) => tmux.run("break-pane", "-d", "-s", pane, "-t", "keep:"),
  ],
  ["join-pane", (_session, pane, panes) => tmux.run("join-pane", "-d", "-s", pane, "-t", panes.at(-1) ?? "")],
  ["move-pane", (_session, pane, panes) => tmux.run("move-pane", "-d", "-s", pane, "-t", panes.at(-1) ?? "")],
  ["swap-pane", (_session, pane, panes) => tmux.run("swap-pane", "-d", "-s", pane, "-t", panes.at(-1) ?? "")],
  ["swap-window", (session) => tmux.run("swap-window", "-d", "-s", `${session}:1`, "-t", `${session}:2`)],
  ["move-window", (session) => tmux.run("move-window", "-d", "-s", `${session}:1`, "-t", `${session}:9`)],
  ["link-window", (session) => tmux.run("link-window", "-d", "-s", `${session}:1`, "-t", "keep:")],
  ["a group", (session) => tmux.run("new-session", "-d", "-t", session, "-s", `${session}-twin`)],
];

describe.each(MOVES)("after %s", (name, move) => {
  it("a client stands on the pane that was asked for, or on none", async () => {
    const landed: string[] = [];
    for (const [time, at] of AFTER_MS.entries()) {
      const session = `${name.replaceAll(/\W/g, "_")}-${time}`;
      const panes = await openSession(session);
      const pane = panes[3] ?? "";
      await move(session, pane, panes);
      await wait(at);
      const one = await attach(pane);
      landed.push(
        one.pane === null ? `refused after ${at} ms` : one.pane === pane ? "right" : `on ${one.pane}`,
      );
      await leave(one);
      await tmux.run("kill-session", "-t", `=${session}`).catch(() => "");
    }
    expect(landed.filter((where) => where.startsWith("on "))).toEqual([]);
    expect(landed.filter((where) => where === "right").length).toBeGreaterThanOrEqual(1);
  });
});

it("two that attach to one session at the same time stand on the same pane, and the one that was moved on is told", async () => {
  const panes = await openSession("shared");
  const stopServing = await serveDaemon(daemon);
  const env = { AGTMUX_HOME: daemon.paths.home, AGTMUX_NO_START: "1", TMUX: "" };
  const ends: string[] = [];
  const open = async (pane: string): Promise<void> => {
    const file = join(daemon.paths.home, `said-${ends.push(pane)}`);
    await terminals.run(
      "new-window",
      "-d",
      ...Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
      `'${process.execPath}' '${CLI_ENTRY}' attach ${pane} 2>'${file}'; echo ended >>'${file}'; cat`,
    );
  };
  await Promise.all([open(panes[1] ?? ""), open(panes[5] ?? "")]);
  const clients = async (): Promise<string[]> =>
    (await tmux.run("list-clients", "-F", "#{pane_id}")).split("\n").filter((line) => line !== "");
  await expect.poll(clients, { timeout: 10_000 }).toHaveLength(2);
  await wait(2_000);
  const [one, other] = await clients();
  expect(one).toBe(other);
  expect([panes[1], panes[5]]).toContain(one);
  await tmux.run("detach-client", "-s", "shared");
  const said = (at: number): string => {
    const file = join(daemon.paths.home, `said-${at}`);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  };
  await expect
    .poll(() => [said(1), said(2)].every((text) => text.includes("ended")), { timeout: 5_000 })
    .toBe(true);
  const [moved, stayed] = one === panes[5] ? [said(1), said(2)] : [said(2), said(1)];
  expect(moved).toContain(`moved this one on to ${one}`);
  expect(stayed).not.toContain("moved this one on");
  await stopServing();
});

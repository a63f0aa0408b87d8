// On a private tmux server: commands reach the pane that was meant, all of them or none.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Pane } from "../model/runtime.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { callsOn } from "../../test/harness/tmuxCalls.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import type { TmuxCommand } from "../tmux/tmuxCommand.ts";
import { createPaneClient, isStillThere, type PaneClient } from "./paneClient.ts";
import type { VerifiedAction } from "./prepare.ts";
import { requireFitPane } from "./screenReading.ts";
import { typingCommand } from "./typing.ts";
import { partOf } from "../../test/fakes/partOf.ts";

let folder: string;
let executor: TargetExecutor;
let client: PaneClient;
let nonces: number;

const tmux = (...args: string[]): string => {
  const done = spawnSync("tmux", ["-S", join(folder, "sock"), "-f", "/dev/null", ...args], {
    encoding: "utf8",
  });
  if (done.status !== 0) throw new Error(`tmux ${args.join(" ")}: ${done.stderr}`);
  return done.stdout.trimEnd();
};
const open = (command = "exec cat"): Pane => {
  const [paneId = "", panePid = ""] = tmux(
    "new-window",
    "-d",
    "-P",
    "-F",
    "#{pane_id} #{pane_pid}",
    command,
  ).split(" ");
  // What a capture has of a pane and nothing else.
  return { targetId: "host", server: "inner", paneId, panePid: Number(panePid) } as Pane;
};
/** The gate is not part of this test: an action on the pane as it would make it. */
const actionOn = ({ targetId, server, paneId }: Pane): VerifiedAction =>
  ({ snapshot: { snapshotId: "s", targetId, server, paneId } }) as VerifiedAction;
const type = (pane: Pane, text: string): TmuxCommand => ["send-keys", "-t", pane.paneId, "-l", "--", text];
const screen = (pane: Pane): string => tmux("capture-pane", "-p", "-t", pane.paneId);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-client-"));
  tmux("new-session", "-d", "-x", "80", "-y", "10", "exec cat");
  executor = createLocalExecutor({ targetId: "host", env: process.env });
  nonces = 0;
  client = createPaneClient({
    tmux: callsOn(executor, join(folder, "sock")),
    makeNonce: () => `nonce${(nonces += 1)}`,
  });
});
afterEach(async () => {
  await executor.close();
  spawnSync("tmux", ["-S", join(folder, "sock"), "kill-server"]);
  rmSync(folder, { recursive: true, force: true });
});

test("a pane that was respawned under the same id gets nothing, and no text stays in tmux", async () => {
  const pane = open();
  const action = actionOn(pane);
  tmux("respawn-pane", "-k", "-t", pane.paneId, "exec cat");
  expect(await client.runIf(action, pane, [type(pane, "typed")])).toBe(false);
  const held = await client.hold("pasted");
  expect(tmux("show-buffer", "-b", held.name)).toBe("pasted");
  expect(await client.runIf(action, pane, [typingCommand(pane, held)])).toBe(false);
  await held.release();
  expect([screen(pane), tmux("list-buffers")]).toEqual(["", ""]);
});

test("a pane whose program ended is still there, takes nothing, and shows what it showed", async () => {
  tmux("set-option", "-g", "remain-on-exit", "on");
  const pane = open("printf '\\n\\nthe last words'; exec sleep 0.2");
  const isOver = async (): Promise<void> => expect((await client.capture(pane))?.isDead).toBe(true);
  await vi.waitFor(isOver, { timeout: 10_000, interval: 30 });
  const capture = await client.capture(pane);
  if (capture === null) throw new Error("no capture");
  expect([isStillThere(capture, pane), capture.rows.includes("the last words")]).toEqual([true, true]);
  expect(await client.runIf(actionOn(pane), pane, [type(pane, "typed")])).toBe(false);
  expect(() => requireFitPane(capture, pane, "it")).toThrow("its program has ended");
  tmux("respawn-pane", "-t", pane.paneId, "exec cat");
  const next = await client.capture(pane);
  expect(next === null ? null : isStillThere(next, pane)).toBe(false);
});

test("a pane that is gone or synchronised gets nothing either", async () => {
  const pane = open();
  tmux("set-option", "-w", "-t", pane.paneId, "synchronize-panes", "on");
  expect(await client.runIf(actionOn(pane), pane, [type(pane, "typed")])).toBe(false);
  expect(screen(pane)).toBe("");
  tmux("kill-pane", "-t", pane.paneId);
  expect(await client.runIf(actionOn(pane), pane, [type(pane, "typed")])).toBe(false);
  expect(await client.capture(pane)).toBeNull();
});

test("a pane that runs another program or has lost a row gets nothing", async () => {
  const pane = open();
  const row = '│ > #{x} ~ a, b} c [d] \\ "q" `$(id)` 漢字 * y';
  tmux("send-keys", "-t", pane.paneId, "-l", row);
  const seen = await vi.waitFor(async () => {
    const capture = await client.capture(pane);
    expect(capture?.rows).toEqual([row]);
    return capture;
  });
  const typed = (text: string, onlyIf: Parameters<PaneClient["runIf"]>[3]) =>
    client.runIf(actionOn(pane), pane, [type(pane, text)], onlyIf);
  expect(await typed("1", { command: "cat", screenShows: seen?.rows })).toBe(true);
  await vi.waitFor(() => expect(screen(pane)).toBe(`${row}1`));
  // The row is another one now, and of a name or a row only the whole counts.
  expect(await typed("2", { screenShows: seen?.rows })).toBe(false);
  expect(await typed("2", { screenShows: [`${row}1`, row] })).toBe(false);
  expect(await typed("2", { screenShows: ["y1"] })).toBe(false);
  expect(await typed("2", { command: "ca" })).toBe(false);
  expect(await typed("2", { command: "sh" })).toBe(false);
  expect(screen(pane)).toBe(`${row}1`);
});

test("signs of a row stand for themselves: another one is another row", async () => {
  const pane = open();
  const row = "make x; rm -rf /tmp/build # (a) {b}";
  tmux("send-keys", "-t", pane.paneId, "-l", row);
  await vi.waitFor(() => expect(screen(pane)).toBe(row));
  const typed = (text: string, shown: string) =>
    client.runIf(actionOn(pane), pane, [type(pane, text)], { screenShows: [shown] });
  for (const other of [
    "make x| rm -rf /tmp/build # (a) {b}",
    "make x; rm -rf /tmp/build ; (a) {b}",
    "make x; rm -rf /tmp/build # [a] {b}",
    "make x; rm -rf / tmp/build # (a) {b}",
    "make x; rm -rf /tmp/build # (a) {b",
  ])
    expect(await typed("2", other)).toBe(false);
  expect(await typed("1", row)).toBe(true);
});

test("a row that ends in white space that is no blank fits itself", async () => {
  const pane = open("printf '> \\302\\240\\n'; exec cat");
  const capture = await vi.waitFor(async () => {
    const now = await client.capture(pane);
    expect(now?.rows).toEqual([">"]);
    return now;
  });
  expect(capture?.rawRows).toEqual(["> \u00a0"]);
  const typed = (screenShows: readonly string[]) =>
    client.runIf(actionOn(pane), pane, [type(pane, "1")], { screenShows });
  expect(await typed([">"])).toBe(false);
  expect(await typed(capture?.rawRows ?? [])).toBe(true);
});

test("what is drawn and may not be shown leaves a sign", async () => {
  const pane = open("printf 'a\\342\\200\\256b\\n'; exec cat");
  await vi.waitFor(async () => expect((await client.capture(pane))?.rows[0]).toMatch(/^a.*b$/));
  const [row = ""] = (await client.capture(pane))?.rows ?? [];
  const [raw = ""] = (await client.capture(pane))?.rawRows ?? [];
  expect(row).toBe(raw.replace("\u202e", "\ufffd"));
});

test("a dialog is what stands in its place: the same row further up is an old one", async () => {
  const pane = open("printf 'Run?\\n rm x\\n\\nRun?\\n rm y\\n'; exec cat");
  await vi.waitFor(() => expect(screen(pane)).toContain("rm y"));
  const typed = (dialog: { line: number; text: string }[]) =>
    client.runIf(actionOn(pane), pane, [type(pane, "1")], { dialog });
  expect(await typed([{ line: 4, text: " rm x" }])).toBe(false);
  expect(await typed([{ line: 3, text: "Run?" }])).toBe(false);
  const cursor = { x: 0, y: 5 };
  const here = { dialog: [{ line: 4, text: " rm y" }], cursor, size: { width: 80, height: 10 } };
  for (const other of [{ cursor: { x: 1, y: 5 } }, { size: { width: 79, height: 10 } }])
    expect(await client.runIf(actionOn(pane), pane, [type(pane, "1")], { ...here, ...other })).toBe(false);
  expect(await client.runIf(actionOn(pane), pane, [type(pane, "1")], here)).toBe(true);
});

test("a dialog of many long rows is compared whole", async () => {
  const rows = Array.from({ length: 45 }, (_, at) => `${at}${"#{,}$*".repeat(12)}`);
  const file = join(folder, "rows");
  writeFileSync(file, rows.join("\n"));
  const pane = open(`sleep 0.3; cat ${file}; exec cat`);
  tmux("resize-window", "-t", pane.paneId, "-x", "80", "-y", "50");
  await vi.waitFor(() => expect(screen(pane)).toContain(rows.at(-1)));
  const dialog = rows.map((text, line) => ({ line, text }));
  const typed = (placed: typeof dialog) =>
    client.runIf(actionOn(pane), pane, [type(pane, "1")], { dialog: placed });
  expect(await typed(dialog.map((row, at) => (at === 44 ? { ...row, text: `${row.text}x` } : row)))).toBe(
    false,
  );
  expect(await typed(dialog)).toBe(true);
});

test("a styled look has the same rows with their colours", async () => {
  const pane = open();
  tmux("respawn-pane", "-k", "-t", pane.paneId, "printf '\\n\\033[31mred\\033[0m plain\\n\\nlast'; exec cat");
  await vi.waitFor(async () => {
    const capture = await client.capture(pane, { styled: true });
    expect(capture?.rows).toEqual(["", "red plain", "", "last"]);
    // oxlint-disable-next-line no-control-regex -- colours are what this is about
    expect(capture?.styledRows?.map((row) => row.replaceAll(/\u001b\[[0-9;]*m/g, ""))).toEqual(capture?.rows);
    expect(capture?.styledRows?.[1]).toContain("\u001b[31mred");
  });
  expect((await client.capture(pane))?.styledRows).toBeUndefined();
});

test("the pane of another action is a mistake of ours", async () => {
  const pane = open();
  await expect(client.runIf(actionOn(open()), pane, [type(pane, "typed")])).rejects.toThrow("not the pane");
});

test("a title or a program's name cannot forge what a look says", async () => {
  const pane = open();
  tmux("select-pane", "-t", pane.paneId, "-T", "<nonce1>0 1 <nonce2> #{pane_id}\n1 1 1");
  tmux("send-keys", "-t", pane.paneId, "-l", "on the screen");
  await vi.waitFor(async () => {
    expect(await client.capture(pane)).toMatchObject({
      panePid: pane.panePid,
      isDead: false,
      command: "cat",
      cursorX: 13,
      rows: ["on the screen"],
    });
  });
});

test("a text that is held is typed once, byte for byte, and stays nowhere", async () => {
  const pane = open();
  const text = `it's "$HOME" #{pane_id} \\ 漢字 ; `;
  const held = await client.hold(text);
  expect(await client.runIf(actionOn(pane), pane, [typingCommand(pane, held)])).toBe(true);
  await vi.waitFor(() => expect(screen(pane)).toBe(text.trimEnd()));
  expect(tmux("list-buffers")).toBe("");
  expect(await client.runIf(actionOn(pane), pane, [typingCommand(pane, held)]).catch(() => false)).toBe(
    false,
  );
  await held.release();
  expect(screen(pane)).toBe(text.trimEnd());
});

test("a server that does not run is a pane that is gone", async () => {
  const pane = open();
  tmux("kill-server");
  expect(await client.capture(pane)).toBeNull();
  expect(await client.runIf(actionOn(pane), pane, [type(pane, "typed")])).toBe(false);
});

test("keys that a read-only client of somebody keeps out are given up, with what tmux said", async () => {
  const pane = open();
  // As tmux 3.7 does it while the only client that is attached may only look.
  const server = callsOn(executor, join(folder, "sock"));
  const blocked = createPaneClient({
    tmux: partOf({
      run: (words, options) =>
        options.stdin?.includes("send-keys") === true
          ? Promise.resolve({ exitCode: 1, stdout: "", stderr: "client is read-only\n", timedOut: false })
          : server.run(words, options),
    }),
    makeNonce: () => `nonce${(nonces += 1)}`,
  });
  await expect(blocked.runIf(actionOn(pane), pane, [type(pane, "typed")])).rejects.toMatchObject({
    code: "E_TARGET_UNREACHABLE",
    message: expect.stringContaining("client is read-only"),
  });
});

// Threads of Codex that go on after their terminal has gone: which are rows, what they ask, and how that is answered.
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
import {
  approving,
  asks,
  beginIn,
  called,
  chosenIn,
  daemon,
  drop,
  ended,
  found,
  hook,
  inBackground,
  killServer,
  load,
  newThread,
  openTerminal,
  prompted,
  PROMPT,
  showDialog,
  tmux,
  toolEnded,
  useThreads,
} from "./threadHarness.ts";

useThreads();

const REQUEST = { body: "touch approved.txt", is_whole: true };
/** A listing comes once a second. */
const SEVERAL_LISTINGS_MS = 3_500;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it("is its pane's row alone as long as that shows it, and goes on with what it asks when the pane has gone", async () => {
  const id = newThread();
  const pane = await beginIn(id);
  asks(id);
  await daemon.until(pane, ({ state }) => state === "waiting_approval");
  await pause(SEVERAL_LISTINGS_MS);
  expect(inBackground()).toEqual([]);
  await tmux.run("kill-pane", "-t", pane);
  const row = await found(id, ({ prompt_fingerprint }) => prompt_fingerprint !== null);
  expect(row).toMatchObject({ state: "waiting_approval", agent: "codex", request: REQUEST });
  expect(daemon.rows().filter(({ state }) => state !== null)).toHaveLength(1);
  expect(row.activity?.folder).toBe(daemon.home);
  toolEnded(id);
  await found(id, ({ state }) => state === "running");
  ended(id);
  hook(id, "Stop");
  await found(id, ({ state }) => state === "completed");
  drop(id);
  await daemon.untilGone(`bg-${id}`);
}, 40_000);

it("is told what it asked just when its pane was closed", async () => {
  const id = newThread();
  const pane = await beginIn(id);
  await tmux.run("kill-pane", "-t", pane);
  asks(id);
  const row = await found(id, ({ prompt_fingerprint }) => prompt_fingerprint !== null);
  expect(row).toMatchObject({ state: "waiting_approval", request: REQUEST });
}, 30_000);

it("is approved on a screen of its own, in its folder, and works on at once", async () => {
  const chosen = await showDialog();
  const id = newThread();
  const pane = await beginIn(id);
  asks(id);
  await daemon.until(pane, ({ state }) => state === "waiting_approval");
  await tmux.run("kill-pane", "-t", pane);
  const row = await found(id, ({ prompt_fingerprint }) => prompt_fingerprint !== null);
  expect(await daemon.daemon.service.answer(approving(row))).toMatchObject({ outcome: "delivered" });
  expect(chosenIn(chosen)).toEqual(["waiting_approval", "Yes, proceed"]);
  // The command runs: no event comes before it has ended.
  await found(id, ({ state }) => state === "running");
  expect(readdirSync(daemon.paths.home).filter((name) => name.startsWith("screen-"))).toEqual([]);
}, 40_000);

it("takes no key where its screen shows another request", async () => {
  const chosen = await showDialog();
  const id = newThread();
  const pane = await beginIn(id);
  called(id);
  const other = { tool_name: "Bash", tool_use_id: "call_1", tool_input: { command: "rm -rf /" } };
  hook(id, "PreToolUse", other);
  hook(id, "PermissionRequest", other);
  await daemon.until(pane, ({ state }) => state === "waiting_approval");
  await tmux.run("kill-pane", "-t", pane);
  const row = await found(id, ({ prompt_fingerprint }) => prompt_fingerprint !== null);
  await expect(daemon.daemon.service.answer(approving(row))).rejects.toMatchObject({
    code: "E_STALE_SNAPSHOT",
  });
  expect(chosenIn(chosen)).toBeNull();
}, 40_000);

it("that a terminal takes up again is that pane's row, and the events go there; left again, it still asks the same", async () => {
  const id = newThread();
  const first = await beginIn(id);
  asks(id);
  await daemon.until(first, ({ state }) => state === "waiting_approval");
  await tmux.run("kill-pane", "-t", first);
  await found(id, ({ prompt_fingerprint }) => prompt_fingerprint !== null);
  const second = await openTerminal(`resume ${id}`);
  await daemon.until(second, ({ state }) => state === "waiting_approval");
  await daemon.untilGone(`bg-${id}`);
  await tmux.run("kill-pane", "-t", second);
  const row = await found(id, ({ prompt_fingerprint }) => prompt_fingerprint !== null);
  expect(row).toMatchObject({ state: "waiting_approval", request: REQUEST });
  expect(daemon.rows().filter(({ state }) => state !== null)).toHaveLength(1);
}, 40_000);

it("that rests when its terminal goes is none: it ends by itself", async () => {
  const id = newThread();
  const pane = await beginIn(id);
  ended(id);
  hook(id, "Stop");
  await daemon.until(pane, ({ state }) => state === "completed");
  await tmux.run("kill-pane", "-t", pane);
  await daemon.untilGone(pane);
  await pause(SEVERAL_LISTINGS_MS);
  expect(inBackground()).toEqual([]);
}, 30_000);

it("beside a terminal of which nobody knows what it shows is none, unless it was seen in a pane", async () => {
  const [seen, unseen] = [newThread(), newThread()];
  const pane = await beginIn(seen);
  const other = await openTerminal();
  await daemon.until(other, ({ agent }) => agent === "codex");
  prompted(unseen);
  await load(unseen);
  await pause(2 * SEVERAL_LISTINGS_MS);
  expect(inBackground()).toEqual([]);
  await tmux.run("kill-pane", "-t", pane);
  await found(seen, ({ state }) => state === "running");
  await pause(SEVERAL_LISTINGS_MS);
  expect(inBackground()).toHaveLength(1);
}, 40_000);

it("that nobody has seen is a row once no terminal is there, by its files alone; an open call may be a wait", async () => {
  const id = newThread();
  prompted(id);
  await load(id);
  // A terminal that begins one is recognised a moment later.
  const running = await found(id, ({ state }) => state === "running", 15_000);
  expect(running).toMatchObject({ window_name: PROMPT, confidence: "medium" });
  called(id);
  const open = await found(id, ({ progress }) => progress !== null);
  expect(open).toMatchObject({ state: "unknown", progress: "runs a tool, or waits for an answer" });
  ended(id);
  await found(id, ({ state }) => state === "completed");
}, 40_000);

it("that nobody has seen is told with what it asked meanwhile", async () => {
  const id = newThread();
  prompted(id);
  await load(id);
  hook(id, "UserPromptSubmit", { prompt: PROMPT });
  asks(id);
  const row = await found(id, ({ prompt_fingerprint }) => prompt_fingerprint !== null, 15_000);
  expect(row).toMatchObject({ state: "waiting_approval", request: REQUEST });
}, 30_000);

it("of a program that prints, and one that another process has, is none", async () => {
  const [printing, elsewhere] = [newThread(), newThread()];
  prompted(printing, { source: "exec" });
  await load(printing);
  prompted(elsewhere);
  await load(elsewhere, { holder: "another" });
  await pause(3 * SEVERAL_LISTINGS_MS);
  const [only] = inBackground();
  // Only Linux tells who holds a lock.
  expect(only?.background?.id).toBe(process.platform === "linux" ? undefined : elsewhere);
}, 30_000);

it("stays across a restart of the daemon, and is an error when its server was killed while it worked", async () => {
  const id = newThread();
  const pane = await beginIn(id);
  await tmux.run("kill-pane", "-t", pane);
  await found(id, ({ state }) => state === "running");
  const other = await openTerminal();
  await daemon.until(other, ({ agent }) => agent === "codex");
  await daemon.restart();
  await found(id, ({ state }) => state === "running");
  const { service } = daemon.daemon;
  const [row] = inBackground();
  if (row === undefined) throw new Error("it has no row");
  const kill = { ...approving(row), guards: actionGuardsSchema.parse({}) };
  await expect(service.kill({ ...kill, signal: "TERM", isConfirmed: true })).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
    message: expect.stringContaining("no command that ends a session") as string,
  });
  killServer();
  await found(id, ({ reason_code }) => reason_code === "crashed");
}, 40_000);

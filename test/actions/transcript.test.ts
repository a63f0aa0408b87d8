// The transcript on a real daemon: offered where tmux has no scrollback, read from the log of the session in that pane.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { OutputRequest } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { Player } from "../player/player.ts";
import { openHarness, openPlayer, type Harness } from "./actionHarness.ts";

let harness: Harness;
const players: Player[] = [];
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(async () => {
  for (const player of players.splice(0)) await player.close();
  await harness.close();
});

const play = async (agent: string): Promise<Player> => {
  const player = await openPlayer(harness, agent);
  players.push(player);
  return player;
};
const view = (row: PaneView, source: OutputRequest, lines = 100) =>
  harness.service.viewOutput({ ...harness.request(row), lines, ansi: false, source });

it("is offered beside the screen, and is the log of this pane's session", async () => {
  await harness.service.integrationChange({ agent: "claude", action: "install", dryRun: false });
  const player = await play("claude");
  await player.frame("idle_fresh");
  const log = join(harness.daemon.home, ".claude/projects/-x", `${player.sessionId}.jsonl`);
  mkdirSync(dirname(log), { recursive: true });
  const line = (type: string, content: unknown) => `${JSON.stringify({ type, message: { content } })}\n`;
  writeFileSync(
    log,
    line("user", "run the tests") +
      line("assistant", [
        { type: "tool_use", name: "Bash", input: { command: "npm test" } },
        { type: "text", text: "All pass.\u001b[2J" },
      ]),
  );
  await player.event("SessionStart", { transcript_path: log });
  const row = await harness.daemon.until(player.paneId, ({ agent_session_id }) => agent_session_id !== null);

  expect(await view(row, "screen")).toMatchObject({
    source: "screen",
    is_alternate: true,
    transcript_offered: true,
  });
  expect(await view(row, "transcript")).toMatchObject({
    source: "transcript",
    lines: ["> run the tests", "", "* Bash npm test", "", "  All pass.[2J"],
    cut: "none",
    has_ansi: false,
    transcript_offered: false,
  });
  expect(await view(row, "transcript_or_screen")).toMatchObject({
    source: "transcript",
    lines: expect.arrayContaining(["> run the tests"]),
  });
  expect(await view(row, "transcript", 1)).toMatchObject({ lines: ["  All pass.[2J"], cut: "lines" });
});

it("is refused for an agent whose log is not known, for a pane without an agent, and for a log of nobody", async () => {
  const opencode = await play("opencode");
  const known = await harness.daemon.until(opencode.paneId, ({ agent }) => agent === "opencode");
  expect(await view(known, "screen")).toMatchObject({ transcript_offered: false });
  await expect(view(known, "transcript")).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
    message: expect.stringContaining("log is unknown"),
  });
  // Where both would do, the screen is what there is.
  const either = await view(known, "transcript_or_screen");
  expect(either).toMatchObject({ source: "screen", transcript_offered: false });
  expect(either.lines.length).toBeGreaterThan(0);
  const cat = await harness.open("exec cat");
  expect(await view(cat, "transcript_or_screen")).toMatchObject({ source: "screen" });
  await expect(view(cat, "transcript")).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  const codex = await play("codex");
  const unnamed = await harness.daemon.until(codex.paneId, ({ agent }) => agent === "codex");
  await expect(view(unnamed, "transcript")).rejects.toMatchObject({
    message: expect.stringContaining("can't tell which log belongs to this Codex process"),
  });
  expect(await view(unnamed, "transcript_or_screen")).toMatchObject({ source: "screen" });
  await expect(view(unnamed, "transcript")).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  const [entry] = harness.service.audit({ limit: 1 }).items;
  expect([entry?.action, entry?.outcome]).toEqual(["view-output", "E_UNSUPPORTED"]);
});

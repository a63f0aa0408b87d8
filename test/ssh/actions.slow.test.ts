// Every action on a pane behind a real sshd, over both transports: the same outcomes as on this machine, and hostile text
// arrives byte for byte. One harness for all: the last test breaks its connection.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DaemonService } from "../../core/api/calls.ts";
import type { PaneView } from "../../core/model/view.ts";
import { openAgent } from "../actions/agentPane.ts";
import { untilSooner } from "../endurance/movedClock.ts";
import { until } from "../setup/realClock.ts";
import { LIMIT_MS, openTargetHarness, type TargetHarness } from "./targetHarness.ts";

const HOSTILE: readonly [string, string][] = [
  ["quotes, substitutions and formats", `"a" 'b' \`id\` $(id) \${HOME} #{pane_id} #[fg=red] %% \\n \\ !! ~`],
  ["a trailing semicolon", "do this;"],
  ["a leading dash", "-l -t %0 -- x"],
  ["emoji and wide characters", "größe 漢字 👍🏽 ok"],
  ["newlines, tabs and what ends a here-document", "first\n\tsecond;\n\nEOF\n'last' \"line\"\n$(reboot)"],
];
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

describe.each(["openssh", "ssh2"] as const)("on a pane over %s", (transport) => {
  let harness: TargetHarness;
  beforeAll(async () => {
    harness = await openTargetHarness(transport);
  }, LIMIT_MS * 3);
  afterAll(() => harness.close());

  type SendInput = Parameters<DaemonService["send"]>[0];
  const send = (row: PaneView, text: string, more: Partial<SendInput> = {}) =>
    harness.service.send({
      ...harness.request(row),
      text,
      pressEnter: true,
      toShell: false,
      idempotencyKey: null,
      ...more,
    });
  const rowOf = (paneId: string): PaneView | undefined =>
    harness.daemon.rows().find((row) => row.identity.pane_id === paneId);

  it("send types hostile text literally and submits it", async () => {
    const agent = await openAgent(harness, {}, "hostile");
    for (const [, text] of HOSTILE) {
      const row = await harness.daemon.until(agent.paneId, ({ state }) => state === "idle", LIMIT_MS);
      const result = await send(row, text);
      expect([text, result.outcome, result.notes]).toEqual([text, "delivered", []]);
    }
    expect(agent.received()).toEqual(HOSTILE.map(([, text]) => text));
    expect(await harness.tmux.run("list-buffers")).toBe("");
  });

  it("send carries a hundred kilobytes", async () => {
    const agent = await openAgent(harness, { placeholderAbove: 1_000 }, "large");
    const text = Array.from(
      { length: 2_000 },
      (_, at) => `line ${at}: 'quoted' "$(id)" \`x\` 漢字 👍 ;`,
    ).join("\n");
    expect(Buffer.byteLength(text)).toBeGreaterThan(80_000);
    expect(await send(agent.row, text)).toMatchObject({ outcome: "delivered" });
    expect(agent.received().map(hashOf)).toEqual([hashOf(text)]);
  });

  it("view-output shows the end of it, clean or with colours", async () => {
    const row = await harness.open("printf 'plain \\033[31mred\\033[0m $(id)\\n'; exec cat");
    const view = (ansi: boolean) =>
      harness.service.viewOutput({ ...harness.request(row), lines: 5, ansi, source: "screen" });
    await until(async () => (await harness.screen(row.identity.pane_id)).includes("red"), "it is drawn");
    expect((await view(false)).lines).toContain("plain red $(id)");
    expect((await view(true)).lines.join("\n")).toContain("\u001b[31mred");
  });

  it("interrupt presses the agent's own keys", async () => {
    const working = new URL("../fixtures/recordings/claude/running.txt", import.meta.url).pathname;
    const agent = await openAgent(harness, { working, escapes: 1 }, "working");
    const result = await harness.service.interrupt(harness.request(agent.row));
    expect([result.outcome, agent.received()]).toEqual(["delivered", ["escape"]]);
  });

  it("kill asks first, ends the far process and no other", async () => {
    const player = await harness.play("claude");
    await player.frame("completed");
    const row = await harness.daemon.untilState(player.paneId, "idle", LIMIT_MS);
    const kill = (isConfirmed: boolean) =>
      harness.service.kill({ ...harness.request(row), signal: "TERM", isConfirmed });
    await expect(kill(false)).rejects.toMatchObject({ code: "E_CONFIRMATION_REQUIRED" });
    expect(player.isAlive()).toBe(true);
    expect(await kill(true)).toMatchObject({ outcome: "delivered" });
    expect(player.isAlive()).toBe(false);
    const isGone = (): boolean => rowOf(player.paneId)?.state === null;
    await untilSooner(harness.clock, isGone, "the row has no agent any more", LIMIT_MS);
  });

  it("are refused with the reason while there is no connection", async () => {
    const agent = await openAgent(harness, {}, "lost");
    await harness.server.stop();
    await harness.untilHealth("down");
    await expect(
      send(agent.row, "lost", { guards: { ...harness.request(agent.row).guards, forceStale: true } }),
    ).rejects.toMatchObject({
      code: "E_TARGET_UNREACHABLE",
    });
    expect(agent.received()).toEqual([]);
  });
});

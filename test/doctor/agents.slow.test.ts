// What the doctor says of agents: a played one in a real pane, with hooks missing, whole, drifted, and with events.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Finding } from "../../core/model/doctor.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));

interface Scene {
  readonly daemon: TestDaemon;
  readonly player: Player;
  readonly findingsOf: (agent: string) => Promise<Finding[]>;
  readonly change: (action: "install" | "repair", agent?: string) => Promise<unknown>;
}

/** A home and a daemon of its own, gone with its test: most of the time waits for what the doctor tries. */
const openScene = async (test: { onTestFinished(close: () => Promise<void>): void }): Promise<Scene> => {
  const tmux = createPrivateTmux();
  const daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
  const player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: daemon.home,
    recordingsDir: RECORDINGS,
    eventScript: daemon.eventScript,
  });
  test.onTestFinished(async () => {
    await player.close();
    await daemon.close();
    await tmux.close();
  });
  await daemon.until(player.paneId, ({ agent }) => agent === "claude", 15_000);
  const { service } = daemon.daemon;
  return {
    daemon,
    player,
    findingsOf: async (agent) => {
      const { findings } = await service.doctor({ target: null });
      return findings.filter((finding) => finding.agent === agent);
    },
    change: (action, agent = "claude") => service.integrationChange({ agent, action, dryRun: false }),
  };
};

const brief = (findings: readonly Finding[]): Record<string, string> =>
  Object.fromEntries(findings.map(({ check, status }) => [check, status]));
it.concurrent("says how an agent without hooks is known, and how to install them", async (test) => {
  const { daemon, findingsOf } = await openScene(test);
  const findings = await findingsOf("claude");
  const paneRef = daemon.rows().find((row) => row.agent === "claude")?.identity.pane_ref;
  expect(findings.find(({ check }) => check === "agent.integration")).toMatchObject({
    status: "warning",
    summary: "Claude Code is read from its screen only.",
    evidence: paneRef,
    remedy: "Install its hooks with 'agtmux integrate claude'.",
    target: "host",
  });
});

it.concurrent("tells hooks that are in place but silent from those whose events arrive", async (test) => {
  const { daemon, player, findingsOf, change } = await openScene(test);
  await change("install");
  expect(brief(await findingsOf("claude"))).toMatchObject({
    "agent.integration": "ok",
    "agent.events": "warning",
  });
  await player.event("SessionStart");
  await daemon.untilState(player.paneId, "idle");
  const findings = await findingsOf("claude");
  expect(brief(findings)).toMatchObject({ "agent.integration": "ok", "agent.events": "ok" });
  expect(findings.find(({ check }) => check === "agent.events")?.evidence).toMatch(/^last one /);
});

it.concurrent("does not count its own test event as the agent's", async (test) => {
  const { daemon, findingsOf, change } = await openScene(test);
  await change("install");
  await daemon.daemon.service.doctor({ target: null });
  expect(brief(await findingsOf("claude"))).toMatchObject({ "agent.events": "warning" });
});

it.concurrent("notices drifted hooks, and that they are whole again after the repair it names", async (test) => {
  const { daemon, findingsOf, change } = await openScene(test);
  await change("install");
  const path = join(daemon.home, ".claude", "settings.json");
  const settings = JSON.parse(readFileSync(path, "utf8")) as { hooks: Record<string, unknown> };
  delete settings.hooks["Stop"];
  writeFileSync(path, JSON.stringify(settings, null, 2));
  const [drifted] = await findingsOf("claude");
  expect(drifted).toMatchObject({
    check: "agent.integration",
    status: "problem",
    evidence: "missing: Stop",
    remedy: "Run 'agtmux integrate claude --repair'.",
  });
  await change("repair");
  expect(brief(await findingsOf("claude"))).toMatchObject({ "agent.integration": "ok" });
});

it.concurrent("names what stands in the way where a settings file cannot be parsed, and leaves it alone", async (test) => {
  const { daemon, findingsOf, change } = await openScene(test);
  await change("install");
  const path = join(daemon.home, ".claude", "settings.json");
  writeFileSync(path, '{ "hooks": ');
  const [finding] = await findingsOf("claude");
  expect(finding).toMatchObject({
    status: "problem",
    evidence: expect.stringContaining(path),
    remedy: expect.stringMatching(/^Correct the settings file by hand/),
  });
  expect(readFileSync(path, "utf8")).toBe('{ "hooks": ');
});

it.concurrent("says that other programs may answer permission requests", async (test) => {
  const { daemon, findingsOf, change } = await openScene(test);
  const path = join(daemon.home, ".claude", "settings.json");
  const foreign = [{ hooks: [{ type: "command", command: "my-approver" }] }];
  await change("install");
  const settings = JSON.parse(readFileSync(path, "utf8")) as { hooks: Record<string, unknown[]> };
  settings.hooks["PermissionRequest"] = [...(settings.hooks["PermissionRequest"] ?? []), ...foreign];
  writeFileSync(path, JSON.stringify(settings));
  const findings = await findingsOf("claude");
  expect(findings.find(({ check }) => check === "agent.confirmation")?.summary).toContain(
    "Another program may answer",
  );
});

it.concurrent("says of hooks that an agent does not trust what has to be done, and names unverified adapters", async (test) => {
  const { findingsOf, change } = await openScene(test);
  await change("install", "codex");
  await change("install", "arcane");
  const [untrusted] = await findingsOf("codex");
  expect(untrusted).toMatchObject({
    status: "warning",
    summary: expect.stringContaining("Still to do: trust the hooks in Codex."),
    remedy: expect.stringContaining("Hooks need review"),
  });
  expect(brief(await findingsOf("arcane"))).toMatchObject({ "agent.verified": "warning" });
  expect(brief(await findingsOf("gjc"))).toEqual({
    "agent.integration": "skipped",
    "agent.verified": "skipped",
  });
});

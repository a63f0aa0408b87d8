// What the doctor says of agents: a played one in a real pane, with hooks missing, whole, drifted, and with events.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Finding } from "../../core/model/doctorView.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));

let tmux: PrivateTmux;
let daemon: TestDaemon;
let player: Player;

beforeEach(async () => {
  tmux = createPrivateTmux();
  daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
  player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: daemon.home,
    recordingsDir: RECORDINGS,
    eventScript: daemon.eventScript,
  });
  await daemon.until(player.paneId, ({ agent }) => agent === "claude", 15_000);
});
afterEach(async () => {
  await player.close();
  await daemon.close();
  await tmux.close();
});

const findingsOf = async (agent: string): Promise<Finding[]> => {
  const { findings } = await daemon.daemon.service.doctor({ target: null });
  return findings.filter((finding) => finding.agent === agent);
};
const brief = (findings: readonly Finding[]): Record<string, string> =>
  Object.fromEntries(findings.map(({ check, status }) => [check, status]));
const change = (action: "install" | "repair") =>
  daemon.daemon.service.integrationChange({ agent: "claude", action, dryRun: false });

it("says how an agent without hooks is known, and how to install them", async () => {
  const findings = await findingsOf("claude");
  const paneRef = daemon.rows().find((row) => row.agent === "claude")?.identity.pane_ref;
  expect(findings.find(({ check }) => check === "agent.integration")).toMatchObject({
    status: "warning",
    summary: "Claude Code works by screen reading only.",
    evidence: paneRef,
    remedy: "Install its hooks with 'agtmux integrate claude'.",
    target: "host",
  });
});

it("tells hooks that are in place but silent from those whose events arrive", async () => {
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

it("does not count its own test event as the agent's", async () => {
  await change("install");
  await daemon.daemon.service.doctor({ target: null });
  expect(brief(await findingsOf("claude"))).toMatchObject({ "agent.events": "warning" });
});

it("notices drifted hooks, and that they are whole again after the repair it names", async () => {
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

it("names what stands in the way where a settings file cannot be parsed, and leaves it alone", async () => {
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

it("says that other programs may answer permission requests", async () => {
  const path = join(daemon.home, ".claude", "settings.json");
  const foreign = [{ hooks: [{ type: "command", command: "my-approver" }] }];
  await daemon.daemon.service.integrationChange({ agent: "claude", action: "install", dryRun: false });
  const settings = JSON.parse(readFileSync(path, "utf8")) as { hooks: Record<string, unknown[]> };
  settings.hooks["PermissionRequest"] = [...(settings.hooks["PermissionRequest"] ?? []), ...foreign];
  writeFileSync(path, JSON.stringify(settings));
  const findings = await findingsOf("claude");
  expect(findings.find(({ check }) => check === "agent.confirmation")?.summary).toContain(
    "Another program may answer",
  );
});

it("says of hooks that an agent does not trust what has to be done, and names unverified adapters", async () => {
  await daemon.daemon.service.integrationChange({ agent: "codex", action: "install", dryRun: false });
  await daemon.daemon.service.integrationChange({ agent: "arcane", action: "install", dryRun: false });
  const [untrusted] = await findingsOf("codex");
  expect(untrusted).toMatchObject({
    status: "warning",
    summary: expect.stringContaining("What is left: trust the hooks in Codex."),
    remedy: expect.stringContaining("Hooks need review"),
  });
  expect(brief(await findingsOf("arcane"))).toMatchObject({ "agent.verified": "warning" });
  expect(brief(await findingsOf("gjc"))).toEqual({
    "agent.integration": "skipped",
    "agent.verified": "skipped",
  });
});

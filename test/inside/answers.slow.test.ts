// Answers to an agent of which only the screen is known, here behind a real ssh: the right one gets through, and nothing does where
// the screen is another's, the request is not whole, or the agent has gone and left its text behind.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { CLAUDE_OPTIONS, CODEX_QUESTION, YES } from "../actions/dialogs.ts";
import { answerTo, openHarness, sendTo, type Harness } from "../actions/actionHarness.ts";
import { dialogOf, openDialogs } from "../actions/dialogPane.ts";
import { createSshServer, type SshServer } from "../ssh/sshServer.ts";

const LIMIT_MS = 15_000;
/** For two looks and some more. */
const NEVER_MS = 4_000;
const FRAMES = fileURLToPath(new URL("../fixtures/recordings", import.meta.url));
const APPROVE = { kind: "approve" } as const;
const DENY = { kind: "deny" } as const;
const CLAUDE = dialogOf("recordings/claude/waiting_approval", {
  options: CLAUDE_OPTIONS,
  digits: "too",
  escapes: "No",
  mark: "❯",
});

let harness: Harness;
let ssh: SshServer;
/** Runs its words on the far side. */
let far: string;
beforeAll(async () => {
  harness = await openHarness();
  ssh = await createSshServer();
  far = join(harness.tmux.folder, "far");
  writeFileSync(far, `#!/bin/bash\nexec ssh -tt -F ${ssh.configFile} vm1 "$(printf '%q ' "$@")"\n`, {
    mode: 0o755,
  });
}, LIMIT_MS * 2);
afterAll(async () => {
  await harness.close();
  await ssh.close();
});

const openFar = (agent: string, dialogs: Parameters<typeof openDialogs>[2]) =>
  openDialogs(harness, agent, dialogs, { prefix: `exec ${far}` });

/** The pane of a far program that a test names, once it shows `shows`. */
const openText = async (script: string, shows: string): Promise<string> => {
  const row = await harness.open(`exec ${far} bash -c '${script.replaceAll("'", `'\\''`)}'`);
  const { pane_id: paneId } = row.identity;
  await vi.waitFor(async () => expect(await harness.screen(paneId)).toContain(shows), { timeout: LIMIT_MS });
  return paneId;
};
const agentIn = (paneId: string): string | null =>
  harness.daemon.rows().find(({ identity }) => identity.pane_id === paneId)?.agent ?? null;

describe.concurrent("an answer", () => {
  it.each([
    ["claude", CLAUDE, APPROVE, YES],
    ["claude", CLAUDE, DENY, "No"],
    ["codex", CODEX_QUESTION, { kind: "option", number: 3 }, "None of the above"],
  ] as const)("reaches %s", async (agent, dialog, choice, label) => {
    const pane = await openFar(agent, [dialog]);
    expect(pane.row).toMatchObject({ agent, inside: "ssh", confidence: "low" });
    expect(await answerTo(harness, pane.row, choice)).toMatchObject({ outcome: "delivered" });
    expect(pane.chosen()).toEqual([[dialog.name, label]]);
  });

  it("to a request that is only partly on the screen is not offered, not even a refusal", async () => {
    const tall = dialogOf("dialogs/claude/tall_80x24", { options: ["Yes", "No"], mark: "❯" });
    const rows = tall.text.split("\n");
    const row = await harness.open(`exec sleep 600`);
    const { pane_id: paneId } = row.identity;
    await harness.tmux.run("resize-window", "-t", paneId, "-x", "80", "-y", "24");
    const marked = rows.findIndex((text) => /❯ 1\./.test(text));
    const draw = `${rows.map((text, at) => `\\033[${at + 1};1H${text}`).join("")}\\033[${marked + 1};2H\\033[?25l`;
    const script = join(harness.tmux.folder, "tall.sh");
    writeFileSync(
      script,
      `printf '\\033[2J%b' ${JSON.stringify(draw.replaceAll("$", "\\$"))}; exec cat >/dev/null\n`,
    );
    await harness.tmux.run("respawn-pane", "-k", "-t", paneId, `exec ${far} bash ${script}`);
    const listed = await harness.daemon.until(paneId, ({ state }) => state === "waiting_approval", LIMIT_MS);
    expect(listed).toMatchObject({ inside: "ssh", prompt_fingerprint: null });
    await expect(answerTo(harness, listed, DENY, { ifPrompt: "x" })).rejects.toMatchObject({
      code: "E_STALE_SNAPSHOT",
    });
  });

  it("comes to nothing once the agent has gone and its dialog is only printed", async () => {
    const folder = harness.tmux.folder;
    const [frame, typed] = [join(FRAMES, "claude/waiting_approval.txt"), join(folder, "typed")];
    const [agent, gone] = [join(folder, "agent.sh"), join(folder, "gone")];
    const rows = readFileSync(frame, "utf8").split("\n").slice(0, 40);
    const marked = rows.findIndex((row) => row.includes("❯ 1. Yes"));
    writeFileSync(join(folder, "frame.txt"), rows.slice(0, 39).join("\n"));
    // The same rows, drawn by an agent first, then by cat; what is typed afterwards is kept.
    writeFileSync(
      agent,
      [
        `printf '\\033[?1049h\\033[2J\\033[H'; cat ${folder}/frame.txt; printf '\\033[${marked + 1};2H\\033[?25l'`,
        `stty -echo -icanon; while [ ! -e ${gone} ]; do sleep 0.02; done`,
        `printf '\\033[2J\\033[H'; cat ${folder}/frame.txt; printf '\\033[?25h'`,
        `exec cat >${typed}`,
      ].join("\n"),
    );
    const paneId = await openText(`exec bash ${agent}`, "Do you want to proceed?");
    const isOffered = ({ prompt_fingerprint: name }: PaneView): boolean => name !== null;
    const row = await harness.daemon.until(paneId, isOffered, LIMIT_MS);
    writeFileSync(gone, "");
    const flag = () => harness.tmux.run("display-message", "-p", "-t", paneId, "#{cursor_flag}");
    await vi.waitFor(async () => expect(await flag()).toBe("1"), { timeout: LIMIT_MS, interval: 10 });
    await expect(answerTo(harness, row, APPROVE)).rejects.toMatchObject({ code: "E_STALE_SNAPSHOT" });
    await expect(answerTo(harness, row, DENY)).rejects.toMatchObject({ code: "E_STALE_SNAPSHOT" });
    await expect(sendTo(harness, row, "hello")).rejects.toThrow(/Nothing was sent/);
    await harness.daemon.untilGone(paneId, LIMIT_MS);
    expect(existsSync(typed) ? readFileSync(typed, "utf8") : "").toBe("");
  });
});

describe.concurrent("is no row", () => {
  const claude = join(FRAMES, "claude/waiting_approval.txt");
  const codex = join(FRAMES, "codex/waiting_approval.txt");
  it.each([
    ["a screen that was printed in a shell", `cat ${claude}; exec bash --norc`, "Do you want"],
    ["a screen that was printed by a program that goes on", `cat ${codex}; exec sleep 600`, "Would you like"],
    ["the log of one", `exec tail -n 40 -f ${claude}`, "Do you want"],
    ["a screen in a pager", `LC_ALL=C.UTF-8 exec less ${claude}`, "Do you want"],
    ["a screen in an editor", `exec vim -u NONE -N + ${codex}`, "Would you like"],
    ["a difference between two", `diff -u ${claude} ${codex}; exec sleep 600`, "Do you want"],
  ])("%s", async (_what, script, shows) => {
    const paneId = await openText(script, shows);
    await wait(NEVER_MS);
    expect(agentIn(paneId)).toBeNull();
    expect(harness.daemon.timeline(paneId)).toEqual([]);
  });

  it("a pager behind a pipe of ssh, nor ssh that runs behind a shell", async () => {
    const piped = await harness.open(`${far} cat ${claude} | exec less`);
    const paneId = piped.identity.pane_id;
    await vi.waitFor(async () => expect(await harness.screen(paneId)).toContain("Do you want"), {
      timeout: LIMIT_MS,
    });
    const behind = await harness.open(`bash -c '${far} sleep 600 </dev/null & cat ${claude}; exec cat'`);
    await wait(NEVER_MS);
    expect([agentIn(paneId), agentIn(behind.identity.pane_id)]).toEqual([null, null]);
  });
});

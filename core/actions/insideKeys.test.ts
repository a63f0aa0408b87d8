// Between the last look and the key the agent behind the program in front may be replaced: what prints the same rows gets nothing.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { createPrivateTmux, type PrivateTmux } from "../../test/harness/privateTmux.ts";
import { callsOn } from "../../test/harness/tmuxCalls.ts";
import { realClock } from "../../test/setup/realClock.ts";
import type { Pane } from "../model/runtime.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import { onScreenAlone } from "../ports/screenAlone.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { answerPrompt } from "./answer.ts";
import { createPaneClient, type PaneClient } from "./paneClient.ts";
import type { VerifiedAction } from "./prepare.ts";

const FRAMES = join(import.meta.dirname, "../../test/fixtures/recordings");
let tmux: PrivateTmux;
let folder: string;
const executor = createLocalExecutor({ targetId: "host", env: process.env });
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-keys-"));
  tmux = createPrivateTmux();
});
afterAll(async () => {
  await executor.close();
  await tmux.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A pane that draws the frame as its agent does, and once `gone` is there as a shell does, and keeps what is typed. */
const open = async (agent: string, cursor: { x: number; y: number }) => {
  const [frame, gone, typed] = ["frame", "gone", "typed"].map((name) => join(folder, `${agent}.${name}`));
  const rows = readFileSync(join(FRAMES, agent, "waiting_approval.txt"), "utf8")
    .split("\n")
    .slice(0, 40);
  writeFileSync(frame ?? "", rows.map((row, at) => `\u001b[${at + 1};1H${row}`).join(""));
  const place = `\\033[${cursor.y + 1};${cursor.x + 1}H`;
  const script = [
    `stty -echo -icanon; printf '\\033[?1049h\\033[?7l\\033[2J'; cat ${frame}; printf '${place}\\033[?25l'`,
    `while [ ! -e ${gone} ]; do sleep 0.01; done`,
    `printf '\\033[?25h'; cat >${typed}`,
  ].join("; ");
  const file = join(folder, `${agent}.sh`);
  writeFileSync(file, script);
  const size = ["-x", "120", "-y", "40"];
  const ids = ["-P", "-F", "#{pane_id} #{pane_pid}"];
  const made = await tmux.run("new-session", "-d", "-s", agent, ...size, ...ids, `exec sh ${file}`);
  const [paneId = "", panePid = ""] = made.split(" ");
  const shown = () => tmux.run("display-message", "-p", "-t", paneId, "#{cursor_flag}");
  const replace = async (): Promise<void> => {
    writeFileSync(gone ?? "", "");
    await vi.waitFor(async () => expect(await shown()).toBe("1"), { timeout: 5_000, interval: 10 });
  };
  await vi.waitFor(async () => expect(await shown()).toBe("0"), { timeout: 5_000, interval: 10 });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a capture has of a pane and nothing else
  const pane = { targetId: "host", server: "test", paneId, panePid: Number(panePid), title: "" } as Pane;
  return { pane, replace, typed: () => readFileSync(typed ?? "", "utf8") };
};

const answer = (pane: Pane, client: PaneClient, adapter: AgentAdapter) =>
  answerPrompt({
    pane,
    paneRef: "it",
    client,
    clock: realClock,
    agentName: adapter.displayName,
    adapter,
    choice: { kind: "approve" },
    openedAt: 0,
    isInside: true,
    isUnattended: false,
    asShown: (seen) => seen,
    isForeground: () => Promise.resolve(true),
    isOpen: () => false,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the gate is not part of this test
    verify: () =>
      ({
        snapshot: { snapshotId: "s", targetId: "host", server: "test", paneId: pane.paneId },
      }) as VerifiedAction,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    renew: () =>
      ({
        snapshot: { snapshotId: "s", targetId: "host", server: "test", paneId: pane.paneId },
      }) as VerifiedAction,
    onFirstKey: () => {},
    onNothingSent: () => {},
  });

it.each([
  ["claude", { x: 1, y: 33 }],
  ["codex", { x: 119, y: 39 }],
])("of %s", async (agent, cursor) => {
  const full = createAdapterRegistry().byAgentType(agent);
  const adapter = full === null ? null : onScreenAlone(full, "ssh");
  if (adapter === null) throw new Error("no adapter");
  const { pane, replace, typed } = await open(agent, cursor);
  let nonces = 0;
  const client = createPaneClient({
    tmux: callsOn(executor, tmux.socketPath),
    makeNonce: () => `nonce${(nonces += 1)}`,
  });
  let keys = 0;
  const late: PaneClient = {
    ...client,
    runIf: async (...asked) => {
      keys += 1;
      await replace();
      return client.runIf(...asked);
    },
  };
  await expect(answer(pane, late, adapter)).rejects.toMatchObject({ code: "E_STALE_SNAPSHOT" });
  expect(keys).toBe(1);
  expect(typed()).toBe("");
});

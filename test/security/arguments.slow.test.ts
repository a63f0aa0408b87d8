// What is typed into a pane stands in no argument of any process, here and on a target: every local user of either machine
// reads those. Another user reads all of them while texts are sent and answered, and tmux writes down its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { openAgent } from "../actions/agentPane.ts";
import { dialogOf, openDialogs } from "../actions/dialogPane.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { openTargetHarness } from "../ssh/targetHarness.ts";
import { recordTmux, spyOnArguments, type RecordedTmux } from "./argumentSpy.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 90_000 });

const SECRET = "Xk93hUqz";
/** Its end is what a screen shows of a long one, and what is looked for before Enter. */
const LONG_END = "Wv07pJry";
const TEXTS: readonly [string, string][] = [
  ["a line", `deploy with ${SECRET} now`],
  ["a line of four kilobytes", `${"x".repeat(4_000)} ${LONG_END}`],
  ["a long line", `${SECRET} ${"x".repeat(5_000)} ${LONG_END}`],
  ["several lines", `first ${SECRET}\nlast ${LONG_END}`],
];

const PLACES: readonly [string, (tmux: RecordedTmux) => Promise<Harness>][] = [
  ["here", (tmux) => openHarness({ PATH: `${tmux.folder}:${process.env["PATH"]}` })],
  ["over openssh", (tmux) => openTargetHarness("openssh", { tmuxPath: tmux.path })],
  ["over ssh2", (tmux) => openTargetHarness("ssh2", { tmuxPath: tmux.path })],
];

describe.skipIf(process.platform !== "linux").each(PLACES)("%s", (_place, openPlace) => {
  let folder: string;
  let tmux: RecordedTmux;
  let harness: Harness;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "agtmux-args-"));
    tmux = recordTmux(join(folder, "bin"));
    harness = await openPlace(tmux);
  });
  afterAll(async () => {
    await harness.close();
    rmSync(folder, { recursive: true });
  });

  /** Does the work under another user's eyes: no process and no call of tmux may have one of the words in its arguments. */
  const unseen = async (words: readonly string[], work: () => Promise<void>): Promise<void> => {
    const spy = await spyOnArguments(words);
    await work().catch(async (error: unknown) => {
      await spy.stop();
      throw error;
    });
    const { seen, rounds } = await spy.stop();
    expect([seen, rounds > 10]).toEqual([[], true]);
    expect(words.filter((word) => tmux.calls().includes(word))).toEqual([]);
    // The tmux that was called is the one that writes.
    expect(tmux.calls()).toContain("display-message");
  };
  const send = (row: PaneView, text: string) =>
    harness.service.send({
      ...harness.request(row),
      text,
      pressEnter: true,
      toShell: false,
      idempotencyKey: null,
    });

  it.each(TEXTS)("%s that is sent is in no argument", async (what, text) => {
    const agent = await openAgent(harness, {}, what.replaceAll(" ", "-"));
    await unseen([SECRET, LONG_END], async () => {
      expect(await send(agent.row, text)).toMatchObject({ outcome: "delivered" });
    });
    expect(agent.received()).toEqual([text]);
    expect(await harness.tmux.run("list-buffers")).toBe("");
  });

  it("a text that answers a question is in no argument", async () => {
    const free = dialogOf("variants/copilot/question_free_text", { options: [] });
    const field = free.text.split("\n").findLastIndex((row) => row.trim() === "│");
    const pane = await openDialogs(harness, "copilot", [{ ...free, field }]);
    const text = `the word is ${SECRET}`;
    await unseen([SECRET], async () => {
      const answered = await harness.service.answer({
        ...harness.request(pane.row, { ifPrompt: pane.row.prompt_fingerprint }),
        choice: { kind: "text", text },
        idempotencyKey: null,
      });
      expect(answered).toMatchObject({ outcome: "delivered" });
    });
    expect(pane.chosen()).toEqual([["question_free_text", text]]);
  });

  it("what an agent asks is in no argument of tmux while it is answered", async () => {
    const dialog = dialogOf("recordings/claude/waiting_approval", {
      options: ["Yes", "Yes, and always allow access to this project", "No"],
      digits: "too",
      replace: ["touch approved.txt", `touch ${SECRET}`],
    });
    const pane = await openDialogs(harness, "claude", [dialog]);
    expect(await harness.screen(pane.paneId)).toContain(SECRET);
    const before = tmux.calls().length;
    const answered = await harness.service.answer({
      ...harness.request(pane.row, { ifPrompt: pane.row.prompt_fingerprint }),
      choice: { kind: "approve" },
      idempotencyKey: null,
    });
    expect([answered.outcome, pane.chosen()]).toEqual(["delivered", [[dialog.name, "Yes"]]]);
    expect(tmux.calls().slice(before)).toContain("source-file");
    expect(tmux.calls().slice(before)).not.toContain(SECRET);
  });
});

// send on real panes with the real daemon: what arrives, what is refused, and what the three outcomes mean.
import { chmodSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openAgent } from "./agentPane.ts";
import {
  auditOf,
  expectNoBuffers,
  sendTo,
  openHarness,
  openPlayer,
  recordings,
  type Harness,
} from "./actionHarness.ts";

const RECORDINGS = recordings("claude");

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const LONG = Array.from(
  { length: 400 },
  (_, at) => `line ${at} with some words in it, about fifty characters`,
).join("\n");

describe.concurrent("to an agent", () => {
  it.each([
    ["a trailing semicolon", "do this;"],
    ["semicolons only inside", "a ; b \\; c"],
    ["a leading dash", "-l -t %0 -- x"],
    ["emoji and wide characters", "größe 漢字 👍🏽 ok"],
    ["a format at the start", "#{==:1,1} # comment { x }"],
    ["newlines and tabs", "first\n\tsecond;\n\nlast 'line'"],
    ["a long line", `start ${"x".repeat(5_000)} end`],
    ["twenty kilobytes", LONG],
    ["a single character", "y"],
  ])("types %s literally and submits it", async (_name, text) => {
    const agent = await openAgent(harness);
    const result = await sendTo(harness, agent.row, text);
    expect([result.outcome, result.notes, agent.received()]).toEqual(["delivered", [], [text]]);
    expect(auditOf(harness, agent.row)).toEqual([["send", "delivered", text.length]]);
    await expectNoBuffers(harness);
  });

  it("leaves control characters out, and says so", async () => {
    const agent = await openAgent(harness);
    const result = await sendTo(harness, agent.row, "a\u0003b\u001b[201~c\u009bd\rE\u007f");
    expect(result).toMatchObject({ outcome: "delivered", notes: ["5 control characters were left out."] });
    expect(agent.received()).toEqual(["ab[201~cdE"]);
  });

  it("only types with --no-enter", async () => {
    const agent = await openAgent(harness);
    expect(await sendTo(harness, agent.row, "not yet", { pressEnter: false })).toMatchObject({
      outcome: "delivered",
    });
    expect(agent.received()).toEqual([]);
    expect(await harness.screen(agent.paneId)).toContain("❯ not yet");
  });

  it("leaves copy mode first", async () => {
    const agent = await openAgent(harness);
    await harness.tmux.run("copy-mode", "-t", agent.paneId);
    const result = await sendTo(harness, agent.row, "out of copy mode");
    expect(result).toMatchObject({
      outcome: "delivered",
      notes: ["The pane was in copy mode, which was left."],
    });
    expect(agent.received()).toEqual(["out of copy mode"]);
  });

  it("is typed nowhere while nobody knows its settings, which say what its keys mean", async () => {
    // Anybody may write into it, so it is not believed.
    const settings = mkdtempSync(join(harness.tmux.folder, "settings-"));
    chmodSync(settings, 0o777);
    const agent = await openAgent(harness, {}, "foreign", harness.tmux.folder, settings);
    await expect(sendTo(harness, agent.row, "hello")).rejects.toMatchObject({
      code: "E_STALE_SNAPSHOT",
      message: expect.stringContaining("can't find the agent's settings folder"),
    });
    expect(agent.received()).toEqual([]);
    expect(await harness.screen(agent.paneId)).not.toContain("hello");
  });

  it("that shows a paste as a mark is delivered all the same", async () => {
    const agent = await openAgent(harness, { placeholderAbove: 100 });
    expect(await sendTo(harness, agent.row, LONG)).toMatchObject({ outcome: "delivered" });
    expect(agent.received()).toEqual([LONG]);
  });

  it("that needs another Enter gets one more and no third", async () => {
    const two = await openAgent(harness, { enters: 2 }, "two");
    const three = await openAgent(harness, { enters: 3 }, "three");
    const [twice, thrice] = await Promise.all([
      sendTo(harness, two.row, "twice"),
      sendTo(harness, three.row, "thrice"),
    ]);
    expect(twice).toMatchObject({ outcome: "delivered", detail: expect.stringContaining("second") });
    expect(thrice).toMatchObject({ outcome: "not_delivered" });
    expect([two.received(), three.received()]).toEqual([["twice"], []]);
  });

  it("that takes the text for something else is not said to have got it", async () => {
    const agent = await openAgent(harness, { swallows: true });
    expect(await sendTo(harness, agent.row, "do something")).toMatchObject({
      outcome: "unverified",
      detail: expect.stringContaining("no turn was seen to begin"),
    });
  });

  it("that takes a late Enter for a new line is found out", async () => {
    const agent = await openAgent(harness, { swallowMs: 10_000 });
    expect(await sendTo(harness, agent.row, "swallowed")).toMatchObject({ outcome: "not_delivered" });
    expect(agent.received()).toEqual([]);
  });

  it("that does not show the text gets no Enter", async () => {
    const agent = await openAgent(harness, { deaf: true });
    expect(await sendTo(harness, agent.row, "into the void")).toMatchObject({ outcome: "not_delivered" });
    expect(agent.received()).toEqual([]);
  });

  it("that opens a prompt while it is typed to gets no Enter", async () => {
    const agent = await openAgent(harness, { dialog: `${RECORDINGS}/waiting_approval.txt` });
    const result = await sendTo(harness, agent.row, "touch approved.txt");
    expect(result.outcome).toBe("not_delivered");
    expect(agent.received()).toEqual([]);
  });

  it("gets two texts one after the other when two are sent at once", async () => {
    const agent = await openAgent(harness);
    const results = await Promise.allSettled([
      sendTo(harness, agent.row, "the first text", {}, { forceStale: true }),
      sendTo(harness, agent.row, "the second text", {}, { forceStale: true }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(agent.received()).toEqual(["the first text", "the second text"]);
  });
});

describe.concurrent("to a pane without an agent", () => {
  it("needs --to-shell where a shell would run it", async () => {
    const row = await harness.open("exec env PS1='$ ' bash --norc --noprofile -i");
    const { pane_id } = row.identity;
    await vi.waitFor(async () => expect(await harness.screen(pane_id)).toContain("$"), { timeout: 5_000 });
    await expect(sendTo(harness, row, "echo ran")).rejects.toMatchObject({ code: "E_CONFIRMATION_REQUIRED" });
    expect(await harness.screen(pane_id)).not.toContain("ran");
    expect(await sendTo(harness, row, "echo '$(a)' \"b;\" ;", { toShell: true })).toMatchObject({
      outcome: "delivered",
    });
    await vi.waitFor(async () => expect(await harness.screen(pane_id)).toContain("\n$(a) b;"), {
      timeout: 5_000,
    });
    expect(auditOf(harness, row)).toEqual([
      ["send", "delivered", 18],
      ["send", "E_CONFIRMATION_REQUIRED", 8],
    ]);
  });

  it("types into any other program", async () => {
    const row = await harness.open("exec cat");
    expect(await sendTo(harness, row, "to cat")).toMatchObject({ outcome: "delivered", runtime_id: null });
    // tmux 3.2a fills the lines with blanks.
    const [typed, echoed] = (await harness.screen(row.identity.pane_id)).split("\n");
    expect([typed?.trimEnd(), echoed?.trimEnd()]).toEqual(["to cat", "to cat"]);
  });

  it("says that it does not know where nothing is echoed", async () => {
    const row = await harness.open("stty -echo; exec cat >/dev/null");
    expect(await sendTo(harness, row, "secret")).toMatchObject({ outcome: "unverified" });
  });
});

describe.concurrent("nothing is sent", () => {
  it("when a guard does not hold, nor to a pane that was respawned under the same id", async () => {
    const agent = await openAgent(harness);
    const { runtime_id, pane_id } = agent.row.identity;
    for (const guards of [{ ifRuntime: "rt_other" }, { ifState: "error" }, { ifVersion: 999_999 }] as const)
      await expect(sendTo(harness, agent.row, "guarded", {}, guards)).rejects.toMatchObject({
        code: "E_STALE_SNAPSHOT",
      });
    await expect(
      sendTo(harness, agent.row, "guarded", { ref: `runtime:${runtime_id}` }, { ifUpdatedWithinMs: 0.001 }),
    ).rejects.toMatchObject({ code: "E_STALE_SNAPSHOT" });

    await harness.tmux.run("respawn-pane", "-k", "-t", pane_id ?? "", "exec cat");
    // The daemon may not know yet: tmux itself refuses then.
    await expect(
      sendTo(harness, agent.row, "guarded", { ref: `runtime:${runtime_id}` }, { forceStale: true }),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^E_(STALE_SNAPSHOT|REF_NOT_FOUND)$/) });
    expect(await harness.screen(pane_id ?? "")).not.toContain("guarded");
    expect(agent.received()).toEqual([]);
  });

  it("to an agent that sleeps behind a shell", async () => {
    const player = await openPlayer(harness);
    try {
      const row = await harness.daemon.until(player.paneId, ({ agent }) => agent === "claude");
      process.kill(player.pid, "SIGSTOP");
      await vi.waitFor(
        async () => {
          expect(
            await harness.tmux.run("display-message", "-p", "-t", player.paneId, "#{pane_current_command}"),
          ).toBe("bash");
        },
        { timeout: 5_000 },
      );
      await expect(sendTo(harness, row, "rm -rf nothing")).rejects.toMatchObject({
        code: "E_STALE_SNAPSHOT",
        message: expect.stringContaining("background"),
      });
      expect(await harness.screen(player.paneId)).not.toContain("rm -rf");
    } finally {
      process.kill(player.pid, "SIGCONT");
      await player.close();
    }
  });

  it("where the text is empty once it is clean", async () => {
    const agent = await openAgent(harness);
    await expect(sendTo(harness, agent.row, "\u001b\u0003 \n")).rejects.toMatchObject({ code: "E_USAGE" });
  });
});

// Alone, because it groups the session of all.
describe("to an agent", () => {
  it("through a reference of another session of its group reaches the same pane", async () => {
    const agent = await openAgent(harness);
    await harness.tmux.run("new-session", "-d", "-t", "base", "-s", "sibling");
    const grouped = await harness.daemon.until(agent.paneId, ({ also_in }) => also_in.includes("sibling"));
    const ref = grouped.identity.pane_ref.replace("/base/", "/sibling/");
    expect(ref).not.toBe(grouped.identity.pane_ref);
    expect(await sendTo(harness, grouped, "by the sibling", { ref })).toMatchObject({
      outcome: "delivered",
      pane_ref: grouped.identity.pane_ref,
    });
    expect(agent.received()).toEqual(["by the sibling"]);
    await harness.tmux.run("kill-session", "-t", "=sibling");
  });
});

// Alone, because it restarts the daemon of all.
describe("the same key", () => {
  it("sends once per runtime, also after a restart of the daemon", async () => {
    const agent = await openAgent(harness);
    const first = await sendTo(harness, agent.row, "only once", { idempotencyKey: "k1" });
    const again = await sendTo(harness, agent.row, "only once", { idempotencyKey: "k1" });
    expect([first.is_repeat, again]).toEqual([false, { ...first, is_repeat: true }]);
    await harness.daemon.restart();
    const row = await harness.daemon.until(agent.paneId, ({ state }) => state === "idle", 10_000);
    expect(await sendTo(harness, row, "only once", { idempotencyKey: "k1" })).toEqual({
      ...first,
      is_repeat: true,
    });
    expect(agent.received()).toEqual(["only once"]);
    const other = await openAgent(harness, {}, "other");
    expect(await sendTo(harness, other.row, "only once", { idempotencyKey: "k1" })).toMatchObject({
      is_repeat: false,
    });
  });

  it("is free again after a refusal", async () => {
    const agent = await openAgent(harness);
    const options = { idempotencyKey: "k2" };
    await harness.tmux.run("set-option", "-w", "-t", agent.paneId, "synchronize-panes", "on");
    await expect(sendTo(harness, agent.row, "text", options)).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
    });
    await harness.tmux.run("set-option", "-w", "-t", agent.paneId, "synchronize-panes", "off");
    expect(await sendTo(harness, agent.row, "text", options)).toMatchObject({
      outcome: "delivered",
      is_repeat: false,
    });
  });
});

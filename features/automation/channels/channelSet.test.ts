// What watches tell, on its way over the channels in force.
import { afterEach, expect, it } from "vitest";
import { makePane } from "../../../test/factories/view.ts";
import { DEFAULT_CONFIG } from "../../../core/model/config.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import type { ChannelMessage } from "./channelMessage.ts";
import { ChannelSet } from "./channelSet.ts";

const NOON = new Date(2026, 10, 22, 12, 0).getTime();
const SECRET = "hunter2";

let open: ChannelSet | null = null;
afterEach(() => open?.close());

const start = (channels: object[]) => {
  const sent: ChannelMessage[] = [];
  const context = {
    rows: { isInFront: () => Promise.resolve(false), isConfirmed: () => true },
    config: () => ({ ...DEFAULT_CONFIG, channels }),
    redact: (text: string) => text.replaceAll(SECRET, "[redacted]"),
    env: {},
    uid: 0,
    clock: { now: () => NOON, setTimer: () => () => {} },
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  open = new ChannelSet(context, (_channel, message) => {
    sent.push(message);
    return Promise.resolve({ outcome: "delivered" });
  });
  const tell = async (more: { channel?: string; title?: string; line?: string } = {}) => {
    const { channel = null, title = "Codex is idle", line = null } = more;
    open?.tell({ id: "job1:rt1:1", jobId: "job1", title, line, row: makePane(), channel });
    await new Promise((done) => setImmediate(done));
  };
  return { sent, tell };
};
const command = (name: string, more: object = {}) => ({ name, kind: "command", argv: ["true"], ...more });
const NOW_QUIET = { quiet: { from: "11:00", to: "13:00" } };

it("goes to every channel outside of its quiet hours, and to the one that was named at any hour", async () => {
  const { sent, tell } = start([
    command("phone", NOW_QUIET),
    command("bell"),
    command("off", { enabled: false }),
  ]);
  await tell();
  expect(sent.map(({ channel }) => channel)).toEqual(["bell"]);
  await tell({ channel: "phone" });
  expect(sent.map(({ channel }) => channel)).toEqual(["bell", "phone"]);
  await tell({ channel: "off" });
  expect(sent).toHaveLength(2);
});

it("holds the agent's line only where the channel may say it, on one line and without secrets", async () => {
  const { sent, tell } = start([command("state"), command("request", { include: "request" })]);
  await tell({ title: `is ${SECRET}\u001b[2J`, line: `FAILED ${SECRET}\u0007\nand more` });
  const [state, request] = sent;
  expect(state).toMatchObject({ event: "show", kind: "watch", title: "is [redacted][2J", text: "work" });
  expect(request?.text).toBe("FAILED [redacted] and more\nwork");
  expect(JSON.stringify(sent)).not.toContain(SECRET);
});

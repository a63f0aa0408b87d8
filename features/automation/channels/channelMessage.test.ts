import { describe, expect, it } from "vitest";
import { makePane } from "../../../test/factories/view.ts";
import { someRequestView } from "../../../test/factories/evidence.ts";
import {
  toGroupNotification,
  toNotification,
} from "../../../core/api/notifications/notificationScheduler.ts";
import type { NotificationEvent } from "../../../core/model/notifications.ts";
import type { PaneView } from "../../../core/model/view.ts";
import { redactText } from "../../../core/store/redact.ts";
import { makeSecrets } from "../../../test/security/secrets.ts";
import { messageOf, redactSent, testMessage, type ChannelMessage } from "./channelMessage.ts";
import { partOf } from "../../../test/fakes/partOf.ts";

const redact = redactSent((text) => redactText(text, 65_536));
const HOSTILE = "\u001b]52;c;b3duZWQ=\u0007\u009d2;x\u009c\u202eowned\u2066\u2028\u200f\r\n\u0008\ud800";

const asking = (body: string, more: Partial<PaneView> = {}): PaneView => ({
  ...makePane({ target: "vm1", session: "pay", windowName: "secret window", state: "waiting_approval" }),
  request: { ...someRequestView(), body },
  prompt_fingerprint: "f00",
  ...more,
});
const show = (pane: PaneView): NotificationEvent => ({
  kind: "show",
  notice: toNotification("rt1:7", pane, { kind: "waiting_approval", sound: "default", redact }),
});
const sent = (event: NotificationEvent, include: "state" | "request"): ChannelMessage =>
  messageOf(event, { channel: partOf({ name: "phone", include }), at: 0, redact });

describe("a message", () => {
  it("says who needs what and where, and nothing that an agent or a repository wrote", () => {
    const told = "LEAK in every text";
    const pane = asking(told, {
      title: told,
      window_name: told,
      progress: told,
      agent_session_id: told,
      activity: makePane({
        activity: {
          prompt: told,
          session_title: told,
          said: told,
          folder: told,
          repository: told,
          branch: told,
        },
      }).activity,
    });
    const group = toGroupNotification(
      "g",
      [
        { pane, kind: "waiting_approval" },
        { pane, kind: "waiting_approval" },
      ],
      { sound: "none", redact },
    );
    expect(JSON.stringify(show(pane))).toContain("LEAK");
    for (const event of [show(pane), { kind: "show", notice: group } as const])
      expect(JSON.stringify(sent(event, "state"))).not.toContain("LEAK");
    expect(sent(show(pane), "state")).toEqual({
      schema_version: "1.0",
      event: "show",
      id: "rt1:7",
      at: "1970-01-01T00:00:00.000Z",
      channel: "phone",
      kind: "waiting_approval",
      title: "Claude Code needs a permission",
      text: "vm1 · pay",
      count: 1,
      agent: "Claude Code",
      target: "vm1",
      session: "pay",
      ref: pane.identity.pane_ref,
      missed: 0,
    });
  });

  it("has a line of what is asked only for a channel that wants it", () => {
    const { title, text } = sent(show(asking("rm -rf build\nsecond")), "request");
    expect(text.split("\n")[0]).toBe("rm -rf build …");
    expect(title).not.toBe("");
  });

  it("holds no known secret, also where something invisible stands in the middle of it", () => {
    for (const { kind, value, line } of makeSecrets()) {
      const half = Math.floor(value.length / 2);
      const split = line.replace(value, `${value.slice(0, half)}\u200b\u0007${value.slice(half)}`);
      for (const text of [line, split]) {
        const message = JSON.stringify(sent(show(asking(text)), "request"));
        expect(message.replaceAll(/[\\ ]/g, ""), kind).not.toContain(value.split("\n")[0]);
      }
    }
  });

  it("is a few bounded lines without what steers a terminal, a header or a reader", () => {
    const long = `${HOSTILE}${"x".repeat(100_000)}`;
    const pane = asking(long, { agent_name: long, window_name: long });
    pane.identity = { ...pane.identity, target: long, session_name: long, pane_ref: long };
    const group = toGroupNotification(
      "group:1",
      [
        { pane, kind: "waiting_approval" },
        { pane, kind: "error" },
      ],
      { sound: "none", redact },
    );
    for (const event of [show(pane), { kind: "show", notice: group } as const])
      for (const include of ["state", "request"] as const) {
        const message = sent(event, include);
        expect(JSON.stringify(message).length).toBeLessThan(5_000);
        for (const value of Object.values(message))
          expect(String(value)).not.toMatch(
            // oxlint-disable-next-line no-control-regex -- control characters are what this is about
            /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u,
          );
        expect(message.title).not.toContain("\n");
      }
  });

  it("counts those of a group, and names one", () => {
    const told = [1, 2, 3].map((pane) => ({
      pane: makePane({ pane, state: "waiting_approval", session: "pay" }),
      kind: "waiting_approval" as const,
    }));
    const [first, ...rest] = told;
    if (first === undefined) throw new Error("none");
    const event: NotificationEvent = {
      kind: "show",
      notice: toGroupNotification("g", [first, ...rest], { sound: "none", redact }),
    };
    expect(sent(event, "state")).toMatchObject({
      title: "3 agents: one needs a permission",
      text: "Claude Code · pay and 2 more",
      count: 3,
    });
  });

  it("of a withdrawal or a test names no agent", () => {
    const withdrawn = sent({ kind: "withdraw", id: "rt1:7" }, "request");
    const test = testMessage("t", { channel: partOf({ name: "phone", include: "request" }), at: 0, redact });
    for (const message of [withdrawn, test])
      expect(message).toMatchObject({
        kind: null,
        agent: null,
        target: null,
        session: null,
        ref: null,
        count: 0,
      });
    expect(withdrawn).toMatchObject({ event: "withdraw", id: "rt1:7", text: "" });
  });
});

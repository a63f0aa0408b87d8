import { assert, property, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_PAYLOAD_BYTES } from "../model/envelope.ts";
import { MAX_HEADER_BYTES, parseEnvelope } from "./spoolDrain.ts";

const parse = (text: string, size = Buffer.byteLength(text)) =>
  parseEnvelope({ spoolName: "x-1", eventTime: 1_700_000_000_000.25, size, bytes: Buffer.from(text) });
const header = (fields: Record<string, string> = {}): string => {
  const all = {
    agent: "claude",
    event: "Stop",
    tmux: "/tmp/tmux-0/default,77,3",
    pane: "%5",
    ppid: "99",
    ...fields,
  };
  return `agtmux-event 1\n${Object.entries(all)
    .map(([key, value]) => `${key}=${value}\n`)
    .join("")}\n`;
};

describe("parseEnvelope", () => {
  it("reads every field and the payload", () => {
    expect(parse(`${header()}{"a":"b\\n\\nc=d"}\n`)).toEqual({
      isOk: true,
      envelope: {
        spoolName: "x-1",
        agentType: "claude",
        eventName: "Stop",
        tmuxSocket: "/tmp/tmux-0/default",
        tmuxServerPid: 77,
        paneId: "%5",
        parentPid: 99,
        eventTime: 1_700_000_000_000.25,
        payload: { a: "b\n\nc=d" },
        payloadProblem: null,
      },
    });
  });

  it.each([
    ["", "empty"],
    [" \n", "empty"],
    ["{broken", "not_json"],
    ["[1]", "not_object"],
    ["null", "not_object"],
    ['"text"', "not_object"],
  ])("keeps the event with the payload %j, and says what is wrong", (payload, payloadProblem) => {
    expect(parse(header() + payload)).toMatchObject({
      isOk: true,
      envelope: { payload: null, payloadProblem },
    });
  });

  it("does not parse a payload that is too large", () => {
    const text = `${header()}{"a":1}`;
    expect(parse(text, header().length + MAX_PAYLOAD_BYTES + 1)).toMatchObject({
      envelope: { eventName: "Stop", payload: null, payloadProblem: "too_large" },
    });
    expect(parse(text, header().length + MAX_PAYLOAD_BYTES)).toMatchObject({
      envelope: { payload: { a: 1 } },
    });
  });

  it.each([
    [{ tmux: "", pane: "" }, null, null, null],
    [{ tmux: "relative,1,0" }, null, null, "%5"],
    [{ tmux: "/a,b,12,0", pane: "%x" }, "/a,b", 12, null],
    [{ tmux: "/a,0,0" }, null, null, "%5"],
  ])("leaves tmux fields empty that are none: %j", (fields, tmuxSocket, tmuxServerPid, paneId) => {
    expect(parse(header(fields))).toMatchObject({ envelope: { tmuxSocket, tmuxServerPid, paneId } });
  });

  it("takes an event without a name", () => {
    expect(parse(header({ event: "", ppid: "" }))).toMatchObject({
      envelope: { eventName: null, parentPid: null },
    });
  });

  it.each([
    ["", /no end/],
    ["agtmux-event 1\nagent=claude\n", /no end/],
    [header().replace("event 1", "event 2"), /first line/],
    [header({ agent: "" }), /agentType/],
    [header({ agent: "Bad Name" }), /agentType/],
    [`${"x".repeat(MAX_HEADER_BYTES)}${header()}`, /no end/],
  ])("refuses what is no event file", (text, problem) => {
    expect(parse(text)).toEqual({ isOk: false, problem: expect.stringMatching(problem) });
  });

  it("never throws, whatever the bytes", () => {
    assert(
      property(uint8Array({ maxLength: 300 }), (tail) => {
        const bytes = Buffer.concat([Buffer.from("agtmux-event 1\nagent=pi\n"), tail]);
        parseEnvelope({ spoolName: "x", eventTime: 0, size: bytes.length, bytes });
      }),
    );
  });
});

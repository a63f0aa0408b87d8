import { describe, expect, it } from "vitest";
import { createRemoteStream, type RemoteStream } from "./remoteStream.ts";

const NONCE = "001122334455";
const NOTICE = (body: string): string => `\n${NONCE}!\n${body}\n${NONCE}.\n`;
const ANSWER = (index: number, stdout: string): string =>
  `${stdout}\n${NONCE}-${index} 0\n\n${NONCE}-${index}.\n`;
const PIECE = Buffer.alloc(64 * 1024, "x");

const open = () => {
  const heard: string[] = [];
  let time = 0;
  const stream: RemoteStream = createRemoteStream({
    nonce: NONCE,
    now: () => time,
    onAnswer: ({ status, stdout }) => heard.push(`answer ${status} ${stdout.toString()}`),
    onNotice: (body) => heard.push(`notice ${body.toString()}`),
    onFlood: (reason) => heard.push(`flood: ${reason}`),
  });
  return {
    heard,
    stream,
    say: (text: string) => stream.push(Buffer.from(text)),
    wait: (ms: number) => (time += ms),
    await: (index: number, maxBytes = 1_000_000) => stream.await({ mark: `${NONCE}-${index}`, maxBytes }),
    flood: (bytes: number) => {
      for (let sent = 0; sent < bytes; sent += PIECE.length) stream.push(PIECE);
    },
  };
};

describe("what the remote shell writes", () => {
  it("is an answer, a notice that may come, and nothing else that is kept", () => {
    const remote = open();
    remote.await(1);
    remote.stream.expectNotice();
    remote.say(ANSWER(1, "one") + NOTICE("two"));
    remote.say("a little noise");
    remote.await(2);
    remote.say(ANSWER(2, "three"));
    expect(remote.heard).toEqual(["answer 0 one", "notice two", "answer 0 three"]);
  });

  it("is a notice also where noise comes before it", () => {
    const remote = open();
    remote.stream.expectNotice();
    remote.say(`noise${NOTICE("told").slice(0, 5)}`);
    remote.say(NOTICE("told").slice(5));
    expect(remote.heard).toEqual(["notice told"]);
  });

  it("ends it by a notice that nobody asked for, or a second one", () => {
    const remote = open();
    remote.stream.expectNotice();
    remote.say(NOTICE("one") + NOTICE("two"));
    expect(remote.heard).toEqual(["notice one", "flood: it sent what nobody asked for"]);
  });

  it("ends it by a notice without an end", () => {
    const remote = open();
    remote.stream.expectNotice();
    remote.say(`\n${NONCE}!\n`);
    remote.flood(4 * 1024 * 1024);
    expect(remote.heard).toEqual(["flood: it sent too much about the events there"]);
  });

  it("ends it by an answer that is larger than it may be", () => {
    const remote = open();
    remote.await(1, 1_000);
    remote.flood(4 * 1024 * 1024);
    remote.say(ANSWER(1, ""));
    expect(remote.heard).toEqual(["flood: it answered too much"]);
  });

  it("ends it by what nobody asked for, unless it comes slowly", () => {
    const remote = open();
    for (let count = 0; count < 100; count += 1) {
      remote.flood(PIECE.length);
      remote.wait(2_000);
    }
    expect(remote.heard).toEqual([]);
    remote.flood(4 * 1024 * 1024);
    expect(remote.heard).toEqual(["flood: it writes what nobody asked for"]);
  });

  it("is read in a time that grows with its length only, however small the pieces are", () => {
    const remote = open();
    remote.await(1, 20_000_000);
    const piece = Buffer.alloc(200, "x\n");
    const startedAt = performance.now();
    for (let count = 0; count < 100_000; count += 1) remote.stream.push(piece);
    remote.say(ANSWER(1, ""));
    expect(remote.heard.map((text) => text.length)).toEqual([20_000_009]);
    // If each piece were searched from the start, this would take many minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

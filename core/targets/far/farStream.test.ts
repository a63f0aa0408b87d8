import { describe, expect, it } from "vitest";
import { createFarStream, type FarStream } from "./farStream.ts";

const NONCE = "001122334455";
const NOTICE = (body: string): string => `\n${NONCE}!\n${body}\n${NONCE}.\n`;
const ANSWER = (index: number, stdout: string): string =>
  `${stdout}\n${NONCE}-${index} 0\n\n${NONCE}-${index}.\n`;
const PIECE = Buffer.alloc(64 * 1024, "x");

const open = () => {
  const heard: string[] = [];
  let time = 0;
  const stream: FarStream = createFarStream({
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

describe("what the far shell writes", () => {
  it("is an answer, a notice that may come, and nothing else that is kept", () => {
    const far = open();
    far.await(1);
    far.stream.expectNotice();
    far.say(ANSWER(1, "one") + NOTICE("two"));
    far.say("a little noise");
    far.await(2);
    far.say(ANSWER(2, "three"));
    expect(far.heard).toEqual(["answer 0 one", "notice two", "answer 0 three"]);
  });

  it("is a notice also where noise comes before it", () => {
    const far = open();
    far.stream.expectNotice();
    far.say(`noise${NOTICE("told").slice(0, 5)}`);
    far.say(NOTICE("told").slice(5));
    expect(far.heard).toEqual(["notice told"]);
  });

  it("ends it by a notice that nobody asked for, or a second one", () => {
    const far = open();
    far.stream.expectNotice();
    far.say(NOTICE("one") + NOTICE("two"));
    expect(far.heard).toEqual(["notice one", "flood: it told what nobody asked for"]);
  });

  it("ends it by a notice without an end", () => {
    const far = open();
    far.stream.expectNotice();
    far.say(`\n${NONCE}!\n`);
    far.flood(4 * 1024 * 1024);
    expect(far.heard).toEqual(["flood: it told too much of the events there"]);
  });

  it("ends it by an answer that is larger than it may be", () => {
    const far = open();
    far.await(1, 1_000);
    far.flood(4 * 1024 * 1024);
    far.say(ANSWER(1, ""));
    expect(far.heard).toEqual(["flood: it answered too much"]);
  });

  it("ends it by what nobody asked for, unless it comes slowly", () => {
    const far = open();
    for (let count = 0; count < 100; count += 1) {
      far.flood(PIECE.length);
      far.wait(2_000);
    }
    expect(far.heard).toEqual([]);
    far.flood(4 * 1024 * 1024);
    expect(far.heard).toEqual(["flood: it writes what nobody asked for"]);
  });

  it("is read in a time that grows with its length only, however small the pieces are", () => {
    const far = open();
    far.await(1, 20_000_000);
    const piece = Buffer.alloc(200, "x\n");
    const startedAt = performance.now();
    for (let count = 0; count < 100_000; count += 1) far.stream.push(piece);
    far.say(ANSWER(1, ""));
    expect(far.heard.map((text) => text.length)).toEqual([20_000_009]);
    // Looked at as a whole with each piece it would be many minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

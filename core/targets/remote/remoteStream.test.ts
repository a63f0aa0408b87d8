import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFloodGuard, UNASKED_BYTES } from "../floodGuard.ts";
import { createRemoteStream, GrowingBuffer, GrowingSearch, type RemoteStream } from "./remoteStream.ts";

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

describe("the buffer of what came", () => {
  it("gives back what came, in whatever pieces it comes and is taken", () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ push: fc.uint8Array({ maxLength: 9_000 }) }),
        fc.record({ take: fc.nat(9_000) }),
        fc.record({ drop: fc.nat(9_000) }),
      ),
    );
    fc.assert(
      fc.property(steps, (all) => {
        const buffer = new GrowingBuffer();
        let model = Buffer.alloc(0);
        for (const step of all) {
          if ("push" in step) {
            buffer.push(Buffer.from(step.push));
            model = Buffer.concat([model, step.push]);
          } else if ("take" in step) {
            expect(buffer.take(step.take).equals(model.subarray(0, step.take))).toBe(true);
            model = model.subarray(step.take);
          } else {
            buffer.drop(step.drop);
            model = model.subarray(step.drop);
          }
          expect(buffer.length).toBe(model.length);
          expect(buffer.bytes.equals(model)).toBe(true);
        }
      }),
    );
  });

  it("finds a mark however it is cut", () => {
    const text = fc.array(fc.constantFrom("a", "<", "<e", "nd>", "<en"), { maxLength: 20 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(50), { maxLength: 10 }), (parts, cuts) => {
        const before = parts.join("");
        const all = Buffer.from(`${before}<end>rest`);
        const search = new GrowingSearch("<end>");
        const found = [...new Set([...cuts, all.length])]
          .toSorted((a, b) => a - b)
          .map((to) => search.in(all.subarray(0, to)))
          .find((at) => at !== -1);
        expect(found).toBe(all.indexOf("<end>"));
      }),
    );
  });

  it("takes ten megabytes in pieces of a hundred bytes in no time", () => {
    const buffer = new GrowingBuffer();
    const search = new GrowingSearch("\nmark ");
    const piece = Buffer.alloc(100, "x");
    const startedAt = performance.now();
    for (let count = 0; count < 100_000; count += 1) {
      buffer.push(piece);
      expect(search.in(buffer.bytes)).toBe(-1);
    }
    expect(buffer.length).toBe(10_000_000);
    // If each search began at the start, this would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe("what is not asked for", () => {
  it("allows a megabyte at once, and no more", () => {
    const guard = createFloodGuard();
    expect(guard.allows(UNASKED_BYTES, 0)).toBe(true);
    expect(guard.allows(1, 0)).toBe(false);
  });

  it("forgives with time, and no time that goes backwards", () => {
    const guard = createFloodGuard();
    for (let second = 0; second < 3_600; second += 1) expect(guard.allows(60_000, second * 1_000)).toBe(true);
    expect(guard.allows(UNASKED_BYTES, 3_700_000)).toBe(true);
    expect(guard.allows(1, 0)).toBe(false);
    expect(guard.allows(64_000, 2_000)).toBe(true);
  });
});

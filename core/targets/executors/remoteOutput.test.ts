import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStartGate, FramedOutput } from "./remoteRun.ts";

const MARKS = { start: "<start>", end: "<end>" };
/** Cuts bytes at the given places. */
const chunksOf = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  return places.slice(1).map((to, index) => bytes.subarray(places[index], to));
};
const cuts = fc.array(fc.nat(), { maxLength: 30 });
/** Never a whole mark. */
const text = fc
  .array(fc.constantFrom("a", "\n", "<sta", "<end", ">", "😀", "rt>", "x".repeat(40)), {
    maxLength: 12,
  })
  .map((parts) => parts.join(""))
  .filter((all) => !all.includes("<start>") && !all.includes("<end>"));

describe("framed output", () => {
  it("is what stands between the marks, however it is cut", () => {
    fc.assert(
      fc.property(text, text, cuts, (banner, body, places) => {
        const all = Buffer.from(`${banner}<start> 12\n${body}<end> 7\nmore`);
        const output = new FramedOutput({ ...MARKS, maxBytes: 1_000 });
        for (const chunk of chunksOf(all, places)) output.push(chunk);
        expect([output.opening, output.body.toString("utf8"), output.ending]).toEqual(["12", body, "7"]);
      }),
    );
  });
  it("gives what has come so far while it has no end", () => {
    const output = new FramedOutput({ ...MARKS, maxBytes: 1_000 });
    output.push(Buffer.from("hi<start>\nso far"));
    expect([output.body.toString("utf8"), output.ending]).toEqual(["so far", null]);
  });
  it("keeps no more than it may, and says so", () => {
    const output = new FramedOutput({ ...MARKS, maxBytes: 10 });
    output.push(Buffer.from(`<start>\n${"y".repeat(100)}`));
    expect([output.body.length, output.isTooLong]).toEqual([10, true]);
  });
  it("gives up on a banner without end", () => {
    const output = new FramedOutput({ ...MARKS, maxBytes: 10 });
    for (let sent = 0; sent < 20; sent++) output.push(Buffer.alloc(100_000, 0x61));
    expect(output.isFlood).toBe(true);
  });
  it("gives up on a mark whose line has no end, and on what follows the last one without end", () => {
    for (const [begin, maxBytes] of [
      ["<start>", 1e9],
      ["<start>\nbody<end>", 1e9],
      ["<start>\nbody<end> 0\n", 10],
    ] as const) {
      const output = new FramedOutput({ ...MARKS, maxBytes });
      output.push(Buffer.from(begin));
      for (let sent = 0; sent < 20; sent++) output.push(Buffer.alloc(100_000, 0x61));
      expect([begin, output.isFlood]).toEqual([begin, true]);
      expect(output.body.length).toBeLessThan(10);
    }
  });
});

describe("the start gate", () => {
  it.each(["", "<start>"])("gives up on what has no end behind '%s'", (begin) => {
    let floods = 0;
    const onData = (): void => expect.unreachable();
    const gate = createStartGate({ start: "<start>", onData, onFlood: () => (floods += 1) });
    gate(Buffer.from(begin));
    for (let sent = 0; sent < 20; sent++) gate(Buffer.alloc(100_000, 0x61));
    expect(floods).toBe(1);
  });
  it("passes everything behind the mark's line, however it is cut", () => {
    fc.assert(
      fc.property(text, text, cuts, (banner, body, places) => {
        const passed: Buffer[] = [];
        const openings: string[] = [];
        const gate = createStartGate({
          start: "<start>",
          onData: (chunk) => passed.push(chunk),
          onOpen: (opening) => openings.push(opening),
          onFlood: () => expect.unreachable(),
        });
        for (const chunk of chunksOf(Buffer.from(`${banner}<start> 42\n${body}`), places)) gate(chunk);
        expect(Buffer.concat(passed).toString("utf8")).toBe(body);
        expect(openings).toEqual(["42"]);
      }),
    );
  });
});

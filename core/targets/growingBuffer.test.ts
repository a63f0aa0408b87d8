import fc from "fast-check";
import { expect, it } from "vitest";
import { GrowingBuffer, GrowingSearch } from "./remote/remoteStream.ts";

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

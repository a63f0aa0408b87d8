import { describe, expect, test } from "vitest";
import { createDocumentWriter } from "./socketServer.ts";

const createWriter = (): ((document: unknown) => string) => {
  const write = createDocumentWriter();
  return (document) => Buffer.concat(write(document)).toString();
};

describe("a document's text", () => {
  test.each([
    { frame: 1, items: [{ a: 1 }, { b: 'quote " and \u2028' }] },
    { items: [] },
    { items: [{ a: 1 }] },
    { items: [{ a: 1 }], after: true },
    { frame: 1, items: [1, "two", null, undefined, { title: "✳ \ud800" }] },
    { frame: undefined, items: [{ gone: undefined }] },
    [{ a: 1 }],
    "text",
    null,
  ])("is that of JSON.stringify: %j", (document) => {
    const write = createWriter();
    expect(write(document)).toBe(JSON.stringify(document));
    expect(write(document)).toBe(JSON.stringify(document));
  });

  test("writes a row once for as long as it is the same object", () => {
    const write = createWriter();
    let writings = 0;
    const row = { toJSON: () => ((writings += 1), { n: 1 }) };
    expect([write({ at: 1, items: [row] }), write({ at: 2, items: [row] })]).toEqual([
      '{"at":1,"items":[{"n":1}]}',
      '{"at":2,"items":[{"n":1}]}',
    ]);
    expect(writings).toBe(1);
  });

  test("is that of JSON.stringify whatever row of a long list was replaced, added or taken away", () => {
    const write = createWriter();
    const rows = Array.from({ length: 250 }, (_, n) => ({ n }));
    const lists = [
      rows,
      rows.with(0, { n: -1 }),
      rows.with(100, { n: -2 }),
      rows.with(249, { n: -3 }),
      rows.slice(1),
      rows.slice(0, 200),
      rows.slice(0, 199),
      [],
      [...rows, { n: 250 }],
    ];
    expect(lists.map((items) => write({ items }))).toEqual(lists.map((items) => JSON.stringify({ items })));
  });

  test("keeps the bytes of what did not change", () => {
    const write = createDocumentWriter();
    const rows = Array.from({ length: 250 }, (_, n) => ({ n }));
    const before = write({ items: rows });
    const after = write({ items: rows.with(120, { n: -1 }) });
    expect(after.map((piece, index) => piece === before[index])).toEqual([false, true, false, true, false]);
  });
});

import { describe, expect, test } from "vitest";
import { createDocumentWriter } from "./documentText.ts";

describe("a document's text", () => {
  test.each([
    { frame: 1, items: [{ a: 1 }, { b: 'quote " and \u2028' }] },
    { items: [] },
    { items: [{ a: 1 }] },
    { items: [{ a: 1 }], after: true },
    { frame: 1, items: [1, "two", null] },
    { frame: undefined, items: [{ gone: undefined }] },
    [{ a: 1 }],
    "text",
    null,
  ])("is that of JSON.stringify: %j", (document) => {
    const write = createDocumentWriter();
    expect(write(document)).toBe(JSON.stringify(document));
    expect(write(document)).toBe(JSON.stringify(document));
  });

  test("writes a row once for as long as it is the same object", () => {
    const write = createDocumentWriter();
    let writings = 0;
    const row = { toJSON: () => ((writings += 1), { n: 1 }) };
    expect([write({ at: 1, items: [row] }), write({ at: 2, items: [row] })]).toEqual([
      '{"at":1,"items":[{"n":1}]}',
      '{"at":2,"items":[{"n":1}]}',
    ]);
    expect(writings).toBe(1);
  });
});

import { expect, test } from "vitest";
import { readEventStream, type StreamEvent } from "./wire.ts";

async function* bytes(text: string, size: number): AsyncGenerator<Uint8Array> {
  const all = new TextEncoder().encode(text);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}
const readAll = async (text: string, size: number): Promise<StreamEvent<unknown>[]> => {
  const events: StreamEvent<unknown>[] = [];
  for await (const event of readEventStream<unknown>(bytes(text, size), JSON.parse)) events.push(event);
  return events;
};

test("data, errors and the end are read however the bytes are cut", async () => {
  const text = [
    "event: connected\ndata: {}\n\n\n",
    'data: {"name":"ünïcode — ✓"}\n\n\n',
    "event: ping\ndata: \n\n\n",
    "data: 2\nid: 7\n\n\n",
    'event: serialized-error\ndata: {"message":"no"}\n\n\n',
    "event: return\ndata: \n\n\n",
  ].join("");
  const expected = [
    { kind: "data", value: { name: "ünïcode — ✓" } },
    { kind: "data", value: 2 },
    { kind: "error", shape: { message: "no" } },
    { kind: "end" },
  ];
  for (const size of [1, 2, 3, 7, 1_000]) expect(await readAll(text, size)).toEqual(expected);
});

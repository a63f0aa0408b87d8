import { expect, it } from "vitest";
import { DraftStore, MAX_DRAFT_CHARACTERS } from "./stored.ts";

const createStorage = () => {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
};
const DAY = 86_400_000;

const open = (storage: ReturnType<typeof createStorage> | null, now = 0) => {
  let count = 0;
  return new DraftStore({ storage, now: () => now, makeKey: () => `key-${(count += 1)}` });
};

it("keeps a draft per pane over a new page, and nothing once they are empty", () => {
  const storage = createStorage();
  const store = open(storage);
  store.write("pane:a", "one");
  store.write("pane:b", "two\nlines");
  expect([...open(storage).getState()].map(([ref, { text }]) => [ref, text])).toEqual([
    ["pane:a", "one"],
    ["pane:b", "two\nlines"],
  ]);
  store.write("pane:a", "");
  store.write("pane:b", "");
  expect(storage.values.size).toBe(0);
});

it("names a text again whenever it changes, so that only the very same text counts as sent", () => {
  const store = open(null);
  store.write("pane:a", "one");
  const first = store.getState().get("pane:a")?.key;
  store.write("pane:a", "one more");
  expect(store.getState().get("pane:a")?.key).not.toBe(first);
});

it("is bounded in number, length and age", () => {
  const storage = createStorage();
  const store = open(storage);
  for (let pane = 0; pane < 60; pane += 1) store.write(`pane:${pane}`, "x".repeat(MAX_DRAFT_CHARACTERS + 1));
  const drafts = store.getState();
  expect([drafts.size, drafts.has("pane:0"), drafts.get("pane:59")?.text.length]).toEqual([
    50,
    false,
    MAX_DRAFT_CHARACTERS,
  ]);
  expect(open(storage, 8 * DAY).getState().size).toBe(0);
});

it("does without a storage, and without what it cannot read", () => {
  const store = open({
    ...createStorage(),
    setItem: () => {
      throw new Error("full");
    },
  });
  store.write("pane:a", "one");
  expect(store.getState().get("pane:a")?.text).toBe("one");
  const storage = createStorage();
  storage.setItem("agtmux.drafts", "{]");
  expect(open(storage).getState().size).toBe(0);
});

// Which rows are checked together with the keys.
import { expect, test } from "vitest";
import type { PromptRequest } from "../model/request.ts";
import { promptRows } from "./promptRows.ts";

const REQUEST: PromptRequest = {
  kind: "command",
  title: "Run this?",
  body: "touch a.txt\nand more",
  toolName: null,
  options: [
    { label: "Yes", keys: ["Enter"] },
    { label: "No, and say why", keys: null },
  ],
  expiresAt: null,
};

test("options first, then what is asked, each row as it stands; not what was said above or changes by itself", () => {
  const rows = [
    "touch a.txt",
    "Yes, of course",
    "─────────",
    " Run this?",
    "",
    "   touch a.txt",
    "   and more",
    " ❯ 1. Yes",
    "   2. No, and",
    "      say why",
    " 12s · esc to cancel",
  ];
  expect(promptRows(rows, REQUEST)).toEqual([" ❯ 1. Yes", " Run this?", "   touch a.txt", "   and more"]);
});

test("where nothing of it is found, the last rows with a text", () => {
  const rows = ["one", "", "two", "three", "four", ""];
  expect(promptRows(rows, { ...REQUEST, title: "Made up", options: [] })).toEqual(["two", "three", "four"]);
});

import { expect, test } from "vitest";
import type { PromptRequest } from "../model/request.ts";
import { promptFingerprint } from "./fingerprint.ts";

const request = (change: Partial<PromptRequest> = {}): PromptRequest => ({
  kind: "command",
  title: "Run a command",
  body: "npm  test\nnpm run café",
  toolName: "Bash",
  options: [
    { label: "Yes", keys: ["1"] },
    { label: "No", keys: null },
  ],
  expiresAt: null,
  ...change,
});
const fingerprint = (
  change: Partial<PromptRequest> = {},
  runtimeId = "r1",
  requestId: string | null = "q1",
) => promptFingerprint(runtimeId, { requestId, request: request(change) });

test("is 16 hex digits, and null when nothing is asked", () => {
  expect(fingerprint()).toMatch(/^[0-9a-f]{16}$/);
  expect(promptFingerprint("r1", { requestId: "q1", request: null })).toBeNull();
});

test.each([
  ["spacing of a redraw", { body: " npm test npm   run café" }],
  ["composition of letters", { body: "npm test npm run cafe\u0301" }],
  [
    "keys learned later and time-outs",
    {
      expiresAt: 5,
      options: [
        { label: "Yes", keys: null },
        { label: "No", keys: ["2"] },
      ],
    },
  ],
])("is the same over %s", (_title, change) => {
  expect(fingerprint(change)).toBe(fingerprint());
});

test("differs by runtime, request, kind, tool, text and options", () => {
  const all = [
    fingerprint(),
    fingerprint({}, "r2"),
    fingerprint({}, "r1", "q2"),
    fingerprint({}, "r1", null),
    fingerprint({ kind: "edit" }),
    fingerprint({ toolName: null }),
    fingerprint({ title: "Run another command" }),
    fingerprint({ body: "npm  test\nnpm run cafe" }),
    fingerprint({ body: null }),
    fingerprint({ options: [{ label: "Yes", keys: ["1"] }] }),
    fingerprint({
      options: [
        { label: "No", keys: null },
        { label: "Yes", keys: ["1"] },
      ],
    }),
    fingerprint({ options: [{ label: 'Yes","No', keys: null }] }),
    fingerprint({ title: "Run a", body: "command npm test npm run café" }),
  ];
  expect(new Set(all).size).toBe(all.length);
});

import { expect, test } from "vitest";
import type { PromptRequest } from "../model/request.ts";
import { createPromptFingerprint } from "./fingerprint.ts";

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
const fingerprintOf = createPromptFingerprint(Buffer.alloc(32, 1));
const fingerprint = (
  change: Partial<PromptRequest> = {},
  runtimeId = "r1",
  requestId: string | null = "q1",
) => fingerprintOf({ runtimeId, requestId, request: request(change) });

test("is 16 hex digits, and nobody without the key can make it", () => {
  expect(fingerprint()).toMatch(/^[0-9a-f]{16}$/);
  const asked = { runtimeId: "r1", requestId: "q1", request: request() };
  expect(createPromptFingerprint()(asked)).not.toBe(createPromptFingerprint()(asked));
});

test("is the same over keys learned later and time-outs", () => {
  const options = [
    { label: "Yes", keys: null },
    { label: "No", keys: ["2"] },
  ];
  expect(fingerprint({ expiresAt: 5, options })).toBe(fingerprint());
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
    fingerprint({ body: " npm test npm   run café" }),
    fingerprint({ body: "npm  test\nnpm run cafe\u0301" }),
    fingerprint({ content: "+a" }),
    fingerprint({ content: "-a" }),
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

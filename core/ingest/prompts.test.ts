import { expect, test } from "vitest";
import { createPromptFingerprint } from "../actions/fingerprint.ts";
import { EMPTY_FACTS } from "../engine/facts.ts";
import type { PromptRequest } from "../model/request.ts";
import { promptWith } from "./view.ts";

const fingerprintOf = createPromptFingerprint(Buffer.alloc(32, 1));

const command = (body: string, change: Partial<PromptRequest> = {}): PromptRequest => ({
  kind: "command",
  title: "Allow this command?",
  body,
  isWhole: true,
  toolName: null,
  options: [
    { label: "Yes", keys: ["1"], role: "approve" },
    { label: "No", keys: ["2"], role: "deny" },
  ],
  expiresAt: null,
  columns: 90,
  ...change,
});

type Entry = Parameters<typeof promptWith>[0];

/** An agent that an event said to ask for `told`. `isLive`: in this life of the daemon. */
const asking = (told: PromptRequest, isLive = true): Entry =>
  ({
    runtime: { runtimeId: "rt_1" },
    resolution: { requestId: "request:/x@ev_1", request: told },
    facts: EMPTY_FACTS,
    asked: { byEvent: new Map(isLive ? [["ev_1", told]] : []), poller: undefined },
  }) as unknown as Entry;

const TOLD = command("rm -rf /tmp/build");

test("what is drawn otherwise than told is not whole, and answered only while just that is drawn", () => {
  const drawn = ["rm -rf / tmp/build", "rm -rf /tmp/ build", "rm -rf  /tmp/build"];
  const prompts = drawn.map((body) => promptWith(asking(TOLD), command(body), fingerprintOf));
  expect(prompts.map((prompt) => prompt?.request.isWhole)).toEqual([false, false, false]);
  expect(new Set(prompts.map((prompt) => prompt?.fingerprint)).size).toBe(drawn.length);
});

test("what is drawn as it was told is one prompt, wherever it is wrapped and whichever option is selected", () => {
  const long = "curl https://a.example/one --output one && curl https://a.example/two --output two";
  const moved = command(long, {
    options: TOLD.options.map((option) => ({ ...option, keys: ["Enter"] })),
  });
  const wrapped = command(
    "curl https://a.example/one --output one\n&& curl https://a.example/two --output two",
    {
      columns: 41,
    },
  );
  const [first, ...others] = [command(long), moved, wrapped].map((seen) =>
    promptWith(asking(command(long)), seen, fingerprintOf),
  );
  expect(first?.request.isWhole).toBe(true);
  expect(others).toEqual(others.map(() => expect.objectContaining({ fingerprint: first?.fingerprint })));
});

test("what a restart left of a request has no fingerprint until its dialog was read", () => {
  const entry = asking(TOLD, false);
  expect(promptWith(entry, null, fingerprintOf)).toMatchObject({
    fingerprint: null,
    request: { isWhole: false },
  });
  expect(promptWith(entry, TOLD, fingerprintOf)?.fingerprint).toMatch(/^[0-9a-f]{16}$/);
});

// Every recorded dialog against the events that announced it: the prompt that they tell of must be found on the screen, or
// its answer would be refused.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { listFrames, loadRecording, screenOf } from "../../adapters/testkit/recordings.ts";
import { mayBeSamePrompt } from "../../core/engine/samePrompt.ts";
import { shownPrompt } from "../../core/engine/dialogOwner.ts";
import type { PromptRequest } from "../../core/model/request.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings", import.meta.url));
/** Titles of announcements that say nothing: another event of the same prompt says what it is. */
const GENERIC = new Set([
  "Claude needs your permission",
  "Copilot needs information",
  "Gemini asks a question",
  "Qwen Code needs your permission",
]);

/** Pages behind the dialog that was announced, which are asked about by themselves: a refusal's reason, a review. */
const PAGES_BEHIND = /^(approval_rejecting|question_review)/;

const pairs = createAdapterRegistry()
  .list()
  .filter(({ agentType }) => readdirSync(RECORDINGS).includes(agentType))
  .flatMap((adapter) =>
    listFrames(`${RECORDINGS}/${adapter.agentType}`).flatMap((name) => {
      if (PAGES_BEHIND.test(name)) return [];
      const recording = loadRecording(`${RECORDINGS}/${adapter.agentType}`, name);
      const seen = adapter.readScreen(screenOf(recording))?.request ?? null;
      const announced = recording.events.flatMap((event): PromptRequest[] => {
        const { signals } = adapter.normalize(
          {
            spoolName: "1",
            agentType: adapter.agentType,
            eventName: event.name,
            tmuxSocket: null,
            tmuxServerPid: null,
            paneId: null,
            parentPid: null,
            eventTime: event.at,
            payload: event.payload,
            payloadProblem: null,
          },
          { confirmRequests: false },
        );
        return signals.flatMap((signal) => (signal.kind === "request" ? [signal.request] : []));
      });
      return seen === null
        ? []
        : announced
            .filter(({ title }) => !GENERIC.has(title))
            .map((request) => ({ frame: `${adapter.agentType}/${name}`, announced: request, seen }));
    }),
  );

it.each(pairs)("$frame is the prompt that was announced", ({ announced, seen }) => {
  expect(mayBeSamePrompt(announced, seen)).toBe(true);
  const shown = shownPrompt(announced, seen);
  expect(shown).not.toBeNull();
  expect(shown?.options).toEqual(seen.options);
  // What an event tells whole is drawn to the letter, and nothing else is shown of it.
  if (announced.isWhole === true)
    expect(shown).toMatchObject({ kind: announced.kind, body: announced.body, isWhole: true });
});

it("dialogs of different agents and tools are told apart", () => {
  expect(pairs.length).toBeGreaterThan(9);
  const other = (seen: PromptRequest, more: string): PromptRequest => ({
    ...seen,
    title: "Another",
    body: `${seen.body ?? ""}${more}`,
  });
  const confused = pairs.filter(
    ({ announced, seen }) =>
      mayBeSamePrompt(announced, other(seen, "-more")) ||
      shownPrompt(announced, other(seen, "-more")) !== null,
  );
  expect(confused).toEqual([]);
  const approved = pairs.filter(
    ({ announced, seen }) => shownPrompt(announced, other(seen, " and more"))?.isWhole === true,
  );
  expect(approved).toEqual([]);
});

// In how many of the recorded dialogs a person is offered to approve, through the production path: by the screen alone, and with the
// events that were recorded. A rule that makes approving safer must not take it away where nothing was wrong: whoever lowers a figure
// here says why.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { listFrames, loadLabels } from "../../adapters/testkit/recordings.ts";
import { readFrame, type Frame } from "../../bench/detect/corpus.ts";
import { Player } from "../../bench/detect/playback.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures", import.meta.url));
const LABELS = loadLabels(join(FIXTURES, "recordings", "labels.json"));
const ASKED = { state: "waiting_approval" };

/**
 * By the screen, with events, of so many. Not offered: what is out of sight or not drawn, and told by no event; an edit that Codex
 * draws without its content while a command is open; two sub-agents' commands with the same rows in sight.
 */
const OFFERED: Readonly<Record<string, readonly [number, number, number]>> = {
  claude: [35, 36, 43],
  codex: [18, 26, 35],
  copilot: [10, 19, 23],
  gemini: [12, 17, 19],
  omp: [0, 0, 13],
  opencode: [22, 20, 30],
  pi: [0, 10, 12],
};

const framesOf = (agent: string): Frame[] =>
  ["dialogs", "recordings"].flatMap((name) => {
    const folder = join(FIXTURES, name);
    if (!existsSync(join(folder, agent))) return [];
    const isAsked = (frame: string): boolean =>
      name === "dialogs" || LABELS[`${agent}/${frame}`]?.state === ASKED.state;
    return listFrames(join(folder, agent))
      .filter(isAsked)
      .map((frame) => readFrame(folder, agent, frame, ASKED));
  });

it("an approval is offered in as many recorded dialogs as ever", { timeout: 120_000 }, () => {
  using player = new Player(createAdapterRegistry());
  const found = Object.keys(OFFERED).map((agent) => {
    const frames = framesOf(agent);
    const count = (mode: "screen" | "both"): number =>
      frames.filter((frame) => player.play(frame, frame.recording, mode).isOffered).length;
    return [agent, [count("screen"), count("both"), frames.length]];
  });
  expect(Object.fromEntries(found)).toEqual(OFFERED);
});

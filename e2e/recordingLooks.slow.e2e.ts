// The recording of the README: the picker in a real tmux, on scripted agents, driven by keys. It goes to test-results/screenshots;
// with AGTMUX_PICTURES=1 docs/pictures/picker.svg is made again.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser } from "playwright";
import { expect, it } from "vitest";
import { openPicker, READING } from "../test/picker/pickerHarness.ts";
import { someAgents } from "../test/picker/pickerPanes.ts";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { SCHEMES, shoot } from "./looks/look.ts";
import { recordingSvg, type Frame } from "./looks/recording.ts";

const ROOT = join(import.meta.dirname, "..");
const SIZE = { columns: 92, rows: 27 };
const MAX_BYTES = 120_000;
const ALT = "The picker: a command is approved, then an edit, and a question gets an answer in words";
const REPLY = "Half to even, as banks do";

let browser: Browser;
takeChromium((given) => (browser = given));

const record = async (): Promise<Frame[]> => {
  const picker = await openPicker({ panes: someAgents(), ...SIZE });
  // An agent that got its answer goes on.
  const { daemon } = picker;
  const answer = daemon.answer.bind(daemon);
  daemon.answer = async (input) => {
    const result = await answer(input);
    daemon.refine(input.ref, { state: "running", reason_code: null, needs_action: false, request: null });
    return result;
  };
  const frames: Frame[] = [];
  const keep = async (key: string, caption: string, ms: number): Promise<void> => {
    await wait(READING + 150);
    frames.push({ screen: await picker.styled(), key, caption, ms });
  };
  try {
    await picker.shows("3 need you");
    await keep("agtmux", "three agents wait for you, the longest wait first", 3_200);
    await picker.type("a");
    await picker.untilAsked("answer", 1);
    await picker.shows("2 need you");
    await keep("a", "approves it; the next one is shown in full", 2_600);
    await picker.type("a");
    await picker.untilAsked("answer", 2);
    await picker.shows("1 needs you");
    await keep("a", "approves the edit", 2_600);
    await picker.type("r");
    await keep("r", "answers the question in your own words", 1_200);
    await picker.type("-l", REPLY);
    await picker.shows(REPLY);
    await keep("r", "answers the question in your own words", 1_800);
    await picker.type("Enter");
    await picker.untilAsked("answer", 3);
    await picker.showsNot("needs you");
    await keep("Enter", "sent; nobody waits any more", 3_200);
    return frames;
  } finally {
    await picker.close();
  }
};

it("the recording, for a light and a dark page", async () => {
  const frames = await record();
  const svg = recordingSvg(frames, { ...SIZE, alt: ALT });
  expect(Buffer.byteLength(svg)).toBeLessThan(MAX_BYTES);
  expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain(`src="docs/pictures/picker.svg"`);
  const page = await browser.newPage({ viewport: { width: 760, height: 540 } });
  try {
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: "no-preference" });
      await page.setContent(
        `<body style="margin:8px;background:${colorScheme === "dark" ? "#0d1117" : "#fff"}">${svg}`,
      );
      for (const [index, at] of [1_000, 10_000].entries()) {
        const shown = await page.evaluate((ms) => {
          for (const animation of document.getAnimations()) {
            animation.pause();
            animation.currentTime = ms;
          }
          return [...document.querySelectorAll("g.f")].map((frame) => getComputedStyle(frame).visibility);
        }, at);
        await shoot(page, `recording-${index}-${colorScheme}`);
        expect(shown.filter((visibility) => visibility === "visible")).toHaveLength(1);
        expect(shown.indexOf("visible")).toBe([0, 4][index]);
      }
    }
  } finally {
    await page.close();
  }
  if (process.env["AGTMUX_PICTURES"] === "1")
    writeFileSync(join(ROOT, "docs", "pictures", "picker.svg"), svg);
});

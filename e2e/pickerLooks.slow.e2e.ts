// How the picker looks, on a dark and on a light terminal: the screen of a real tmux with its styles, drawn by Chromium. Pictures go
// to test-results/screenshots; with AGTMUX_PICTURES=1 those of docs/picker.md are made again.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PaneView } from "../core/model/view.ts";
import { backgroundAgents, someAgents, longEdit, waiting } from "../test/picker/pickerPanes.ts";
import { openPicker, type OpenPicker } from "../test/picker/pickerHarness.ts";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { armedScene } from "./scenes/armedScene.ts";
import { SCHEMES, shoot, type Scheme } from "./looks/look.ts";
import { smallPng } from "./looks/smallPng.ts";
import { escapeMarkup, screenParts, TERMINAL_THEMES } from "./looks/terminalScreen.ts";

const ROOT = join(import.meta.dirname, "..");
const MAX_PICTURE_BYTES = 60_000;

const toHtml = (screen: string, scheme: Scheme): string => {
  const [text = "", back = "", ...colours] = TERMINAL_THEMES[scheme];
  const rows = screenParts(screen).map((row) =>
    row
      .map((part) => {
        const colour = part.colour === null ? text : (colours[part.colour] ?? text);
        const css = [
          part.isReversed ? `color:${back};background:${text}` : `color:${colour}`,
          part.isBold ? "font-weight:700" : "",
          part.isDim ? "opacity:.62" : "",
        ].join(";");
        return `<span style="${css}">${escapeMarkup(part.text)}</span>`;
      })
      .join(""),
  );
  return `<body style="margin:0;background:${back}"><pre style="display:inline-block;margin:10px 12px;font:13px/17px 'DejaVu Sans Mono',monospace">${rows.join("\n")}</pre></body>`;
};

const SCREEN = [
  "\u001B[1m● Split the refund service\u001B[0m",
  "",
  "  I moved the rounding into \u001B[36msrc/refunds/round.ts\u001B[0m.",
  "",
  "  \u001B[32m✓\u001B[0m refunds › rounds half cents once   \u001B[2m4 ms\u001B[0m",
  "  \u001B[32m✓\u001B[0m refunds › keeps the currency       \u001B[2m2 ms\u001B[0m",
  "  \u001B[31m✗\u001B[0m refunds › migrates old rows        \u001B[2m9 ms\u001B[0m",
  "",
  "\u001B[33m✻ Working… (18m)\u001B[0m",
];

interface Look {
  name: string;
  columns: number;
  rows: number;
  panes?: (now: number) => PaneView[];
  go: (picker: OpenPicker) => Promise<unknown>;
}

const LOOKS: readonly Look[] = [
  { name: "picker", columns: 140, rows: 40, go: (picker) => picker.shows("rounds half cents once") },
  {
    name: "picker-narrow",
    columns: 80,
    rows: 32,
    go: async (picker) => {
      await picker.type("n");
      await picker.shows(/▌! Edit/);
    },
  },
  {
    name: "picker-whole",
    columns: 100,
    rows: 28,
    go: async (picker) => {
      for (let step = 0; step < 3; step += 1) await picker.type("n");
      await picker.type("w");
      await picker.shows("more lines below");
    },
  },
  {
    name: "picker-reply",
    columns: 100,
    rows: 38,
    go: async (picker) => {
      for (let step = 0; step < 2; step += 1) await picker.type("n");
      await picker.shows(/▌\? Question/);
      await picker.type("r");
      await picker.type("-l", "Half to even, and write the mode into the header");
      await picker.shows("into the header");
    },
  },
  {
    name: "picker-background",
    columns: 110,
    rows: 24,
    panes: backgroundAgents,
    go: (picker) => picker.shows("inside ssh"),
  },
  {
    name: "picker-armed",
    columns: 100,
    rows: 22,
    go: async (picker) => {
      await picker.type("l");
      await picker.shows("❯ pull, and go on");
      await picker.type("j", "j");
      await picker.shows("❯ fix the tests");
    },
  },
];

let browser: Browser;
let page: Page;
takeChromium((given) => (browser = given));
beforeAll(async () => {
  page = await browser.newPage({ deviceScaleFactor: 1 });
});
afterAll(() => page?.close());

const picture = async (screen: string, name: string, scheme: Scheme): Promise<void> => {
  await page.setContent(toHtml(screen, scheme));
  const box = await page.locator("pre").boundingBox();
  await page.setViewportSize({
    width: Math.ceil(box?.width ?? 0) + 24,
    height: Math.ceil(box?.height ?? 0) + 20,
  });
  const shot = await shoot(page, `${name}-${scheme}`);
  expect(readFileSync(join(ROOT, "docs", "picker.md"), "utf8")).toContain(`pictures/${name}-${scheme}.png`);
  if (process.env["AGTMUX_PICTURES"] !== "1") return;
  const small = smallPng(shot);
  expect(small.length).toBeLessThan(MAX_PICTURE_BYTES);
  mkdirSync(join(ROOT, "docs", "pictures"), { recursive: true });
  writeFileSync(join(ROOT, "docs", "pictures", `${name}-${scheme}.png`), small);
};

it.each(LOOKS)("$name in a light and in a dark terminal", async ({ name, columns, rows, go, panes: own }) => {
  const panes = own?.(Date.now()) ?? [
    ...someAgents(),
    waiting(2, longEdit(40), {
      session: "payments",
      activity: {
        prompt: "Export in cents",
        folder: "/home/me/payments",
        repository: "payments",
        branch: "ledger-csv",
      },
    }),
  ];
  const picker = await openPicker({
    panes,
    columns,
    rows,
    features: [armedScene(panes, ["window-20", "window-21", "window-22"])],
    prepare: (daemon) => {
      for (const pane of panes) daemon.outputs.set(pane.identity.pane_ref, { screen: SCREEN });
    },
  });
  try {
    await picker.shows(/needs? you/);
    await go(picker);
    const screen = await picker.styled();
    for (const scheme of SCHEMES) await picture(screen, name, scheme);
  } finally {
    await picker.close();
  }
});

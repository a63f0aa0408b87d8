// `npm run dev`: a change in a component is on the screen at once, and the page keeps its state.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FakeDaemon } from "../test/fakes/fakeDaemon.ts";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { startDevServer, type DevServer } from "./launchers/devServer.ts";
import { PopoverPage } from "./pages/popover.ts";
import { mixedScene } from "./scenes/scenes.ts";

const ROOT = join(import.meta.dirname, "..");
const LIMIT_MS = 2_000;

const checkout = mkdtempSync(join(tmpdir(), "agtmux-dev-"));
let browser: Browser;
let server: DevServer;

takeChromium((given) => (browser = given));
beforeAll(async () => {
  for (const folder of ["core", "features", "renderer", "ui"])
    cpSync(join(ROOT, folder), join(checkout, folder), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  for (const file of ["package.json", "tsconfig.base.json"]) cpSync(join(ROOT, file), join(checkout, file));
  server = await startDevServer({ root: checkout, daemon: new FakeDaemon(mixedScene(Date.now())), port: 0 });
});
afterAll(async () => {
  await server?.close();
  rmSync(checkout, { recursive: true, force: true });
});

/** Milliseconds from the saved file to the frame that shows it. */
const change = async (page: PopoverPage["page"], file: string, [from, to]: [string, string]) => {
  const path = join(checkout, file);
  const source = readFileSync(path, "utf8");
  expect(source).toContain(from);
  const savedAt = performance.now();
  writeFileSync(path, source.replaceAll(from, to));
  await page.getByText(to).first().waitFor({ timeout: 20_000 });
  return performance.now() - savedAt;
};

it("shows a change in a component and in a view model within two seconds", async () => {
  const page = await browser.newPage({ viewport: { width: 420, height: 600 } });
  const popover = new PopoverPage(page);
  await page.goto(server.url);
  await popover.row("refunds").click();
  await popover.detail.waitFor();

  const inComponent = await change(page, "renderer/components/RowView.tsx", ["longest wait first", "by age"]);
  // The row is still expanded: nothing was loaded again.
  expect(await popover.detail.count()).toBe(1);
  const inViewModel = await change(page, "ui/actions/paneActions.ts", ["Interrupt…", "Stop it…"]);
  console.log(`shown after ${Math.round(inComponent)} ms and ${Math.round(inViewModel)} ms`);
  expect(Math.max(inComponent, inViewModel)).toBeLessThan(LIMIT_MS);
});

it("shows a dialog, which strict mode opens twice", async () => {
  const page = await browser.newPage({ viewport: { width: 420, height: 600 } });
  const popover = new PopoverPage(page);
  await page.goto(server.url);
  await popover.row("refunds").waitFor();
  await popover.press("?");
  await popover.dialog.getByText("Search everything").waitFor();
  await popover.press("Escape");
  await popover.dialog.waitFor({ state: "detached" });
});

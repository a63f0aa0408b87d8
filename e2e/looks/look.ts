// What is done with every view: a picture in each scheme, the accessibility audit, and a check for faults that a person would see.
// Pictures go to test-results/screenshots; with AGTMUX_PICTURES=1 those of the documentation are made again.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { source as AXE } from "axe-core";
import type { Page } from "playwright";
import { expect } from "vitest";
import { smallPng } from "./smallPng.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SHOTS = join(ROOT, "test-results", "screenshots");
const PICTURES = join(ROOT, "docs", "pictures");
const MAKES_PICTURES = process.env["AGTMUX_PICTURES"] === "1";
/** Where the popover is pictured. */
const PAGES = ["tour.md", "views.md", "history.md", "workspaces.md"];
/** All of them together stay under 2.5 MB. */
const MAX_PICTURE_BYTES = 42_000;

export type Scheme = "light" | "dark";
export const SCHEMES: readonly Scheme[] = ["light", "dark"];

/** A picture among the results of the run, a pixel for each of CSS. */
export const shoot = async (page: Page, name: string): Promise<Buffer> => {
  mkdirSync(SHOTS, { recursive: true });
  return page.screenshot({ path: join(SHOTS, `${name}.png`), caret: "hide", scale: "css" });
};

const keepPicture = (name: string, shot: Buffer): void => {
  const pages = PAGES.map((page) => readFileSync(join(ROOT, "docs", page), "utf8"));
  expect(pages.join("\n")).toContain(`pictures/${name}.png`);
  if (!MAKES_PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  const picture = smallPng(shot);
  expect(picture.length).toBeLessThan(MAX_PICTURE_BYTES);
  writeFileSync(join(PICTURES, `${name}.png`), picture);
};

/** Inside of the page: that of `AxeBuilder` opens a second one for each audit. The page has no frames that would need it. */
const audit = async (page: Page, rules: "all" | "contrast"): Promise<void> => {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const found = await page.evaluate(async (onlyContrast) => {
    const axe = Reflect.get(window, "axe") as Pick<typeof import("axe-core"), "run">;
    const { violations } = await axe.run(document, {
      resultTypes: ["violations"],
      ...(onlyContrast ? { runOnly: { type: "rule", values: ["color-contrast"] } } : {}),
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
  }, rules === "contrast");
  expect(found).toEqual([]);
};

/** Takes the view's pictures, for the documentation too where `isPictured`, and asks axe about it, light and dark; it ends light. */
export const recordLook = async (page: Page, look: { name: string; isPictured: boolean }): Promise<void> => {
  for (const scheme of SCHEMES) {
    // Colours that change slowly would be pictured and measured half way.
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    const name = `${look.name}-${scheme}`;
    const shot = await shoot(page, name);
    if (look.isPictured) keepPicture(name, shot);
    // Rules that are not about colours give the same result in both schemes.
    await audit(page, scheme === "light" ? "all" : "contrast");
  }
  await page.emulateMedia({ colorScheme: "light" });
};

/** What a person would see as wrong: sideways scrolling, rows over rows, words that stick out of their button or the window. */
const listFaults = (): string[] => {
  const faults: string[] = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  const slots = [...document.querySelectorAll<HTMLElement>("[data-index]")].map((slot) => ({
    index: Number(slot.dataset["index"]),
    top: slot.getBoundingClientRect().top,
    bottom: Math.max(
      // Elements that are not drawn have no size; the content of a box that scrolls may be longer than the box.
      ...[slot, ...slot.querySelectorAll("*:not(pre *)")]
        .map((part) => part.getBoundingClientRect())
        .map(({ height, bottom }) => (height > 0 ? bottom : -Infinity)),
    ),
  }));
  for (const slot of slots) {
    const next = slots.find(({ index }) => index === slot.index + 1);
    if (next !== undefined && slot.bottom > next.top + 1)
      faults.push(`row ${slot.index} reaches ${slot.bottom - next.top} px into the next`);
  }
  for (const button of document.querySelectorAll<HTMLElement>("button, dialog, label, p")) {
    const isCut = button.scrollWidth > button.clientWidth + 1 && button.clientWidth > 0;
    if (isCut && getComputedStyle(button).display !== "inline")
      faults.push(`cut off: ${button.textContent.slice(0, 60)}`);
  }
  for (const part of document.querySelectorAll<HTMLElement>("main *"))
    if (
      part.closest("pre, dialog, [data-row], [title]") === null &&
      part.getBoundingClientRect().right > innerWidth + 1
    )
      faults.push(`out of the window: ${part.outerHTML.slice(0, 100)}`);
  return faults;
};

export const findFaults = (page: Page): Promise<string[]> => page.evaluate(listFaults);

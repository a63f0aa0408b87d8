// What the same machine and browser need for an empty page, so that the popover's own share can be computed.
import type { Browser } from "playwright";
import { installProbe, whenShown } from "./probe.ts";

export interface Baseline {
  /** The time between two frames of an empty page. Milliseconds. */
  frameMs: number[];
  /** The time from sending a text to an empty page to the end of the frame that shows it. */
  textMs: number[];
}

const FRAMES = 120;

export const measureBaseline = async (browser: Browser, texts: number): Promise<Baseline> => {
  const context = await browser.newContext({ viewport: { width: 420, height: 600 } });
  try {
    await installProbe(context);
    const page = await context.newPage();
    // Init scripts run in pages that were navigated to.
    await page.goto("data:text/html,<title>empty</title><body></body>");
    const frameMs = await page.evaluate(
      (count) =>
        new Promise<number[]>((resolve) => {
          const times: number[] = [];
          const look = (at: number): void => {
            times.push(at);
            if (times.length <= count) requestAnimationFrame(look);
            else resolve(times.slice(1).map((time, index) => time - (times[index] ?? time)));
          };
          requestAnimationFrame(look);
        }),
      FRAMES,
    );
    const textMs: number[] = [];
    for (let index = 0; index < texts; index += 1) {
      const text = `text-${index}.`;
      const shown = whenShown(page, text);
      const toldAt = performance.timeOrigin + performance.now();
      await page.evaluate((text) => {
        document.body.textContent = text;
      }, text);
      textMs.push((await shown) - toldAt);
    }
    return { frameMs, textMs };
  } finally {
    await context.close();
  }
};

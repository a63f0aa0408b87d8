// How the popover looks: every view, light and dark, with the accessibility audit of each, at twice the text size, and in a
// tall, a low and a wide window.
import { describe, expect, it } from "vitest";
import { shareStage } from "./launchers/popovers.ts";
import { findFaults, recordLook, shoot } from "./looks/look.ts";
import { createViewStage, POPOVER_VIEWS } from "./looks/popoverViews.ts";

const stage = createViewStage(shareStage());

describe("looks (light, dark)", () => {
  it.each(POPOVER_VIEWS)("$name", async (view) => {
    const { page } = await stage.show(view);
    await recordLook(page, { name: view.name, isPictured: view.isForTestOnly !== true });
  });
});

describe("twice the text size", () => {
  const NAMES = ["agents", "diff", "reply", "output", "kill", "keys", "sessions", "windows", "targets"];
  it.each(POPOVER_VIEWS.filter(({ name }) => NAMES.includes(name)))("$name", async (view) => {
    const { page } = await stage.show(view, (shown) =>
      shown.page.evaluate(() => {
        document.documentElement.style.fontSize = "200%";
      }),
    );
    await shoot(page, `${view.name}-large`);
    expect(await findFaults(page)).toEqual([]);
  });
});

describe.each([
  ["tall", 420, 1_200],
  ["low", 420, 320],
  ["wide", 1_280, 800],
] as const)("a %s window", (size, width, height) => {
  const NAMES = ["agents", "why", "output", "keys", "targets", "hostile"];
  it.each(POPOVER_VIEWS.filter(({ name }) => NAMES.includes(name)))("$name", async (view) => {
    const { page } = await stage.show(view, (shown) => shown.page.setViewportSize({ width, height }));
    await shoot(page, `${view.name}-${size}`);
    expect(await findFaults(page)).toEqual([]);
  });
});

it("moves nothing where reduced motion is asked for", async () => {
  const agents = POPOVER_VIEWS.find(({ name }) => name === "agents");
  if (agents === undefined) throw new Error("there is no such view");
  const { page } = await stage.show(agents);
  const durations = await page.evaluate(() =>
    [...document.querySelectorAll("*")].map((part) => {
      const { transitionDuration, animationDuration } = getComputedStyle(part);
      return `${transitionDuration} ${animationDuration}`;
    }),
  );
  expect(new Set(durations)).toEqual(new Set(["0s 0s"]));
});

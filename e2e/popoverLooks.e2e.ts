// How the popover looks: every view, light and dark, with the accessibility audit of each, and at twice the text size. The
// pictures go to test-results/screenshots; with AGTMUX_PICTURES=1 those of the documentation are made anew.
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PaneView, TargetView } from "../core/model/view.ts";
import { makePane, makeTarget } from "../test/factories/view.ts";
import { FakeDaemon } from "../test/fakes/fakeDaemon.ts";
import { launchBrowserPopover, type BrowserPopover } from "./launchers/browser.ts";
import { launchChromium } from "./launchers/chromium.ts";
import {
  askingScene,
  hostileScene,
  mixedScene,
  mixedTargets,
  refundsExplanation,
  SCREEN,
  spreadScene,
  spreadTargets,
  thousandScene,
} from "./scenes/scenes.ts";

const ROOT = join(import.meta.dirname, "..");
const SHOTS = join(ROOT, "test-results", "screenshots");
const PICTURES = join(ROOT, "docs", "pictures");
const MAKES_PICTURES = process.env["AGTMUX_PICTURES"] === "1";
const MAX_PICTURE_BYTES = 100_000;

type Started = BrowserPopover & { daemon: FakeDaemon };

interface Look {
  name: string;
  scene: (now: number) => readonly PaneView[];
  targets?: (now: number) => readonly TargetView[];
  /** From the list as it opens to what is looked at. */
  go: (started: Started) => Promise<unknown>;
  /** In the documentation in this scheme. */
  picture?: "light" | "dark";
}

const LOOKS: readonly Look[] = [
  {
    name: "empty",
    scene: () => [],
    go: ({ page }) => page.getByText("No agents").waitFor(),
  },
  {
    name: "one",
    scene: (now) => [makePane({ state: "running", since: now - 90_000 })],
    go: ({ popover }) => popover.row("window-1").waitFor(),
  },
  {
    name: "agents",
    scene: mixedScene,
    targets: mixedTargets,
    picture: "light",
    go: async ({ popover }) => {
      await popover.press("j", "j");
      await popover.row("refunds").waitFor();
    },
  },
  {
    name: "why",
    scene: mixedScene,
    targets: mixedTargets,
    picture: "dark",
    go: async ({ popover, daemon, page }) => {
      const [refunds] = mixedScene(Date.now());
      if (refunds === undefined) throw new Error("the scene is empty");
      daemon.explanations.set(refunds.identity.pane_ref, refundsExplanation(Date.now(), refunds));
      await popover.row("refunds").click();
      await popover.detail.getByText("So far").waitFor();
      await page.mouse.wheel(0, 330);
    },
  },
  {
    name: "diff",
    scene: askingScene,
    picture: "light",
    go: async ({ popover }) => {
      await popover.row("diff").click();
      await popover.action("Approve").waitFor();
    },
  },
  {
    name: "plan",
    scene: askingScene,
    go: async ({ popover }) => {
      await popover.row("plan").click();
      await popover.action("Approve").waitFor();
    },
  },
  {
    name: "answer",
    scene: askingScene,
    picture: "dark",
    go: async ({ popover, page }) => {
      await popover.row("question").click();
      await popover.press("r");
      await popover.replyBox.waitFor();
      await page.keyboard.type("None of these:");
      await popover.press("Shift+Enter");
      await page.keyboard.type("use the sandbox.");
    },
  },
  {
    name: "refused",
    scene: askingScene,
    go: async ({ popover }) => {
      await popover.row("unread").click();
      await popover.press("a");
      await popover.alert.waitFor();
    },
  },
  {
    name: "reply",
    scene: mixedScene,
    targets: mixedTargets,
    picture: "light",
    go: async ({ popover, page, daemon }) => {
      daemon.settleWith("unverified", "Text and Enter were sent, but the text was not seen on the screen");
      await popover.row("docs").focus();
      await popover.press("r");
      await popover.replyBox.waitFor();
      await page.keyboard.type("Write the changelog and stop.");
      await popover.press("Enter");
      await popover.status.getByText("Not verified.").waitFor();
    },
  },
  {
    name: "output",
    scene: mixedScene,
    picture: "dark",
    go: async ({ popover, daemon }) => {
      for (const pane of mixedScene(Date.now())) daemon.outputs.set(pane.identity.pane_ref, SCREEN);
      await popover.row("storefront").focus();
      await popover.press("o");
      await popover.screen.getByText("Moulding").waitFor();
    },
  },
  {
    name: "kill",
    scene: mixedScene,
    targets: mixedTargets,
    picture: "light",
    go: async ({ popover }) => {
      await popover.row("api").focus();
      await popover.press("x");
      await popover.dialog.getByText("process 4242").waitFor();
    },
  },
  {
    name: "keys",
    scene: mixedScene,
    picture: "dark",
    go: async ({ popover }) => {
      await popover.press("?");
      await popover.dialog.waitFor();
    },
  },
  {
    name: "sessions",
    scene: spreadScene,
    targets: spreadTargets,
    picture: "light",
    go: async ({ popover }) => {
      await popover.press("s");
      await popover.sessions.first().waitFor();
    },
  },
  {
    name: "windows",
    scene: spreadScene,
    targets: spreadTargets,
    picture: "dark",
    go: async ({ popover, page }) => {
      await popover.press("s");
      await page.getByRole("checkbox").check();
      await popover.sessions.filter({ hasText: "web" }).click();
      await page.getByRole("heading", { name: "bundle" }).waitFor();
    },
  },
  {
    name: "targets",
    scene: spreadScene,
    targets: spreadTargets,
    picture: "light",
    go: async ({ popover }) => {
      await popover.press("t");
      await popover.targets.first().waitFor();
    },
  },
  {
    name: "hostile",
    scene: hostileScene,
    go: ({ popover }) => popover.row("override").waitFor(),
  },
  {
    name: "hostile-sessions",
    scene: hostileScene,
    go: async ({ popover }) => {
      await popover.press("s");
      await popover.sessions.first().waitFor();
    },
  },
  {
    name: "thousand",
    scene: thousandScene,
    go: async ({ popover }) => {
      await popover.group("team-1 on host").waitFor();
      await popover.scrollTo(9_000);
      await popover.row("task-").waitFor();
    },
  },
  {
    name: "attach-command",
    scene: mixedScene,
    go: async ({ popover }) => {
      await popover.row("refunds").focus();
      await popover.press("Enter");
      await popover.dialog.waitFor();
    },
  },
  {
    name: "disconnected",
    scene: mixedScene,
    go: async ({ popover, daemon, page }) => {
      await popover.row("refunds").waitFor();
      daemon.goDown();
      await page.getByText("Not connected.").waitFor();
    },
  },
];

let browser: Browser;
beforeAll(async () => {
  for (const folder of [SHOTS, PICTURES]) mkdirSync(folder, { recursive: true });
  browser = await launchChromium();
  console.log(`launcher: browser (${browser.version()})`);
});
afterAll(() => browser?.close());

/** One page for many views: each begins with a scene of its own and a page without memory. */
const createStage = (colorScheme: "light" | "dark") => {
  let stage: Started | null = null;
  const reach = async (): Promise<Started> => {
    if (stage !== null) return stage;
    const daemon = new FakeDaemon([], { canOpenTerminal: false });
    stage = {
      ...(await launchBrowserPopover({ browser, daemon, colorScheme, reducedMotion: "reduce" })),
      daemon,
    };
    return stage;
  };
  return {
    show: async ({ scene, targets, go }: Look, prepare?: (started: Started) => Promise<unknown>) => {
      const started = await reach();
      const { daemon, page } = started;
      const now = Date.now();
      daemon.resume();
      daemon.settleWith("delivered", "It was seen to arrive");
      daemon.reset(scene(now), targets?.(now) ?? [makeTarget()]);
      await page.evaluate(() => localStorage.clear());
      await page.reload();
      await page.locator("[data-connection=live]").waitFor();
      await page.mouse.move(210, 350);
      await prepare?.(started);
      await go(started);
      return started;
    },
    close: async () => stage?.close(),
  };
};

describe.each(["light", "dark"] as const)("looks (%s)", (colorScheme) => {
  const stage = createStage(colorScheme);
  afterAll(stage.close);

  it.each(LOOKS)("$name", async (look) => {
    const { page } = await stage.show(look);
    await page.screenshot({ path: join(SHOTS, `${look.name}-${colorScheme}.png`), caret: "hide" });
    if (MAKES_PICTURES && look.picture === colorScheme) {
      const path = join(PICTURES, `${look.name}.png`);
      await page.screenshot({ path, caret: "hide", scale: "css" });
      expect(statSync(path).size).toBeLessThan(MAX_PICTURE_BYTES);
    }
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`)).toEqual(
      [],
    );
  });
});

describe("twice the text size", () => {
  const stage = createStage("light");
  afterAll(stage.close);

  /** What a person would see as wrong: sideways scrolling, rows over rows, words that stick out of their button. */
  const findFaults = () => {
    const faults: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
    const slots = [...document.querySelectorAll<HTMLElement>("[data-index]")].map((slot) => ({
      index: Number(slot.dataset["index"]),
      top: slot.getBoundingClientRect().top,
      bottom: Math.max(
        // What is not drawn has no size; what is in a box that scrolls may be longer than it.
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
    return faults;
  };

  const NAMES = ["agents", "diff", "reply", "output", "kill", "keys", "sessions", "windows", "targets"];
  it.each(LOOKS.filter(({ name }) => NAMES.includes(name)))("$name", async (look) => {
    const { page } = await stage.show(look, (started) =>
      started.page.evaluate(() => {
        document.documentElement.style.fontSize = "200%";
      }),
    );
    await page.screenshot({ path: join(SHOTS, `${look.name}-large.png`) });
    expect(await page.evaluate(findFaults)).toEqual([]);
  });
});

it("moves nothing where reduced motion is asked for", async () => {
  const stage = createStage("light");
  try {
    const [, , agents] = LOOKS;
    if (agents === undefined) throw new Error("there is no such look");
    const { page } = await stage.show(agents);
    const durations = await page.evaluate(() =>
      [...document.querySelectorAll("*")].map((part) => {
        const { transitionDuration, animationDuration } = getComputedStyle(part);
        return `${transitionDuration} ${animationDuration}`;
      }),
    );
    expect(new Set(durations)).toEqual(new Set(["0s 0s"]));
  } finally {
    await stage.close();
  }
});

// How the popover looks: every view, light and dark, with the accessibility audit of each, at twice the text size, and in a
// tall and a low window.
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PaneView, TargetView } from "../core/model/view.ts";
import { makePane, makeTarget } from "../test/factories/view.ts";
import { FakeDaemon } from "../test/fakes/fakeDaemon.ts";
import { launchBrowserPopover, type BrowserPopover } from "./launchers/browser.ts";
import { launchChromium } from "./launchers/chromium.ts";
import { findFaults, recordLook, SCHEMES, shoot, type Scheme } from "./looks/look.ts";
import {
  askingScene,
  hostileScene,
  refundsExplanation,
  spreadScene,
  spreadTargets,
} from "./scenes/scenes.ts";
import {
  COLOURED_SCREEN,
  editScene,
  longScene,
  manyScene,
  tenScene,
  threeScene,
  threeTargets,
} from "./scenes/workScene.ts";

type Started = BrowserPopover & { daemon: FakeDaemon };

interface Look {
  name: string;
  scene: (now: number) => readonly PaneView[];
  targets?: (now: number) => readonly TargetView[];
  /** The steps from the opened list to the view that is checked. */
  go: (started: Started) => Promise<unknown>;
  /** CSS pixels; the popover's own when left out. */
  height?: number;
  width?: number;
  /** Not in the documentation. */
  isForTestOnly?: true;
}

const LOOKS: readonly Look[] = [
  {
    name: "empty",
    scene: () => [],
    go: ({ page }) => page.getByText("No agents").waitFor(),
  },
  {
    name: "one",
    isForTestOnly: true,
    scene: (now) => [makePane({ state: "running", since: now - 90_000 })],
    go: ({ popover }) => popover.row("window-1").waitFor(),
  },
  {
    name: "agents",
    height: 760,
    scene: tenScene,
    go: async ({ popover }) => {
      await popover.press("j");
      await popover.card("refunds").waitFor();
    },
  },
  {
    name: "why",
    height: 960,
    scene: (now) => tenScene(now).slice(1),
    go: async ({ popover, daemon }) => {
      const [, refunds] = tenScene(Date.now());
      if (refunds === undefined) throw new Error("the scene is empty");
      daemon.explanations.set(refunds.identity.pane_ref, refundsExplanation(Date.now(), refunds));
      daemon.outputs.set(refunds.identity.pane_ref, { screen: COLOURED_SCREEN });
      await popover.row("Refunds are").click();
      await popover.screen.getByText("Reviewing").waitFor();
      await popover.detail.getByRole("button", { name: "Why" }).click();
      await popover.detail.getByText("So far").waitFor();
    },
  },
  {
    name: "diff",
    scene: askingScene,
    go: async ({ popover }) => {
      await popover.row("diff").focus();
      await popover.answer("diff", "Approve").waitFor();
    },
  },
  {
    name: "folded",
    scene: askingScene,
    go: async ({ popover }) => {
      await popover.press("n", "n", "n", "n");
      await popover.card("long").getByText("Show all").waitFor();
    },
  },
  {
    name: "part",
    scene: askingScene,
    go: async ({ popover }) => {
      await popover.press("n", "n", "n", "n", "n");
      await popover.card("glimpse").getByText("Not shown whole: a part").waitFor();
    },
  },
  {
    name: "plan",
    scene: askingScene,
    go: async ({ popover }) => {
      await popover.press("n");
      await popover.answer("plan", "Approve").waitFor();
    },
  },
  {
    name: "answer",
    scene: askingScene,
    go: async ({ popover, page }) => {
      await popover.press("n", "n", "r");
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
      await popover.press("n", "n", "n", "a");
      await popover.alert.waitFor();
    },
  },
  {
    name: "reply",
    scene: threeScene,
    go: async ({ popover, page, daemon }) => {
      for (const pane of threeScene(Date.now()))
        daemon.outputs.set(pane.identity.pane_ref, { screen: COLOURED_SCREEN });
      daemon.gate.settleWith(
        "unverified",
        "Text and Enter were sent, but the text was not seen on the screen",
      );
      await popover.row("Docs for the new").focus();
      await popover.press("r");
      await popover.replyBox.waitFor();
      await page.keyboard.type("Write the changelog and stop.");
      await popover.press("Enter");
      await popover.status.getByText("Not verified.").waitFor();
    },
  },
  {
    name: "output",
    scene: threeScene,
    go: async ({ popover, daemon }) => {
      for (const pane of threeScene(Date.now()))
        daemon.outputs.set(pane.identity.pane_ref, { screen: COLOURED_SCREEN });
      await popover.row("Docs for the new").focus();
      await popover.press("o");
      await popover.screen.getByText("Reviewing").waitFor();
    },
  },
  {
    name: "kill",
    scene: threeScene,
    go: async ({ popover }) => {
      await popover.row("Docs for the new").focus();
      await popover.press("x");
      await popover.dialog.getByText("process 4242").waitFor();
    },
  },
  {
    name: "keys",
    scene: tenScene,
    go: async ({ popover }) => {
      await popover.press("?");
      await popover.dialog.waitFor();
    },
  },
  {
    name: "sessions",
    scene: spreadScene,
    targets: spreadTargets,
    go: async ({ popover }) => {
      await popover.press("s");
      await popover.sessions.first().waitFor();
    },
  },
  {
    name: "windows",
    scene: spreadScene,
    targets: spreadTargets,
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
    go: async ({ popover }) => {
      await popover.press("m");
      await popover.targets.first().waitFor();
    },
  },
  {
    name: "three",
    scene: threeScene,
    go: ({ popover }) => popover.card("refunds").waitFor(),
  },
  {
    name: "narrow",
    isForTestOnly: true,
    width: 360,
    scene: tenScene,
    go: ({ popover }) => popover.card("refunds").waitFor(),
  },
  {
    name: "wide",
    width: 880,
    height: 520,
    scene: tenScene,
    go: async ({ popover, page, daemon }) => {
      for (const { identity } of tenScene(Date.now()))
        daemon.outputs.set(identity.pane_ref, { screen: COLOURED_SCREEN });
      await popover.press("n");
      await page.getByText("Reviewing").waitFor();
    },
  },
  {
    name: "many",
    scene: (now) => manyScene(now, 25),
    targets: threeTargets,
    go: async ({ popover }) => {
      await popover.card("refunds").waitFor();
      await popover.scrollTo(900);
      await popover.row("a11y").waitFor();
    },
  },
  {
    name: "question",
    scene: (now) => tenScene(now).slice(3, 6),
    go: ({ popover }) => popover.card("ledger").waitFor(),
  },
  {
    name: "long",
    scene: longScene,
    go: ({ popover }) => popover.paneRows.nth(1).waitFor(),
  },
  ...[1, 40, 2_000].map((lines): Look => ({
    name: `edit-${lines}`,
    scene: (now) => editScene(now, lines),
    go: async ({ popover }) => {
      await popover.card("post").waitFor();
      if (lines > 40) await popover.press("ArrowRight", "ArrowRight");
    },
  })),
  {
    name: "hostile",
    isForTestOnly: true,
    scene: hostileScene,
    go: ({ popover }) => popover.row("override").waitFor(),
  },
  {
    name: "hostile-sessions",
    isForTestOnly: true,
    scene: hostileScene,
    go: async ({ popover }) => {
      await popover.press("s");
      await popover.sessions.first().waitFor();
    },
  },
  {
    name: "thousand",
    scene: (now) => manyScene(now, 1_000),
    go: async ({ popover }) => {
      await popover.paneRows.first().waitFor();
      await popover.scrollTo(9_000);
      await popover.row("task-").waitFor();
      await popover.scrollTo(20_000);
    },
  },
  {
    name: "attach-command",
    scene: tenScene,
    go: async ({ popover }) => {
      await popover.row("refunds").focus();
      await popover.press("Enter");
      await popover.dialog.waitFor();
    },
  },
  {
    name: "disconnected",
    scene: tenScene,
    go: async ({ popover, daemon, page }) => {
      await popover.row("refunds").waitFor();
      daemon.goDown();
      await page.getByText("Not connected.").waitFor();
    },
  },
];

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  console.log(`launcher: browser (${browser.version()})`);
});
afterAll(() => browser?.close());

/** One page for many views: each begins with a scene of its own and a page without memory. */
const createStage = (colorScheme: Scheme) => {
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
    show: async (
      { scene, targets, go, height = 600, width = 420 }: Look,
      prepare?: (started: Started) => Promise<unknown>,
    ) => {
      const started = await reach();
      const { daemon, page } = started;
      const now = Date.now();
      daemon.resume();
      daemon.gate.settleWith("delivered", "It was seen to arrive");
      daemon.reset(scene(now), targets?.(now) ?? [makeTarget()]);
      await page.setViewportSize({ width, height });
      await page.evaluate(() => localStorage.clear());
      await page.reload();
      await page.locator("[data-connection=live]").waitFor();
      await page.mouse.move(2, 2);
      await prepare?.(started);
      await go(started);
      return started;
    },
    close: async () => stage?.close(),
  };
};

describe.each(SCHEMES)("looks (%s)", (colorScheme) => {
  const stage = createStage(colorScheme);
  afterAll(stage.close);

  it.each(LOOKS)("$name", async (look) => {
    const { page } = await stage.show(look);
    await recordLook(page, {
      name: look.name,
      scheme: colorScheme,
      isPictured: look.isForTestOnly !== true,
    });
  });
});

describe("twice the text size", () => {
  const stage = createStage("light");
  afterAll(stage.close);

  const NAMES = ["agents", "diff", "reply", "output", "kill", "keys", "sessions", "windows", "targets"];
  it.each(LOOKS.filter(({ name }) => NAMES.includes(name)))("$name", async (look) => {
    const { page } = await stage.show(look, (started) =>
      started.page.evaluate(() => {
        document.documentElement.style.fontSize = "200%";
      }),
    );
    await shoot(page, `${look.name}-large`);
    expect(await findFaults(page)).toEqual([]);
  });
});

describe.each([
  ["tall", 1_200],
  ["low", 320],
] as const)("a %s window", (size, height) => {
  const stage = createStage("dark");
  afterAll(stage.close);
  const NAMES = ["agents", "why", "output", "keys", "targets", "hostile"];
  it.each(LOOKS.filter(({ name }) => NAMES.includes(name)))("$name", async (look) => {
    const { page } = await stage.show(look, (started) =>
      started.page.setViewportSize({ width: 420, height }),
    );
    await shoot(page, `${look.name}-${size}`);
    expect(await findFaults(page)).toEqual([]);
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

// The views of the popover: the agents of each, and the steps that lead there from the opened list.
import type { PaneView, TargetView } from "../../core/model/view.ts";
import { makePane, makeTarget } from "../../test/factories/view.ts";
import { backgroundAgents } from "../../test/picker/pickerPanes.ts";
import { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import type { BrowserPopover } from "../launchers/browser.ts";
import type { SharedStage } from "../launchers/popovers.ts";
import {
  askingScene,
  hostileScene,
  refundsExplanation,
  spreadScene,
  spreadTargets,
} from "../scenes/scenes.ts";
import {
  COLOURED_SCREEN,
  editScene,
  longScene,
  manyScene,
  conflictsScene,
  pullsScene,
  tenScene,
  threeScene,
  threeTargets,
} from "../scenes/workScene.ts";

export type ShownView = BrowserPopover & { daemon: FakeDaemon };

export interface PopoverView {
  name: string;
  scene: (now: number) => readonly PaneView[];
  targets?: (now: number) => readonly TargetView[];
  /** The steps from the opened list to the view that is checked. */
  go: (started: ShownView) => Promise<unknown>;
  /** CSS pixels; the popover's own when left out. */
  height?: number;
  width?: number;
  /** Not in the documentation. */
  isForTestOnly?: true;
}

export const POPOVER_VIEWS: readonly PopoverView[] = [
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
    name: "pulls",
    scene: pullsScene,
    go: async ({ popover, daemon }) => {
      const [first] = pullsScene(Date.now());
      daemon.outputs.set(first?.identity.pane_ref ?? "", { screen: ["> all tests pass here", "❯ "] });
      await popover.row("Round refunds").click();
      await popover.detail.getByText("Pull request #412").waitFor();
    },
  },
  {
    name: "conflicts",
    scene: conflictsScene,
    go: async ({ popover, daemon }) => {
      const [first] = conflictsScene(Date.now());
      daemon.outputs.set(first?.identity.pane_ref ?? "", { screen: ["> rounding by currency", "❯ "] });
      await popover.row("Round refunds").click();
      await popover.detail.getByText("conflicts with").waitFor();
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
      await popover.card("glimpse").getByText("Not shown in full: part").waitFor();
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
    name: "background",
    scene: backgroundAgents,
    go: ({ popover }) => popover.card("window-12").waitFor(),
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
  ...[1, 40, 2_000].map((lines): PopoverView => ({
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
      await page.getByText("Disconnected.").waitFor();
    },
  },
];

/** One page for many views: each begins with a scene of its own and a page without memory. */
export interface ViewStage {
  /** `prepare`: what is done to the page before the steps of the view. */
  show(view: PopoverView, prepare?: (shown: ShownView) => Promise<unknown>): Promise<ShownView>;
}

export const createViewStage = (stage: SharedStage): ViewStage => ({
  show: async ({ scene, targets, go, height = 600, width = 420 }, prepare) => {
    const now = Date.now();
    const daemon = new FakeDaemon(scene(now), { canOpenTerminal: false });
    daemon.setTargets(targets?.(now) ?? [makeTarget()]);
    const options = { daemon, reducedMotion: "reduce", viewport: { width, height } } as const;
    const shown: ShownView = { ...(await stage.show(options)), daemon };
    await shown.page.locator("[data-connection=live]").waitFor();
    await prepare?.(shown);
    await go(shown);
    return shown;
  },
});

// What the popover shows, on a fake daemon, through the real browser bridge in a real Chromium.
import { describe, expect, it, vi } from "vitest";
import { makePane, makeTarget } from "../test/factories/view.ts";
import { usePopovers, WAIT } from "./launchers/popovers.ts";
import { hostileScene, mixedScene, thousandScene } from "./scenes/scenes.ts";

const { start, ...popovers } = usePopovers();
/** High enough for every row of the scene to be in the document. */
const startMixed = () => popovers.startMixed({ viewport: { width: 420, height: 1_200 } });

describe("what is shown", () => {
  it("puts those that wait on top, longest wait first, and the rest into groups with roll-ups", async () => {
    const { popover, errors } = await startMixed();
    expect((await popover.paneNames()).slice(0, 4).map((name) => name.split(",")[0])).toEqual([
      "alerts",
      "refunds",
      "terraform",
      "ledger",
    ]);
    expect(await popover.card("refunds").textContent()).toContain("npm run migrate -- --env staging");
    expect(await popover.group("payments on host").getAttribute("aria-label")).toBe(
      "payments on host, 1 running, 1 done",
    );
    await popover.group("infra on build-box, slow or failing").waitFor();
    expect(await popover.totals.allTextContents()).toEqual(["4 need you", "3 working", "1 unknown"]);
    expect(errors).toEqual([]);
  });

  it("follows the feed and announces a new wait", async () => {
    const started = await startMixed();
    const { daemon, popover } = started;
    expect(await popover.announcements.textContent()).toBe("");
    daemon.put(
      makePane({
        pane: 22,
        session: "web",
        window: 2,
        windowName: "e2e",
        state: "waiting_input",
        since: Date.now(),
      }),
    );
    await vi.waitFor(
      async () =>
        expect(await popover.announcements.textContent()).toBe(
          "e2e, Claude Code, needs answer · question, in web",
        ),
      WAIT,
    );
    daemon.remove(makePane({ pane: 22, session: "web", window: 2 }).identity.pane_ref);
    await popover.row("e2e").waitFor({ state: "detached" });
  });

  it("says why in the expanded row: rule, matched text, losers and timeline", async () => {
    const { popover } = await startMixed();
    await popover.row("refunds").click();
    await popover.detail.getByRole("button", { name: "Why" }).click();
    await popover.detail.getByText("An open permission request outranks").waitFor();
    const text = (await popover.detail.textContent()) ?? "";
    for (const part of ["decided", "Do you want to proceed?", "outweighed", "too old", "32m"])
      expect(text).toContain(part);
  });

  it("shows hostile text as text", async () => {
    const { page, popover, errors } = await start(hostileScene(Date.now()));
    await popover.card("override").getByText("⟨U+202E⟩").first().waitFor();
    expect(await page.title()).toBe("(1) agtmux");
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    const text = await page.locator("body").innerText();
    for (const hidden of ["\u202e", "\u202c", "\u0007", "\u001b"]) expect(text).not.toContain(hidden);
    expect(errors).toEqual([]);
  });

  it("says that there are no agents, no tmux, or no answer yet", async () => {
    const { daemon, popover, page } = await start([]);
    await page.getByText("No agents").waitFor();
    daemon.setTargets([
      makeTarget({
        servers: [
          { tmux_server: "default", status: "no_server", mode: "none", problem: null, pane_count: 0 },
        ],
      }),
    ]);
    await page.getByText("No tmux server is running").waitFor();
    daemon.setTargets([
      makeTarget({ target: "box", kind: "ssh", health: "down", health_reason: "timed out" }),
    ]);
    await page.getByText("box is unreachable: timed out").waitFor();
    expect(await popover.paneRows.count()).toBe(0);
  });

  it("keeps the rows when the connection breaks, says so, and comes back by itself", async () => {
    const { daemon, popover, page } = await startMixed();
    daemon.goDown();
    await page.getByText("Disconnected.").waitFor();
    expect(await popover.paneRows.count()).toBeGreaterThan(5);
    daemon.resume();
    await page.getByText("Disconnected.").waitFor({ state: "detached" });
    daemon.put(makePane({ pane: 99, session: "web", windowName: "after", state: "running" }));
    await popover.row("after").waitFor();
  });

  it("starts without a daemon and shows the list once it answers", async () => {
    const { daemon, popover, page } = await start(mixedScene(Date.now()), {
      daemonOptions: { startsDown: true },
    });
    await page.getByText("Nothing to show yet").waitFor();
    daemon.resume();
    await popover.row("refunds").waitFor();
  });
});

it("says so when a row cannot be drawn, and shows the list again when that has passed", async () => {
  const { daemon, popover, page } = await startMixed();
  const good = makePane({ pane: 98, session: "web", windowName: "odd", state: "running" });
  // A row as another version, with a different form of rows, would send it.
  daemon.put({ ...good, window_name: undefined as unknown as string });
  await popover.alert.getByText("Can't show this").waitFor();
  daemon.put(good);
  await page.getByRole("button", { name: "Show it again" }).click();
  await popover.row("odd").waitFor();
});

describe("a thousand panes", () => {
  it("keeps the document small, scrolls to the end and walks there by keyboard", async () => {
    const started = await start(thousandScene(Date.now()));
    const { popover, daemon } = started;
    await popover.paneRows.first().waitFor();
    const count = async () => popover.items.count();
    expect(await count()).toBeLessThan(50);
    await popover.scrollTo(1e9);
    await popover.row("task-1000").waitFor();
    expect(await count()).toBeLessThan(50);
    await popover.scrollTo(0);
    await popover.row("task-108").or(popover.row("task-8")).first().waitFor();
    for (let step = 0; step < 60; step += 1) await popover.press("ArrowDown");
    await vi.waitFor(async () => expect(await popover.focusedName()).toContain("task-"), WAIT);
    expect(await count()).toBeLessThan(50);
    // A storm of changes is folded into few renderings, and the last change stays visible.
    for (let round = 0; round < 20; round += 1)
      for (let pane = 1; pane <= 100; pane += 1)
        daemon.put(
          makePane({
            pane: 2_000 + pane,
            session: "storm",
            windowName: `storm-${pane}-${round}`,
            state: "running",
          }),
        );
    await popover.press("/");
    await started.page.keyboard.type("storm-100-19");
    await popover.row("storm-100-19").waitFor();
    expect(await popover.paneRows.count()).toBe(1);
  });
});

describe("nobody looks", () => {
  it("neither ticks nor renders while hidden, and is up to date when shown", async () => {
    const { daemon, page, popover } = await startMixed();
    const looks = await page.evaluateHandle(() => {
      const state = { visibility: "hidden", mutations: 0 };
      Object.defineProperty(document, "visibilityState", { get: () => state.visibility });
      document.dispatchEvent(new Event("visibilitychange"));
      new MutationObserver((records) => (state.mutations += records.length)).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
      return state;
    });
    daemon.put(makePane({ pane: 50, session: "web", windowName: "unseen", state: "running" }));
    // Two seconds of the page's own time: long enough for a tick of the ages, had there been one.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2_100)));
    expect(await looks.evaluate((state) => state.mutations)).toBe(0);
    await looks.evaluate((state) => {
      state.visibility = "visible";
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await popover.row("unseen").waitFor();
  });
});

// The popover on a scripted daemon, through the real browser bridge in a real Chromium.
import type { Browser } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { FakeDaemon, type FakeDaemonOptions } from "../test/fakes/fakeDaemon.ts";
import { makePane, makeTarget } from "../test/factories/view.ts";
import type { PaneView } from "../core/model/view.ts";
import {
  launchBrowserPopover,
  type BrowserPopover,
  type BrowserPopoverOptions,
} from "./launchers/browser.ts";
import { launchChromium } from "./launchers/chromium.ts";
import {
  hostileScene,
  mixedScene,
  mixedTargets,
  refundsExplanation,
  spreadScene,
  spreadTargets,
  thousandScene,
} from "./scenes/scenes.ts";

const WAIT = { timeout: 15_000, interval: 25 };

let browser: Browser;
const open: BrowserPopover[] = [];

beforeAll(async () => {
  browser = await launchChromium();
  console.log(`launcher: browser (${browser.version()})`);
});
afterAll(() => browser?.close());
afterEach(async () => {
  for (const launched of open.splice(0)) await launched.close();
});

type Setup = { daemonOptions?: FakeDaemonOptions } & Omit<BrowserPopoverOptions, "browser" | "daemon">;

const start = async (panes: readonly PaneView[], setup: Setup = {}) => {
  const { daemonOptions, ...options } = setup;
  const daemon = new FakeDaemon(panes, daemonOptions ?? {});
  const launched = await launchBrowserPopover({ browser, daemon, ...options });
  open.push(launched);
  return { daemon, ...launched };
};

const startMixed = async (setup: Setup = {}) => {
  const now = Date.now();
  const panes = mixedScene(now);
  const started = await start(panes, setup);
  started.daemon.setTargets(mixedTargets());
  const [refunds] = panes;
  if (refunds === undefined) throw new Error("the scene is empty");
  started.daemon.explanations.set(refunds.identity.pane_ref, refundsExplanation(now, refunds));
  await started.popover.row("refunds").waitFor();
  return { ...started, refunds };
};

const isFocused = (started: { popover: BrowserPopover["popover"] }, name: string) =>
  vi.waitFor(async () => expect(await started.popover.focusedName()).toContain(name), WAIT);

describe("what is shown", () => {
  it("puts those that wait on top, longest wait first, and the rest into groups with roll-ups", async () => {
    const { popover, errors } = await startMixed();
    expect((await popover.paneNames()).slice(0, 4).map((name) => name.split(",")[0])).toEqual([
      "alerts",
      "refunds",
      "terraform",
      "ledger",
    ]);
    expect(await popover.row("refunds").textContent()).toContain("Bash: npm run migrate -- --env staging");
    expect(await popover.group("payments on host").getAttribute("aria-label")).toBe(
      "payments on host, 1 needs approval, 1 needs answer, 1 running, 1 done",
    );
    await popover.group("infra on build-box, slow or failing").waitFor();
    expect(await popover.chips.allTextContents()).toEqual([
      "1error",
      "2needs approval",
      "1needs answer",
      "3running",
      "1done",
      "1idle",
      "1unknown",
    ]);
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

  it("says why in the expanded row: rule, matched text, losers, timeline and the whole request", async () => {
    const { popover } = await startMixed();
    await popover.row("refunds").click();
    await popover.detail.getByText("An open permission request outranks").waitFor();
    const text = (await popover.detail.textContent()) ?? "";
    for (const part of [
      "decided",
      "Do you want to proceed?",
      "outweighed",
      "too old",
      "32m",
      "Yes, and don't ask again",
    ])
      expect(text).toContain(part);
  });

  it("shows hostile text as text", async () => {
    const { page, popover, errors } = await start(hostileScene(Date.now()));
    await popover.row("override").click();
    await popover.detail.getByText("⟨U+202E⟩").first().waitFor();
    expect(await page.title()).toBe("agtmux");
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
    await page.getByText("Not connected.").waitFor();
    expect(await popover.paneRows.count()).toBeGreaterThan(5);
    daemon.resume();
    await page.getByText("Not connected.").waitFor({ state: "detached" });
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
  // As from another version, whose rows look different.
  daemon.put({ ...good, title: undefined as unknown as string });
  await popover.alert.getByText("This cannot be shown").waitFor();
  daemon.put(good);
  await page.getByRole("button", { name: "Show it again" }).click();
  await popover.row("odd").waitFor();
});

describe("filtering", () => {
  it("filters by chips and text, and Escape clears", async () => {
    const { popover, page } = await startMixed();
    await popover.chip("running").click();
    await popover.row("refunds").waitFor({ state: "detached" });
    expect(await popover.paneRows.count()).toBe(3);
    await popover.press("/");
    await page.keyboard.type("codex store");
    await vi.waitFor(async () => expect(await popover.paneRows.count()).toBe(1), WAIT);
    await page.keyboard.type(" nothing");
    await page.getByText("Nothing matches").waitFor();
    await popover.press("Escape");
    await popover.row("refunds").waitFor();
    expect(await popover.filter.inputValue()).toBe("");
  });

  it("remembers collapsed groups over a reload", async () => {
    const { popover, page } = await startMixed();
    await popover.group("web on host").click();
    await popover.row("storefront").waitFor({ state: "detached" });
    await page.reload();
    await popover.group("web on host").waitFor();
    expect(await popover.group("web on host").getAttribute("aria-expanded")).toBe("false");
    expect(await popover.row("storefront").count()).toBe(0);
  });
});

describe("keyboard and actions", () => {
  it("moves with j, k and arrows, expands with Space and →, collapses with ←", async () => {
    const started = await startMixed();
    const { popover } = started;
    await popover.press("j");
    await isFocused(started, "alerts");
    await popover.press("j", "ArrowDown", "k");
    await isFocused(started, "refunds");
    await popover.press("Space");
    await popover.detail.waitFor();
    await isFocused(started, "refunds");
    await popover.press("Space");
    await popover.detail.waitFor({ state: "detached" });
    await isFocused(started, "refunds");
    await popover.press("ArrowRight");
    await popover.detail.waitFor();
    await popover.press("ArrowLeft");
    await popover.detail.waitFor({ state: "detached" });
    await popover.press("ArrowRight", "Escape");
    await popover.detail.waitFor({ state: "detached" });
  });

  it("attaches the selected pane with Enter, guarded by the agent that was shown", async () => {
    const started = await startMixed();
    await started.popover.press("j", "j", "Enter");
    await vi.waitFor(
      () =>
        expect(started.daemon.asked).toMatchObject([
          {
            action: "openAttach",
            input: {
              ref: started.refunds.identity.pane_ref,
              surface: "popover",
              guards: { ifRuntime: started.refunds.identity.runtime_id },
            },
          },
        ]),
      WAIT,
    );
  });

  it("shows the command where no terminal can be opened", async () => {
    const { popover, context } = await startMixed({ daemonOptions: { canOpenTerminal: false } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await popover.attachButton("refunds").click();
    await popover.dialog.waitFor();
    expect(await popover.dialog.getByLabel("Command").textContent()).toBe(
      "tmux attach-session -t '=payments' ';' select-pane -t @2.%11",
    );
    await popover.dialog.getByRole("button", { name: "Copy" }).click();
    await popover.dialog.getByRole("button", { name: "Copied" }).waitFor();
    await popover.press("Escape");
    await popover.dialog.waitFor({ state: "detached" });
  });

  it("says why an action failed and what to do", async () => {
    const { daemon, popover, refunds } = await startMixed();
    daemon.refuseActions("E_STALE_SNAPSHOT", `the agent in ${refunds.identity.pane_id} changed`);
    await popover.attachButton("refunds").click();
    await popover.alert.waitFor();
    expect(await popover.alert.textContent()).toContain("The agent in %11 changed. Look again");
  });

  it("dismisses an error", async () => {
    const { daemon, popover } = await startMixed();
    await popover.row("alerts").click();
    await popover.detail.getByRole("button", { name: "Dismiss" }).click();
    await vi.waitFor(() => expect(daemon.asked).toMatchObject([{ action: "dismiss" }]), WAIT);
  });
});

describe("a thousand panes", () => {
  it("keeps the document small, scrolls to the end and walks there by keyboard", async () => {
    const started = await start(thousandScene(Date.now()));
    const { popover, daemon } = started;
    await popover.group("team-1 on host").waitFor();
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
    // A storm of changes is folded into few renderings and the last one is what stays.
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

describe("sessions and targets", () => {
  const startSpread = async () => {
    const now = Date.now();
    const started = await start(spreadScene(now));
    started.daemon.setTargets(spreadTargets(now));
    await started.popover.row("refunds").waitFor();
    return started;
  };

  it("lists sessions, merges them by name when asked to, and remembers that", async () => {
    const { popover, page } = await startSpread();
    await popover.press("s");
    await popover.sessions.first().waitFor();
    const names = () =>
      popover.sessions.evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));
    expect(await names()).toEqual([
      "infra on build-box (slow or failing), 3 windows, 3 agents, 1 error, 1 needs approval, 1 running",
      "payments on host, 4 windows, 4 agents, 1 needs approval, 1 needs answer, 1 running, 1 done",
      "web on build-box (slow or failing), 1 window, 1 agent, 1 running",
      "web on host, 3 windows, 3 agents, 1 running, 1 idle, 1 unknown",
      "web on lab (unreachable), 1 window, 1 agent, 1 unknown",
    ]);
    await page.getByRole("checkbox", { name: "One row per name" }).check();
    await vi.waitFor(async () => expect(await popover.sessions.count()).toBe(3), WAIT);
    expect((await names())[2]).toBe(
      "web on build-box 1 (slow or failing), host 3, lab 1 (unreachable), 5 windows, 5 agents, 2 running, 1 idle, 2 unknown",
    );
    await page.reload();
    await popover.tab("Sessions").click();
    await vi.waitFor(async () => expect(await popover.sessions.count()).toBe(3), WAIT);
  });

  it("opens the windows of a session and comes back to it, by keyboard", async () => {
    const started = await startSpread();
    const { popover, page, daemon } = started;
    await popover.press("s");
    await isFocused(started, "infra");
    await popover.press("j", "Enter");
    await page.getByRole("heading", { name: "2 refunds" }).waitFor();
    expect((await popover.paneNames()).map((name) => name.split(",")[0])).toEqual([
      "api",
      "refunds",
      "ledger",
      "docs",
    ]);
    await isFocused(started, "api");
    await popover.press("j", "Enter");
    await vi.waitFor(() => expect(daemon.asked).toMatchObject([{ action: "openAttach" }]), WAIT);
    await popover.press("Escape");
    await isFocused(started, "payments");
    await popover.press("Escape");
    await popover.group("payments on host").waitFor();
  });

  it("says of every target how it is, why, since when, and what to do", async () => {
    const { popover, page } = await startSpread();
    await popover.press("t");
    await popover.targets.first().waitFor();
    const [lab, box] = await popover.targets.allTextContents();
    for (const part of [
      "lab",
      "unreachable",
      "Operation timed out",
      "'ssh lab' in a terminal",
      "Last seen 6m ago",
      "Next attempt in",
    ])
      expect(lab).toContain(part);
    expect(box).toContain("answers take 3.1 s");
    await popover.press("/");
    await page.keyboard.type("build");
    await vi.waitFor(async () => expect(await popover.targets.count()).toBe(1), WAIT);
  });

  it("leads from many problems to the targets", async () => {
    const { popover, page, daemon } = await startSpread();
    daemon.setTargets([
      ...spreadTargets(Date.now()),
      makeTarget({ target: "third", kind: "ssh", health: "down", health_reason: "no route" }),
    ]);
    await page.getByRole("button", { name: "1 more" }).click();
    await popover.targets.getByText("no route").waitFor();
  });

  it("is found as it was left by whoever comes back from the settings: filter, selection, reply and draft", async () => {
    const { popover, page } = await startMixed();
    await popover.press("/");
    await page.keyboard.type("docs");
    await popover.row("refunds").waitFor({ state: "detached" });
    await popover.row("docs").focus();
    await popover.press("r");
    await popover.replyBox.waitFor();
    await page.keyboard.type("not yet");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    // What is behind the settings hears no keys and is not there for a screen reader.
    await popover.press("x", "t");
    expect(await page.getByRole("searchbox").count()).toBe(0);
    await popover.press("Escape");
    await popover.row("docs").waitFor();
    expect(await popover.filter.inputValue()).toBe("docs");
    expect(await popover.row("refunds").count()).toBe(0);
    expect(await popover.replyBox.inputValue()).toBe("not yet");
    await page.keyboard.type("!");
    expect(await popover.replyBox.inputValue()).toBe("not yet!");
    await popover.press("Escape", "Escape");
    await isFocused({ popover }, "docs");
    await popover.press(",");
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await popover.press("Escape");
    await isFocused({ popover }, "docs");
  });

  it("stays scrolled as it was while the settings are shown, and the feed goes on", async () => {
    const { daemon, popover, page } = await start(thousandScene(Date.now()));
    await popover.group("team-1 on host").waitFor();
    await popover.press("j");
    await popover.scrollTo(9_000);
    await popover.row("task-").waitFor();
    const offset = () => popover.list.evaluate((list) => list.parentElement?.scrollTop);
    await vi.waitFor(async () => expect(await offset()).toBe(9_000), WAIT);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    daemon.put(makePane({ pane: 5_000, session: "zz", windowName: "newcomer", state: "idle" }));
    await popover.press("Escape");
    await popover.list.waitFor();
    expect(await offset()).toBe(9_000);
    await popover.press("/");
    await page.keyboard.type("newcomer");
    await popover.row("newcomer").waitFor();
  });

  it("lists the keys", async () => {
    const { popover } = await startMixed();
    await popover.press("?");
    await popover.dialog.getByText("Approve this once, deny").waitFor();
    await popover.press("Escape");
    await popover.dialog.waitFor({ state: "detached" });
  });
});

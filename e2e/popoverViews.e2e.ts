// The popover's other views, and coming back from them: sessions, targets, and the settings.
import { describe, expect, it, vi } from "vitest";
import { makePane, makeTarget } from "../test/factories/view.ts";
import { isFocused, usePopovers, WAIT } from "./launchers/popovers.ts";
import { spreadScene, spreadTargets, thousandScene } from "./scenes/scenes.ts";

const { start, startMixed } = usePopovers();

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
    await page.getByRole("checkbox", { name: "Merge same-named sessions" }).check();
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
    await popover.press("m");
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
});

describe("the settings", () => {
  it("are come back from to the list as it was left: filter, selection, reply and draft", async () => {
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
    // The list behind the settings gets no keys and is hidden from screen readers.
    await popover.press("x", "m");
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

  it("leave the list scrolled as it was, and the feed goes on", async () => {
    const { daemon, popover, page } = await start(thousandScene(Date.now()));
    await popover.paneRows.first().waitFor();
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
});

// The app around the popover, on the stand-in: its own settings, shortcut, menu, crashes, displays, sleep, and what the page
// may not do.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PaneList } from "../../core/model/view.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { PopoverPage } from "../pages/popover.ts";
import type { StandIn } from "../launchers/standIn.ts";
import { askApp, askDesktop, followDesktop, installRecorder, takeDesktop } from "./desktopHarness.ts";

describe("the app around the popover", () => {
  const desk = takeDesktop(beforeAll, afterAll);
  let app: StandIn;
  beforeAll(async () => {
    app = await desk.scene.launch();
  });

  it("goes where its menu says, and closes when the page asks", async () => {
    const events = await followDesktop(app.page);
    expect(app.menu.entries.flatMap(({ label }) => (label === "" ? [] : [label]))).toEqual([
      "Open agtmux",
      "Settings…",
      "Integrations…",
      "Quit agtmux",
    ]);
    app.menu.click("settings");
    await app.until(() => app.isVisible(), "the popover opens");
    await expect.poll(() => events, { timeout: 15_000 }).toContainEqual({ kind: "go", view: "settings" });
    await askDesktop(app.page, "mutation", "hide");
    await app.until(() => !app.isVisible(), "the popover closes");
    await askDesktop(app.page, "mutation", "openLogs");
    const logs = dirname(runtimePaths(desk.scene.home).log);
    expect(app.opened).toEqual([logs]);
    const page = "https://github.com/acme/shop/pull/12";
    await askDesktop(app.page, "mutation", "openPage", { page });
    for (const other of ["javascript:alert(1)", "file:///etc/passwd", "https://evil.example/", `${page}?x`])
      await askDesktop(app.page, "mutation", "openPage", { page: other });
    expect(app.opened).toEqual([logs, page]);
  });

  it("proves with a test whether notifications are shown", async () => {
    expect(await askDesktop(app.page, "mutation", "testNotification")).toEqual({ problem: null });
    expect(app.notifications.list().map(({ title }) => title)).toEqual(["agtmux can show notifications"]);
    app.notifications.setProblem("Notifications are not allowed for this application");
    const problem = expect.stringContaining("not allowed for this application");
    expect(await askDesktop(app.page, "mutation", "testNotification")).toEqual({ problem });
    expect(await askDesktop(app.page, "query", "state")).toMatchObject({ notifications: { problem } });
    app.notifications.setProblem(null);
    await askDesktop(app.page, "mutation", "testNotification");
    expect(await askDesktop(app.page, "query", "state")).toMatchObject({ notifications: { problem: null } });
  });

  it("follows displays while it is open, and looks at everything after a sleep", async () => {
    app.tray.click();
    await app.until(() => app.isVisible(), "the popover opens");
    const before = app.placements();
    app.moveTray(300);
    await app.until(() => app.placements() > before, "it is put in its place");
    app.tray.click();
    await app.until(() => !app.isVisible(), "the popover closes");
    app.power("suspend");
    app.power("resume");
    app.power("unlock-screen");
    const log = () => readFileSync(runtimePaths(desk.scene.home).log, "utf8");
    await expect.poll(log, { timeout: 15_000 }).toContain("the machine woke up");
    expect(log()).not.toContain("after waking up failed");
  });

  it("lets its page have nothing but the copying of text", async () => {
    const asked = ["media", "geolocation", "notifications", "openExternal", "clipboard-read", "fullscreen"];
    for (const permission of asked)
      for (const what of ["permission", "check"] as const)
        expect([permission, what, await app.may(what, permission)]).toEqual([permission, what, false]);
    expect(await app.may("permission", "clipboard-sanitized-write")).toBe(true);
    expect(await app.may("device")).toBe(false);
    expect(await app.may("window", "https://example.test/")).toBe(false);
  });

  it("says which terminals there are, and attaches in the chosen one", async () => {
    const log = join(desk.scene.folder, "own.log");
    installRecorder(join(desk.scene.folder, "bin", "my-term"), log);
    expect(await askDesktop(app.page, "query", "state")).toMatchObject({
      terminal: { choice: { kind: "auto" }, inUse: "The desktop's terminal", problem: null },
      launchAtLogin: { isSupported: false },
      notifications: { problem: null },
    });
    const argv = [join(desk.scene.folder, "bin", "my-term"), "--in", "{}"];
    expect(await askDesktop(app.page, "mutation", "setTerminal", { kind: "command", argv })).toMatchObject({
      terminal: { choice: { kind: "command", argv } },
    });
    const panes = (await askApp(app.page, "query", "panes", { all: true })) as PaneList;
    const ref = panes.items[0]?.identity.pane_ref;
    const opened = await askApp(app.page, "mutation", "openAttach", { ref, surface: "popover" });
    expect(opened).toMatchObject({ mode: "attach" });
    await expect.poll(() => existsSync(log), { timeout: 15_000 }).toBe(true);
    const words = readFileSync(log, "utf8").trimEnd().split("\n");
    expect([words[0], words.includes("attach-session")]).toEqual(["--in", true]);
    expect(
      await askDesktop(app.page, "mutation", "setTerminal", { kind: "known", id: "iterm2" }),
    ).toMatchObject({
      data: { agtmuxCode: "E_UNSUPPORTED" },
    });
  });
});

describe("an app of one's own", () => {
  const desk = takeDesktop();

  it("opens by a shortcut that the person chooses, and tells the page whether it is seen", async () => {
    const dataDir = join(desk.scene.folder, "data");
    const app = await desk.scene.launch({ dataDir });
    expect(app.shortcuts.list()).toEqual(["Control+Alt+A"]);
    const events = await followDesktop(app.page);
    app.shortcuts.press("Control+Alt+A");
    await app.until(() => app.isVisible(), "the popover opens");
    app.shortcuts.press("Control+Alt+A");
    await app.until(() => !app.isVisible(), "the popover closes");
    await expect
      .poll(() => events, { timeout: 15_000 })
      .toEqual([false, true, false].map((isVisible) => ({ kind: "visibility", isVisible })));

    app.shortcuts.take("Control+Alt+T");
    const refused = await askDesktop(app.page, "mutation", "setShortcut", { accelerator: "Control+Alt+T" });
    expect(refused).toMatchObject({
      shortcut: { accelerator: "Control+Alt+A", problem: expect.stringContaining("another program") },
    });
    await askDesktop(app.page, "mutation", "setShortcut", { accelerator: "Control+Alt+B" });
    expect(app.shortcuts.list()).toEqual(["Control+Alt+B"]);
    expect(await askDesktop(app.page, "mutation", "setShortcut", { accelerator: "rm -rf" })).toMatchObject({
      data: { agtmuxCode: "E_USAGE" },
    });
    expect(await app.quit()).toBe(0);
    await app.close();
    const again = await desk.scene.launch({ dataDir });
    expect(again.shortcuts.list()).toEqual(["Control+Alt+B"]);
  });

  it("gives the focus back on macOS to whoever had it, unless somebody else has it by then", async () => {
    // With an agent there is a list, which Escape closes.
    const agent = await desk.scene.playBox("base:");
    await desk.scene.tmux.run("rename-window", "-t", agent.paneId, "resting");
    const app = await desk.scene.launch({ platform: "darwin" });
    const open = async () => {
      app.tray.click();
      await app.until(() => app.isVisible(), "the popover opens");
    };
    const closes = async (what: string, times: number) => {
      await app.until(() => !app.isVisible(), `the popover closes by ${what}`);
      // Every message of the app arrives before its answer.
      await app.may("check", "media");
      expect([what, app.focusReturns()]).toEqual([what, times]);
    };
    await open();
    await new PopoverPage(app.page).row("resting").waitFor();
    await app.page.keyboard.press("Escape");
    await closes("Escape", 1);
    await open();
    app.tray.click();
    await closes("a second click", 2);
    const [shortcut = ""] = app.shortcuts.list();
    app.shortcuts.press(shortcut);
    await app.until(() => app.isVisible(), "the popover opens");
    app.shortcuts.press(shortcut);
    await closes("the shortcut", 3);
    await open();
    app.blur();
    await closes("another program", 3);
    await open();
    const { items } = (await askApp(app.page, "query", "panes", { all: true })) as PaneList;
    const ref = items[0]?.identity.pane_ref;
    const argv = [join(desk.scene.folder, "bin", "xdg-terminal-exec"), "{}"];
    await askDesktop(app.page, "mutation", "setTerminal", { kind: "command", argv });
    await askApp(app.page, "mutation", "openAttach", { ref, surface: "popover" });
    await expect.poll(() => desk.scene.terminal(), { timeout: 15_000 }).toContain("attach-session");
    await app.page.keyboard.press("Escape");
    await closes("Escape after an attach", 3);
  });

  it("loads a crashed page again once, says so when it crashes again, and comes back when asked", async () => {
    const app = await desk.scene.launch();
    await app.page.evaluate(() => Reflect.set(window, "isOld", true));
    app.crash("crashed");
    await app.page.waitForFunction(() => !("isOld" in window));
    expect(await askDesktop(app.page, "query", "state")).toMatchObject({ platform: process.platform });
    app.crash("oom");
    await app.until(() => app.notifications.list().length === 1, "it is said");
    const [notice] = app.notifications.list();
    expect(notice?.title).toContain("crashed twice");
    app.notifications.click(notice?.id ?? "");
    await app.until(() => app.isVisible(), "a new popover opens");
  });
});

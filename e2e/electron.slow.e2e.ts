// The app on real Electron, where a binary is at hand (on macOS each pull request): what the stand-in cannot prove. Each test stands for
// itself, begins with its own app, and keeps pictures, logs and what the app asked of the system in test-results/electron.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findElectron, launchElectron, type RealElectron, type SeenNotice } from "./launchers/electron.ts";
import { PopoverPage } from "./pages/popover.ts";
import { askDesktop, DONE, openAgentScene, permission, type AgentScene } from "./standIn/desktopHarness.ts";

const LIMIT = { timeout: 20_000 };
const IS_MAC = process.platform === "darwin";
const APPROVE = 0;
const electron = findElectron();
// Where these tests are what is asked for, none of them may be left out in silence.
if (electron === null && process.env["AGTMUX_NEEDS_ELECTRON"] === "1")
  throw new Error("there is no Electron binary: run 'node node_modules/electron/install.js'");

let scene: AgentScene;
let app: RealElectron | null = null;

beforeEach(async () => {
  scene = await openAgentScene();
});
afterEach(async ({ task }) => {
  await app?.keep(task.result?.state === "pass" ? "end" : "failed");
  await app?.close();
  app = null;
  await scene.close();
});

const launch = async (name: string): Promise<RealElectron> => {
  if (electron === null) throw new Error("there is no Electron binary");
  const { home, env, folder } = scene;
  app = await launchElectron({ executablePath: electron, home, env, dataDir: join(folder, "data"), name });
  app.page.setDefaultTimeout(LIMIT.timeout);
  return app;
};

/** The popover, opened by a click on the icon. An agent has to wait, else the icon has nothing to show. */
const openPopover = async (real: RealElectron): Promise<PopoverPage> => {
  await expect.poll(async () => (await real.seen()).trayTitle, LIMIT).toBe("1");
  await real.clickTray();
  await expect.poll(async () => (await real.places()).isVisible, LIMIT).toBe(true);
  return new PopoverPage(real.page);
};
const noticeWith = async (real: RealElectron, text: string): Promise<SeenNotice> => {
  const find = async () => (await real.seen()).notices.find(({ body }) => body.includes(text));
  await expect.poll(find, LIMIT).toBeDefined();
  const found = await find();
  if (found === undefined) throw new Error("it went again");
  return found;
};

describe.skipIf(electron === null)("the app on real Electron", () => {
  it("tray: a click on the icon opens its window there, with what waits, and its page is isolated", async () => {
    const real = await launch("tray");
    await scene.playDialogs("base:", [permission()], DONE);
    const popover = await openPopover(real);
    // The first frame of a popover that was never shown, with the states of now.
    await popover.card("Claude Code").getByText("touch approved.txt").first().waitFor();
    await real.keep("open");
    const { window, workArea, tray, isInDock } = await real.places();
    expect({
      isInside:
        window.x >= workArea.x &&
        window.y >= workArea.y &&
        window.x + window.width <= workArea.x + workArea.width,
      isAtIcon: !IS_MAC || (window.x <= tray.x + tray.width && tray.x <= window.x + window.width),
      isBelow: !IS_MAC || window.y >= tray.y,
      isInDock,
    }).toEqual({ isInside: true, isAtIcon: true, isBelow: true, isInDock: IS_MAC ? false : null });
    expect(
      await real.page.evaluate(() => ({
        node: [typeof Reflect.get(window, "require"), typeof Reflect.get(window, "process")],
        scheme: location.protocol,
        port: typeof Reflect.get(window, "agtmux"),
      })),
    ).toEqual({ node: ["undefined", "undefined"], scheme: "agtmux:", port: "object" });
    await real.clickTray();
    await expect.poll(async () => (await real.places()).isVisible, LIMIT).toBe(false);
  });

  it("notification: it is said what for, then the system is asked, and a button answers what was shown", async () => {
    const real = await launch("notification");
    const agent = await scene.playDialogs("base:", [permission()], DONE);
    const notice = await noticeWith(real, "touch approved.txt");
    if (IS_MAC) {
      expect((await real.seen()).messages).toEqual([
        expect.stringContaining("macOS asks next whether it may show notifications"),
      ]);
      expect(notice.buttons).toEqual(["Approve", "Deny", "Open"]);
    }
    // Whether it may, nobody can click here: then the system says why not, and so does the app.
    const answer = await askDesktop(real.page, "mutation", "testNotification");
    const { outcome } = await noticeWith(real, "This is how an agent that waits for you comes up.");
    await real.keep("asked");
    if (outcome === "shown") expect(answer).toEqual({ problem: null });
    else expect(answer).toEqual({ problem: expect.stringContaining(outcome.replace(/^failed: /, "")) });
    await real.press("touch approved.txt", APPROVE);
    await expect.poll(() => agent.chosen(), LIMIT).toEqual([["waiting_approval", "Yes"]]);
  });

  it("attach: the chosen terminal is asked to run the pane, by scripts that macOS understands", async () => {
    const real = await launch("attach");
    const agent = await scene.playDialogs("base:", [permission()], DONE);
    const choice = IS_MAC
      ? { kind: "known", id: "apple-terminal" }
      : { kind: "command", argv: [join(scene.folder, "bin", "xdg-terminal-exec"), "{}"] };
    await askDesktop(real.page, "mutation", "setTerminal", choice);
    const popover = await openPopover(real);
    await popover.paneRows.first().focus();
    await popover.press("Enter");
    if (!IS_MAC) {
      await expect.poll(() => scene.terminal(), LIMIT).toContain("attach-session");
      expect(scene.terminal()?.join(" ")).toContain(agent.paneId);
      return;
    }
    const opens = async () =>
      (await real.seen()).scripts.find((words) => words.includes("attach-session")) ?? [];
    await expect.poll(opens, LIMIT).not.toEqual([]);
    const words = await opens();
    expect(words.slice(0, 2)).toEqual(["/usr/bin/osascript", "-e"]);
    expect(words.join(" ")).toContain(agent.paneId);
    const scripts = new Set((await real.seen()).scripts.map(([, , script = ""]) => script));
    for (const [index, script] of [...scripts].entries())
      execFileSync("/usr/bin/osacompile", ["-o", join(scene.folder, `script-${index}.scpt`), "-e", script]);
  });

  it("reply: a text goes from the popover to an agent that rests, character by character", async () => {
    const real = await launch("reply");
    const resting = await scene.playBox("base:");
    await scene.tmux.run("rename-window", "-t", resting.paneId, "resting");
    await scene.playDialogs("base:", [permission()], DONE);
    const popover = await openPopover(real);
    await popover.row("resting").click();
    await popover.press("r");
    await popover.replyBox.waitFor();
    await real.page.keyboard.type("go on, 'please'; $(x)");
    await real.keep("typed");
    await popover.press("Enter");
    await popover.status.getByText("Delivered.").waitFor();
    expect(resting.received()).toEqual(["go on, 'please'; $(x)"]);
  });

  it.runIf(IS_MAC)("focus: the program that had the keyboard has it again after Escape", async () => {
    const ask = (...args: string[]): string =>
      execFileSync("/usr/bin/lsappinfo", args, { encoding: "utf8" }).trim();
    const front = (): string => ask("info", "-only", "name", ask("front"));
    const real = await launch("focus");
    await scene.playDialogs("base:", [permission()], DONE);
    execFileSync("/usr/bin/open", ["-a", "TextEdit"]);
    await expect.poll(front, LIMIT).toContain("TextEdit");
    const popover = await openPopover(real);
    await expect.poll(async () => (await real.places()).isFocused, LIMIT).toBe(true);
    await real.keep("open");
    await popover.press("Escape");
    await expect.poll(async () => (await real.places()).isVisible, LIMIT).toBe(false);
    expect((await real.seen()).hides).toBe(1);
    await expect.poll(front, LIMIT).toContain("TextEdit");
  });
});

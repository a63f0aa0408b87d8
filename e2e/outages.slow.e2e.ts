// What a person who has the popover open sees of an outage, and that it ends by itself: the daemon goes and comes back, and
// a machine goes and comes back. Real tmux, real daemons, a real sshd, played agents.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { spawnDaemon } from "../test/harness/daemonProcess.ts";
import { createPrivateTmux } from "../test/harness/privateTmux.ts";
import { createPlayer } from "../test/player/player.ts";
import { openTargetHarness } from "../test/ssh/targetHarness.ts";
import { launchBrowserPopover } from "./launchers/browser.ts";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { launchStandIn } from "./launchers/standIn.ts";
import { PopoverPage } from "./pages/popover.ts";

const RECORDINGS = fileURLToPath(new URL("../test/fixtures/recordings/claude", import.meta.url));
const SHOTS = fileURLToPath(new URL("../test-results/screenshots", import.meta.url));
const WAIT = { timeout: 30_000, interval: 50 };

let browser: Browser;
const closers: (() => Promise<unknown>)[] = [];
takeChromium((given) => (browser = given));
beforeAll(async () => {
  mkdirSync(SHOTS, { recursive: true });
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const shoot = async (page: Page, name: string): Promise<void> => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SHOTS, `outage-${name}-${colorScheme}.png`) });
  }
};

/** Two played agents in a tmux of the test's own; the first waits for an approval. */
const openAgents = async () => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-out-"));
  closers.push(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const home = join(folder, "a");
  mkdirSync(home, { mode: 0o700 });
  const tmux = createPrivateTmux();
  closers.push(() => tmux.close());
  const play = async (session: string) => {
    const player = await createPlayer({
      tmux: { socketArgs: tmux.socketArgs, session },
      home: folder,
      recordingsDir: RECORDINGS,
    });
    closers.push(() => player.close());
    await tmux.run("rename-window", "-t", player.paneId, session);
    return player;
  };
  const asking = await play("asking");
  await asking.frame("waiting_approval");
  const working = await play("working");
  await working.frame("running");
  return { home, env: { HOME: folder, AGTMUX_TMUX_SOCKETS: tmux.socketPath }, asking, working };
};

/** The person reads what an agent asks and has begun to filter. */
const settleDown = async (popover: PopoverPage): Promise<void> => {
  popover.page.setDefaultTimeout(WAIT.timeout);
  await popover.row("working").waitFor();
  await popover.press("/");
  await popover.page.keyboard.type("asking");
  await popover.row("working").waitFor({ state: "detached" });
  await popover.row("asking").focus();
  await popover.press("Space");
  await popover.action("Approve").waitFor();
};

const staysAsItWas = async (popover: PopoverPage): Promise<void> => {
  expect(await popover.filter.inputValue()).toBe("asking");
  expect(await popover.row("asking").getAttribute("aria-expanded")).toBe("true");
  expect(await popover.row("asking").getAttribute("aria-label")).toContain("needs approval");
  expect(await popover.focusedName()).toContain("asking");
};

describe("the daemon ends while the popover is open", () => {
  it("keeps its last picture as an old one in a browser, and goes on with the next daemon where it was", async () => {
    const scene = await openAgents();
    const first = await spawnDaemon(scene);
    closers.push(() => first.stop("SIGKILL"));
    const launched = await launchBrowserPopover({ browser, daemon: scene });
    closers.push(() => launched.close());
    const { page, popover } = launched;
    await settleDown(popover);

    await first.stop("SIGKILL");
    await page.getByText("Disconnected.").waitFor();
    await page.getByText("What you see may be out of date.").waitFor();
    await popover.missing.getByText("the daemon isn't connected").waitFor();
    expect(await popover.actions.getByRole("button").count()).toBe(0);
    await staysAsItWas(popover);
    await shoot(page, "daemon");
    await scene.asking.frame("running");

    const second = await spawnDaemon(scene);
    closers.push(() => second.stop());
    await page.getByText("Disconnected.").waitFor({ state: "detached" });
    await vi.waitFor(
      async () => expect(await popover.row("asking").getAttribute("aria-label")).toContain("running"),
      WAIT,
    );
    expect(await popover.filter.inputValue()).toBe("asking");
    expect(await popover.row("asking").getAttribute("aria-expanded")).toBe("true");
    expect(await popover.focusedName()).toContain("asking");
    await popover.press("Escape");
    await popover.row("working").waitFor();
  });

  it("goes on with the desktop app's own daemon when the one that it had joined is gone", async () => {
    const scene = await openAgents();
    const daemon = await spawnDaemon(scene);
    closers.push(() => daemon.stop("SIGKILL"));
    const app = await launchStandIn({ home: scene.home, env: scene.env, browser });
    closers.push(() => app.close());
    app.tray.click();
    await app.until(() => app.isVisible(), "the popover opens");
    const popover = new PopoverPage(app.page);
    await settleDown(popover);
    await daemon.stop("SIGKILL");
    await app.until(() => app.tray.state.title === "", "the tray counts nothing that nobody knows");
    await app.until(() => app.tray.state.title === "1", "the app's own daemon counts the wait");
    await app.page.getByText("Disconnected.").waitFor({ state: "detached" });
    await popover.action("Approve").waitFor();
    await staysAsItWas(popover);
    expect(await app.quit()).toBe(0);
  });
});

describe("a machine goes away while the popover is open", () => {
  it("marks its rows and says what is wrong, keeps them, and takes them up again when it is back", async () => {
    const scene = await openTargetHarness("ssh2");
    closers.push(() => scene.close());
    const player = await scene.play("claude");
    await player.frame("waiting_approval");
    await scene.tmux.run("rename-window", "-t", player.paneId, "far");
    const launched = await launchBrowserPopover({ browser, daemon: scene.service });
    closers.push(() => launched.close());
    const { page, popover } = launched;
    page.setDefaultTimeout(WAIT.timeout);
    await popover.row("far").waitFor();
    await popover.row("far").focus();
    await popover.press("Space");
    await popover.action("Approve").waitFor();

    await scene.server.stop();
    await page.getByText(/^vm1 is unreachable/).waitFor();
    await popover.missing.getByText("vm1 is unreachable").waitFor();
    expect(await popover.actions.getByRole("button").count()).toBe(0);
    await shoot(page, "target");
    expect(await popover.paneNames()).toEqual(["far, Claude Code, unknown · target unreachable"]);
    await popover.press("m");
    await popover.targets.filter({ hasText: "vm1" }).getByText("unreachable").waitFor();
    await shoot(page, "target-view");
    await popover.press("Escape");
    await popover.row("far").focus();
    await popover.press("Space");

    await player.frame("running");
    await scene.server.start();
    await vi.waitFor(
      async () => expect(await popover.row("far").getAttribute("aria-label")).toContain("running"),
      WAIT,
    );
    await page.getByText(/^vm1 is unreachable/).waitFor({ state: "detached" });
    await popover.action("Interrupt").waitFor();
  });
});

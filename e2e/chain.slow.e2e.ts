// The first path, end to end: a played Claude in a real pane, its hooks, the daemon, and what a person sees of it in the
// popover, on each launcher that this machine has.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { runtimePaths } from "../core/rpc/paths.ts";
import { connectSocket } from "../core/rpc/socketClient.ts";
import { createPrivateTmux, type PrivateTmux } from "../test/harness/privateTmux.ts";
import { spawnDaemon, type DaemonProcess } from "../test/harness/daemonProcess.ts";
import { createPlayer, type Player } from "../test/player/player.ts";
import { launchBrowserPopover } from "./launchers/browser.ts";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { findElectron, launchElectron } from "./launchers/electron.ts";
import { launchStandIn, type StandIn } from "./launchers/standIn.ts";
import { PopoverPage } from "./pages/popover.ts";

const RECORDINGS = fileURLToPath(new URL("../test/fixtures/recordings/claude", import.meta.url));
const SHOTS = fileURLToPath(new URL("../test-results/screenshots", import.meta.url));
/** Long enough to be seen as done, short enough to be waited for. */
const DEMOTION_MS = 3_000;

let browser: Browser;
let folder: string;
let home: string;
let tmux: PrivateTmux;
let player: Player;
let env: Record<string, string>;

interface Launched {
  page: Page;
  /** Null where the launcher shows no notifications. */
  app: StandIn | null;
  close(): Promise<void>;
}

const launchers: Record<string, () => Promise<Launched>> = {
  "stand-in": async () => {
    const app = await launchStandIn({ home, env, browser });
    await toggle(app, true);
    return { page: app.page, app, close: () => app.close() };
  },
  browser: async () => {
    const daemon: DaemonProcess = await spawnDaemon({ home, env });
    const opened = await launchBrowserPopover({ browser, daemon: { home } });
    return {
      page: opened.page,
      app: null,
      close: async () => {
        await opened.close();
        await daemon.stop();
      },
    };
  },
};

const electron = findElectron();
if (electron !== null)
  launchers["Electron"] = async () => {
    const app = await launchElectron({
      executablePath: electron,
      home,
      dataDir: join(folder, "data"),
      name: "chain",
      env,
    });
    // A popover that nobody sees rests.
    await app.open();
    return { page: app.page, app: null, close: () => app.close() };
  };

takeChromium((given) => (browser = given));
beforeAll(async () => {
  mkdirSync(SHOTS, { recursive: true });
  const skipped = electron === null ? "; real Electron: skipped, there is no binary" : "";
  console.log(`launchers: ${Object.keys(launchers).join(", ")}${skipped}`);
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-e-"));
  home = join(folder, "a");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(
    join(home, "config.json"),
    JSON.stringify({ timing: { completed_demotion_ms: DEMOTION_MS } }),
  );
  tmux = createPrivateTmux();
  env = { HOME: folder, AGTMUX_TMUX_SOCKETS: tmux.socketPath };
  player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs, session: "shop" },
    home: folder,
    recordingsDir: RECORDINGS,
  });
});
afterEach(async () => {
  await player.close();
  await tmux.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const installHooks = async (): Promise<void> => {
  // The app's window may stand before its daemon does.
  const client = await vi.waitFor(
    () =>
      connectSocket({
        paths: runtimePaths(home),
        version: "test",
        checkVersion: true,
        helloTimeoutMs: 5_000,
      }),
    10_000,
  );
  await client.call((api) =>
    api.integrationChange.mutate({ agent: "claude", action: "install", dryRun: false }),
  );
  client.close();
};

const toggle = async (app: StandIn, isOpen: boolean): Promise<void> => {
  app.tray.click();
  await app.until(() => app.isVisible() === isOpen, isOpen ? "the popover opens" : "the popover closes");
};

const shoot = async (page: Page, name: string): Promise<void> => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SHOTS, `chain-${name}-${colorScheme}.png`) });
  }
  await page.emulateMedia({ colorScheme: "light" });
};

describe.each(Object.keys(launchers))("on the %s launcher", (name) => {
  it("a Claude goes idle, running, needs approval, running, done, idle", async () => {
    const launched = await (launchers[name] ?? (() => Promise.reject(new Error(name))))();
    try {
      await installHooks();
      const popover = new PopoverPage(launched.page);
      const shows = (words: string) =>
        expect.poll(() => popover.paneNames(), { timeout: 10_000 }).toEqual([expect.stringContaining(words)]);

      await player.frame("idle_fresh");
      await player.event("SessionStart");
      await shows("idle");
      await player.event("UserPromptSubmit");
      await player.frame("running");
      await shows("running");
      await shoot(launched.page, `${name}-running`);

      // With the popover open, the person sees the wait there and gets no notification.
      if (launched.app !== null) await toggle(launched.app, false);
      await player.sequence([{ recording: "waiting_approval", drop: ["UserPromptSubmit"] }]);
      if (launched.app !== null) {
        const { app } = launched;
        await app.until(() => app.notifications.list().length === 1, "one notification");
        expect(app.notifications.list()[0]).toMatchObject({
          title: expect.stringMatching(/^Needs approval: /) as string,
          body: expect.stringContaining("touch approved.txt") as string,
        });
        await app.until(() => app.tray.state.title.includes("1"), "the tray counts one");
        await toggle(app, true);
      }
      await shows("needs approval");
      await shows("touch approved.txt");
      await shoot(launched.page, `${name}-waiting`);

      await player.frame("tool_running");
      await shows("running");
      await player.event("PostToolUse", {
        tool_name: "Bash",
        tool_input: { command: "touch approved.txt", description: "Lab command" },
      });
      if (launched.app !== null) {
        const { app } = launched;
        await app.until(() => app.notifications.list().length === 0, "the notification is withdrawn");
        expect(app.notifications.history()).toHaveLength(1);
      }
      await player.frame("completed");
      await player.event("Stop");
      await shows("done");
      await shows("idle");
    } finally {
      await launched.close();
    }
  });
});

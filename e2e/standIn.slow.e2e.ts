// The desktop app as a person has it, on the stand-in: real main process, real preload, real daemon, real tmux, and a
// played agent in one of its panes.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runtimePaths } from "../core/rpc/paths.ts";
import { tryOwn } from "../core/rpc/ownership.ts";
import { connectSocket } from "../core/rpc/socketClient.ts";
import { createPrivateTmux, type PrivateTmux } from "../test/harness/privateTmux.ts";
import { createPlayer, type Player } from "../test/player/player.ts";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { launchAndLeave, launchStandIn, type StandIn } from "./launchers/standIn.ts";

const RECORDINGS = fileURLToPath(new URL("../test/fixtures/recordings/claude", import.meta.url));

let browser: Browser;
let folder: string;
let home: string;
let tmux: PrivateTmux;
let env: Record<string, string>;
let app: StandIn | null;
let player: Player | null;

const terminalLog = () => join(folder, "terminal.log");

/** The desktop's terminal: a program that records what it was asked to run. */
const installTerminal = (): string => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const path = join(bin, "xdg-terminal-exec");
  writeFileSync(
    path,
    `#!/bin/sh\nprintf '%s\\n' "$@" > "${terminalLog()}.part"\nmv "${terminalLog()}.part" "${terminalLog()}"\n`,
  );
  chmodSync(path, 0o755);
  return bin;
};

const launch = async (more: { dataDir?: string; entry?: string } = {}): Promise<StandIn> => {
  app = await launchStandIn({ home, env, browser, ...more });
  return app;
};
const play = async (): Promise<Player> => {
  player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs, session: "work" },
    home: folder,
    recordingsDir: RECORDINGS,
  });
  return player;
};
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const connect = () =>
  connectSocket({ paths: runtimePaths(home), version: "test", checkVersion: true, helloTimeoutMs: 5_000 });
/** Null while no daemon answers. */
const ownerPid = async (): Promise<number | null> => {
  try {
    const client = await connect();
    client.close();
    return client.hello.pid;
  } catch {
    return null;
  }
};

takeChromium((given) => (browser = given));
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-app-"));
  home = join(folder, "home");
  tmux = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40");
  env = {
    HOME: folder,
    AGTMUX_TMUX_SOCKETS: tmux.socketPath,
    PATH: `${installTerminal()}:${process.env["PATH"]}`,
  };
  app = null;
  player = null;
});
afterEach(async () => {
  await player?.close();
  await app?.close();
  await tmux.close();
  // The pane's shell may still be writing its history there.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

describe("the desktop app on the stand-in", () => {
  it("hosts the daemon, serves the socket, and leaves nothing behind when it quits", async () => {
    const running = await launch();
    await expect.poll(ownerPid, { timeout: 20_000 }).toBe(running.pid);
    const client = await connect();
    expect(client.hello).toMatchObject({ host: "app", pid: running.pid });
    client.close();
    expect(running.menu.entries.map(({ label }) => label)).toContain("Quit agtmux");
    running.menu.click("quit");
    expect(await running.quit()).toBe(0);
    expect(isAlive(running.pid)).toBe(false);
    expect(existsSync(runtimePaths(home).socket)).toBe(false);
    expect(await tmux.run("list-clients")).toBe("");
    const owner = tryOwn(home);
    expect(owner).not.toBeNull();
    owner?.release();
  });

  it("lets one instance run; a second one leaves and brings the first one's popover up", async () => {
    const running = await launch();
    expect(running.isVisible()).toBe(false);
    expect(await launchAndLeave({ home, env, dataDir: running.dataDir })).toBe(0);
    await running.until(() => running.isVisible(), "the popover opens");
  });

  it("shows a wait in tray, popover and notification, and a click on it attaches to that pane", async () => {
    const running = await launch();
    const agent = await play();
    await agent.frame("waiting_approval");
    // The tooltip is the last of the three to change.
    const tooltip = "agtmux: 1 needs approval";
    await running.until(() => running.tray.state.tooltip === tooltip, "the tray says it");
    expect(running.tray.state).toEqual({ image: "waiting_approvalTemplate.png", title: "1", tooltip });
    await running.until(() => running.notifications.list().length === 1, "one notification");
    running.tray.click();
    await running.page.getByText("touch approved.txt").first().waitFor();
    const [notice] = running.notifications.list();
    expect(notice?.title).toContain("Needs approval");
    expect(notice?.body).toContain("Claude");
    running.notifications.click(notice?.id ?? "");
    await expect.poll(() => existsSync(terminalLog()), { timeout: 10_000 }).toBe(true);
    const argv = readFileSync(terminalLog(), "utf8").trimEnd().split("\n");
    expect(argv.join(" ")).toMatch(/tmux( |$)/);
    expect(argv.join(" ")).toContain(tmux.socketPath);
    expect(argv.join(" ")).toContain(agent.paneId);
  });

  it("takes a notification back when the wait is over", async () => {
    const running = await launch();
    const agent = await play();
    await agent.frame("waiting_approval");
    await running.until(() => running.notifications.list().length === 1, "one notification");
    await agent.frame("running");
    await running.until(() => running.notifications.list().length === 0, "it is withdrawn");
    const tooltip = "agtmux: 1 running";
    await running.until(() => running.tray.state.tooltip === tooltip, "the tray shows work");
    expect(running.tray.state).toEqual({ image: "runningTemplate.png", title: "", tooltip });
    expect(running.notifications.history()).toHaveLength(1);
  });

  it("keeps the machine awake on power while an agent works, and the tray says why", async () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, "config.json"), JSON.stringify({ keep_awake: "working_on_power" }));
    const running = await launch();
    const agent = await play();
    await agent.frame("running");
    await running.until(() => running.sleepBlockers().length > 0, "it is kept awake");
    expect(running.sleepBlockers()).toEqual(["prevent-app-suspension"]);
    const said = (): string => running.tray.state.tooltip.split("\n")[1] ?? "";
    await running.until(() => said() === "kept awake: 1 agent works", "the tray says why");
    await agent.frame("completed");
    await running.until(() => running.sleepBlockers().length === 0, "it may fall asleep");
    await running.until(() => said() === "", "the tray says nothing of it");
    running.setBattery(true);
    await agent.frame("running");
    await running.until(
      () => said() === "may fall asleep although 1 agent works: it isn't on power",
      "why not",
    );
    expect(running.sleepBlockers()).toEqual([]);
  });

  it("opens and closes the popover by the tray", async () => {
    const running = await launch();
    running.tray.click();
    await running.until(() => running.isVisible(), "the popover opens");
    running.tray.click();
    await running.until(() => !running.isVisible(), "the popover closes");
  });

  it("remembers how high the person left the popover", async () => {
    const dataDir = join(folder, "data");
    const running = await launch({ dataDir });
    expect(running.page.viewportSize()).toEqual({ width: 420, height: 600 });
    running.tray.click();
    await running.until(() => running.isVisible(), "the popover opens");
    await running.resize({ width: 420, height: 720 });
    running.tray.click();
    await running.until(() => !running.isVisible(), "the popover closes");
    expect(await running.quit()).toBe(0);
    await running.close();
    const again = await launch({ dataDir });
    expect(again.page.viewportSize()).toEqual({ width: 420, height: 720 });
  });

  it("says why it cannot run and leaves", async () => {
    mkdirSync(home);
    chmodSync(home, 0o777);
    await expect(launch()).rejects.toThrow(/exit code 1[^]*others can write to it/);
  });

  it("keeps its page: no navigation, no other origin, no inline script, no Electron in the page", async () => {
    const { page } = await launch();
    const address = page.url();
    const found = await page.evaluate(async () => {
      const inline = document.createElement("script");
      inline.textContent = "window.inlineRan = true";
      document.head.append(inline);
      return {
        api: Object.keys(Object(Reflect.get(window, "agtmux"))).toSorted(),
        inlineRan: "inlineRan" in window,
        fetched: await fetch("https://example.test/").then(
          () => true,
          () => false,
        ),
        node: "process" in window || "require" in window,
      };
    });
    expect(found).toEqual({ api: ["onMessage", "send"], inlineRan: false, fetched: false, node: false });
    for (const target of ["https://example.test/", "agtmux://popover/other.html"])
      await page.evaluate((url) => {
        window.location.href = url;
      }, target);
    await page.evaluate(() => {
      window.location.href = "/index.html";
    });
    expect(page.url()).toBe(address);
  });

  it("starts its page afresh when it is reloaded, and goes on", async () => {
    const running = await launch();
    await running.page.reload();
    running.tray.click();
    const agent = await play();
    await agent.frame("waiting_approval");
    await running.page.getByText("touch approved.txt").first().waitFor();
  });
});

describe("the built desktop app on the stand-in", () => {
  it("runs from the bundle alone", async () => {
    const running = await launch({ entry: fileURLToPath(new URL("../dist/main/index.js", import.meta.url)) });
    await expect.poll(ownerPid, { timeout: 20_000 }).toBe(running.pid);
    const client = await connect();
    expect(client.hello).toMatchObject({ host: "app", pid: running.pid });
    client.close();
    expect(await running.quit()).toBe(0);
  });
});

describe("the desktop app beside another daemon", () => {
  it("joins the one that runs, attaches for it, and takes over when it is gone", async () => {
    const host = await launch();
    const joined = await launchStandIn({ home, env, browser });
    try {
      const agent = await play();
      await agent.frame("waiting_approval");
      await joined.until(() => joined.tray.state.title === "1", "the joined app counts the wait");
      expect(await ownerPid()).toBe(host.pid);
      await joined.until(() => joined.notifications.list().length === 1, "one notification");
      joined.notifications.click(joined.notifications.list()[0]?.id ?? "");
      await expect.poll(() => existsSync(terminalLog()), { timeout: 10_000 }).toBe(true);
      expect(readFileSync(terminalLog(), "utf8")).toContain(agent.paneId);
      expect(await host.quit()).toBe(0);
      await expect.poll(ownerPid, { timeout: 20_000 }).toBe(joined.pid);
      await joined.until(() => joined.tray.state.title === "1", "it counts the wait by itself");
      expect(await joined.quit()).toBe(0);
    } finally {
      await joined.close();
    }
  });
});

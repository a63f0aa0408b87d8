// Notifications as a person has them, on the stand-in: with a real daemon, a real tmux, and a program that shows an agent's
// recorded dialogs and takes its keys.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPrivateTmux } from "../../test/harness/privateTmux.ts";
import type { StandIn } from "../launchers/standIn.ts";
import { DONE, permission, takeDesktop } from "./desktopHarness.ts";

const PERMISSION = permission();
const OTHER = permission("rm -rf build", "other");
const desk = takeDesktop();

const firstNotification = async (app: StandIn) => {
  await app.until(() => app.notifications.list().length === 1, "one notification");
  const [notice] = app.notifications.list();
  if (notice === undefined) throw new Error("it went again");
  return notice;
};
/** In the order of the buttons. */
const [APPROVE, DENY] = [0, 1];

describe("a notification on the stand-in", () => {
  it("answers what it showed with its button, and goes", async () => {
    const agent = await desk.scene.playDialogs("base:", [PERMISSION], DONE);
    const app = await desk.scene.launch();
    const notice = await firstNotification(app);
    expect(notice.body).toContain("touch approved.txt");
    app.notifications.act(notice.id, APPROVE);
    await expect.poll(() => agent.chosen(), { timeout: 15_000 }).toEqual([["waiting_approval", "Yes"]]);
    await app.until(() => app.tray.state.title === "", "nothing waits any more");
    expect(app.notifications.list()).toEqual([]);
    expect(app.notifications.history()).toHaveLength(1);
  });

  it("does not answer another prompt than the one it showed, says why, and leads there", async () => {
    const agent = await desk.scene.playDialogs("base:", [PERMISSION, OTHER], DONE);
    const app = await desk.scene.launch();
    const notice = await firstNotification(app);
    await agent.skip();
    await app.until(() => app.notifications.list().length === 0, "it is withdrawn");
    // The press was on its way.
    app.notifications.act(notice.id, APPROVE);
    const said = await firstNotification(app);
    expect(said.title).toBe("Not sent to Claude Code");
    expect(said.body).toMatch(/prompt/);
    expect(agent.chosen()).toEqual([]);
    app.notifications.click(said.id);
    await expect.poll(() => desk.scene.terminal(), { timeout: 15_000 }).toContain("attach-session");
    expect(desk.scene.terminal()?.join(" ")).toContain(agent.paneId);
  });

  it("comes on macOS once it was said what for, and none is left of an app that ended", async () => {
    const dataDir = join(desk.scene.folder, "data");
    const agent = await desk.scene.playDialogs("base:", [PERMISSION], DONE);
    const app = await desk.scene.launch({ dataDir, platform: "darwin" });
    await app.until(() => app.messages.list().length === 1, "it is said");
    expect(app.messages.list()[0]).toContain("macOS asks next whether it may show notifications");
    expect([app.notifications.history(), app.notifications.clearings()]).toEqual([[], 0]);
    app.messages.read();
    const notice = await firstNotification(app);
    expect(notice.buttons).toEqual(["Approve", "Deny", "Open"]);
    app.notifications.act(notice.id, APPROVE);
    await expect.poll(() => agent.chosen(), { timeout: 15_000 }).toEqual([["waiting_approval", "Yes"]]);
    expect(await app.quit()).toBe(0);
    await app.close();
    const again = await desk.scene.launch({ dataDir, platform: "darwin" });
    expect([again.messages.list(), again.notifications.clearings()]).toEqual([[], 1]);
  });

  it("does not come for a pane that somebody looks at, but for one behind it", async () => {
    const terminal = createPrivateTmux();
    try {
      const front = await desk.scene.playDialogs("base:", [PERMISSION], DONE);
      await desk.scene.tmux.run("select-window", "-t", front.paneId);
      await terminal.run(
        "new-session",
        "-d",
        "-x",
        "120",
        "-y",
        "40",
        `TMUX= exec tmux -S ${desk.scene.tmux.socketPath} attach-session -t base`,
      );
      await expect
        .poll(() => desk.scene.tmux.run("list-clients", "-F", "#{client_tty} #{pane_id}"), {
          timeout: 15_000,
        })
        .toContain(front.paneId);
      const behind = await desk.scene.playDialogs("base:", [OTHER], DONE);
      const app = await desk.scene.launch();
      const notice = await firstNotification(app);
      await app.until(() => app.tray.state.title === "2", "both are counted");
      expect(notice.body).toContain("rm -rf build");
      app.notifications.act(notice.id, DENY);
      await expect.poll(() => behind.chosen(), { timeout: 15_000 }).toEqual([["other", "No"]]);
      await app.until(() => app.tray.state.title === "1", "one is counted");
      expect(app.notifications.history()).toHaveLength(1);
    } finally {
      await terminal.close();
    }
  });

  it("is one for many at once, as config.json says, and opens the list", async () => {
    mkdirSync(desk.scene.home, { mode: 0o700 });
    const notifications = { group_from: 2, sounds: { waiting_approval: "none" } };
    writeFileSync(join(desk.scene.home, "config.json"), JSON.stringify({ notifications }));
    // The first may be shown alone before the others are there.
    for (let count = 0; count < 3; count += 1) await desk.scene.playDialogs("base:", [PERMISSION], DONE);
    const app = await desk.scene.launch();
    const grouped = () =>
      app.notifications.list().find(({ title }) => /^[23] agents: [23] need approval$/.test(title));
    await app.until(() => grouped() !== undefined, "one for many");
    expect(app.notifications.history().every(({ silent }) => silent)).toBe(true);
    app.notifications.click(grouped()?.id ?? "");
    await app.until(() => app.isVisible(), "the popover opens");
    expect(desk.scene.terminal()).toBeNull();
  });
});

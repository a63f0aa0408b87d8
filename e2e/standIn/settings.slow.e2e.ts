// The settings in the desktop app: what only the app can do, through the page that a person sees.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimePaths } from "../../core/rpc/paths.ts";
import type { StandIn } from "../launchers/standIn.ts";
import { SettingsPage } from "../pages/settings.ts";
import { takeDesktop } from "./desktopHarness.ts";

const POLL = { timeout: 15_000 };

const desk = takeDesktop(beforeAll, afterAll);
let app: StandIn;
let settings: SettingsPage;

beforeAll(async () => {
  app = await desk.scene.launch();
  app.page.setDefaultTimeout(POLL.timeout);
  settings = new SettingsPage(app.page);
});

describe("the settings of the desktop app", () => {
  it("open where the menu says", async () => {
    app.menu.click("integrations");
    await app.until(() => app.isVisible(), "the popover opens");
    await settings.isAt("Integrations");
    await settings.back();
    await settings.isAt("Settings");
  });

  it("choose the terminal, and say what cannot be one", async () => {
    await settings.open("Terminal");
    const choice = app.page.getByLabel("Open panes in");
    await app.page.getByText("A click opens The desktop's terminal.").waitFor();
    await choice.selectOption("command");
    const command = app.page.getByRole("textbox", { name: "Command" });
    await command.fill(`${join(desk.scene.folder, "bin", "xdg-terminal-exec")} --here {}`);
    await command.press("Enter");
    await expect.poll(() => command.inputValue(), POLL).toContain("--here {}");
    await command.fill("xterm -e");
    await command.press("Enter");
    await expect.poll(() => settings.alert.textContent(), POLL).toContain("exactly one word is {}");
    expect(await command.inputValue()).toContain("--here {}");
    await choice.selectOption("auto");
    await command.waitFor({ state: "detached" });
    await settings.back();
  });

  it("take a shortcut from the keys that are pressed, and say when another program holds it", async () => {
    await settings.open("Shortcuts");
    const field = app.page.getByLabel("Open from anywhere");
    await field.focus();
    await app.page.keyboard.press("Control+Alt+KeyK");
    await expect.poll(() => app.shortcuts.list(), POLL).toEqual(["Control+Alt+K"]);
    await expect.poll(() => field.inputValue(), POLL).toBe("Control+Alt+K");
    app.shortcuts.take("Control+Alt+J");
    await field.focus();
    await app.page.keyboard.press("Control+Alt+KeyJ");
    await expect.poll(() => settings.alert.textContent(), POLL).toContain("another program");
    expect(app.shortcuts.list()).toEqual(["Control+Alt+K"]);
    await app.page.getByRole("button", { name: "Remove", exact: true }).click();
    await expect.poll(() => app.shortcuts.list(), POLL).toEqual([]);
    await settings.back();
  });

  it("show a test notification, open the logs, and say why launch at login is not to be had", async () => {
    await settings.open("Notifications");
    await app.page.getByRole("button", { name: "Show a test notification" }).click();
    await app.page.getByText("Sent. If you saw nothing").waitFor();
    expect(app.notifications.list()).toHaveLength(1);
    app.notifications.setProblem("Notifications are not allowed for this application");
    await app.page.getByRole("button", { name: "Show a test notification" }).click();
    await app.page.getByText("not allowed for this application").waitFor();
    app.notifications.setProblem(null);
    await settings.back();
    await settings.open("Diagnostics");
    await app.page.getByRole("button", { name: "Open logs" }).click();
    await expect.poll(() => app.opened, POLL).toEqual([dirname(runtimePaths(desk.scene.home).log)]);
    await settings.back();
    await settings.open("General");
    await app.page.getByText("own startup applications").waitFor();
    await settings.back();
  });

  it("link the command-line tool where a shell finds it, and leave alone what is there already", async () => {
    // A folder of the person that is on the PATH.
    const link = join(desk.scene.folder, "bin", "agtmux");
    writeFileSync(link, "mine");
    await settings.open("Command line");
    await app.page.getByText("is another program. Move it, then install again.").waitFor();
    const install = app.page.getByRole("button", { name: "Install the command-line tool" });
    await install.click();
    await expect.poll(() => settings.alert.textContent(), POLL).toContain("so it was left alone");
    expect(readFileSync(link, "utf8")).toBe("mine");
    rmSync(link);
    await install.click();
    await app.page.getByRole("status").getByText("installed", { exact: true }).waitFor();
    expect(execFileSync(link, ["--version"], { encoding: "utf8" }).trim()).toMatch(
      /^(agtmux )?\d+\.\d+\.\d+/,
    );
    expect(await install.count()).toBe(0);
    await settings.back();
  });

  it("try a notification on the set-up screen", async () => {
    await settings.open("Run setup again");
    await app.page.getByRole("button", { name: "Show a test notification" }).click();
    await app.page.getByText("Sent. If you saw nothing").waitFor();
    await app.page.getByRole("button", { name: "Done" }).click();
    await app.page.getByRole("searchbox").waitFor();
  });
});

// Settings and setup as a person uses them: in a browser on a real daemon with real tmux and a played agent, and on the
// stand-in for what only the desktop app can do.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright";
import { afterEach, describe, expect, it } from "vitest";
import { startTestDaemon, type TestDaemon } from "../test/harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../test/harness/privateTmux.ts";
import { createPlayer } from "../test/player/player.ts";
import { makePane, makeTarget } from "../test/factories/view.ts";
import { FakeDaemon } from "../test/fakes/fakeDaemon.ts";
import { launchBrowserPopover, type BrowserPopoverOptions } from "./launchers/browser.ts";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { SettingsPage } from "./pages/settings.ts";

const RECORDINGS = fileURLToPath(new URL("../test/fixtures/recordings/claude", import.meta.url));
const POLL = { timeout: 15_000 };
const LIMIT_MS = 15_000;

let browser: Browser;
const closers: (() => Promise<unknown>)[] = [];

takeChromium((given) => (browser = given));
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Started {
  page: Page;
  settings: SettingsPage;
  errors: readonly string[];
  daemon: TestDaemon;
  tmux: PrivateTmux;
  /** What config.json holds now. */
  config: () => unknown;
  /** Opens the same daemon's popover at another address, as the next `agtmux ui` does. */
  another: () => Promise<Page>;
}

/** A browser popover on a real daemon with a private tmux and an SSH configuration of its own. */
const start = async (
  options: Omit<BrowserPopoverOptions, "browser" | "daemon"> & { hasServer?: boolean } = {},
): Promise<Started> => {
  const { hasServer = true, ...look } = options;
  const tmux = createPrivateTmux();
  closers.push(() => tmux.close());
  if (hasServer) await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40");
  const daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
  closers.push(() => daemon.close());
  mkdirSync(join(daemon.home, ".ssh"));
  writeFileSync(join(daemon.home, ".ssh", "config"), "Host 127.0.0.1 gpu-box *.lan\n");
  const launched = await launchBrowserPopover({ browser, daemon: daemon.daemon.service, ...look });
  launched.page.setDefaultTimeout(LIMIT_MS);
  closers.push(() => launched.close());
  return {
    page: launched.page,
    errors: launched.errors,
    settings: new SettingsPage(launched.page),
    daemon,
    tmux,
    config: () =>
      existsSync(daemon.paths.config) ? JSON.parse(readFileSync(daemon.paths.config, "utf8")) : null,
    another: async () => {
      const next = await launchBrowserPopover({ browser, daemon: daemon.daemon.service, ...look });
      next.page.setDefaultTimeout(LIMIT_MS);
      closers.push(() => next.close());
      return next.page;
    },
  };
};

describe("the way through the settings", () => {
  it("opens by button and key, leads to each section with the focus on its name, and Esc goes back by one", async () => {
    const { page, settings, errors } = await start();
    await page.getByRole("button", { name: "Settings" }).click();
    await settings.isAt("Settings");
    await page.keyboard.press("Escape");
    await settings.enter();
    expect(await settings.sections.count()).toBe(11);
    for (const name of ["Machines", "Appearance", "Command line"]) {
      await settings.open(name);
      await settings.isAt(name);
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
      await page.keyboard.press("Escape");
      await settings.isAt("Settings");
    }
    // Tab goes from the name to the first section, and Enter opens it.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await settings.isAt("Machines");
    expect(errors).toEqual([]);
  });

  it("says in a browser what only the desktop app can do", async () => {
    const { page, settings } = await start();
    await settings.enter();
    for (const [section, reason] of [
      ["Terminal", "A browser can't open a terminal"],
      ["Shortcuts", "needs the desktop app"],
      ["General", "Launch at login needs the desktop app"],
      ["Notifications", "The desktop app shows notifications"],
    ] as const) {
      await settings.open(section);
      await page.getByText(reason).waitFor();
      await settings.back();
    }
    await settings.open("Command line");
    expect(
      await page
        .getByRole("group", { name: /^Command: / })
        .first()
        .textContent(),
    ).toContain("ln -s");
  });

  it("keeps theme and text size over a reload, and both reach everything", async () => {
    const { page, settings } = await start();
    const look = () =>
      page.evaluate(() => [
        getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.documentElement).fontSize,
      ]);
    const before = await look();
    expect(before).toEqual(["rgb(247, 247, 248)", "16px"]);
    await settings.enter();
    await settings.open("Appearance");
    await page.getByLabel("Theme").selectOption("dark");
    await page.getByLabel("Text size").selectOption("200");
    expect(await look()).toEqual(["rgb(32, 33, 36)", "32px"]);
    await page.reload();
    await page.getByRole("button", { name: "Settings" }).waitFor();
    expect(await look()).toEqual(["rgb(32, 33, 36)", "32px"]);
    await page.emulateMedia({ colorScheme: "dark" });
    await settings.enter();
    await settings.open("Appearance");
    await page.getByLabel("Theme").selectOption("light");
    expect((await look())[0]).toBe("rgb(247, 247, 248)");
  });

  it("keeps them for a page at another address, and there a page's own choice that the daemon has not got", async () => {
    const { page, settings, daemon, config, another } = await start({ isFirstStart: true });
    const themeOf = (one: Page) => one.evaluate(() => document.documentElement.dataset["theme"] ?? "system");
    await settings.enter();
    await settings.open("Appearance");
    await page.getByLabel("Theme").selectOption("dark");
    await expect.poll(config, POLL).toEqual({ appearance: { theme: "dark", text_size: 100 } });
    const second = await another();
    await expect.poll(() => themeOf(second), POLL).toBe("dark");
    // A file with a mistake cannot be written to: the page says so, and keeps its choice until it can.
    writeFileSync(daemon.paths.config, "{ not json");
    await page.getByLabel("Theme").selectOption("light");
    await expect.poll(() => settings.alert.textContent(), POLL).toMatch(/config/);
    expect(await themeOf(page)).toBe("light");
    writeFileSync(daemon.paths.config, "{}");
    await page.reload();
    await expect.poll(config, POLL).toEqual({ appearance: { theme: "light", text_size: 100 } });
    expect(await themeOf(page)).toBe("light");
  });
});

describe("what the daemon obeys", () => {
  it("writes notifications and retention into config.json, and says which key cannot be that", async () => {
    const { page, settings, config, daemon } = await start();
    await settings.enter();
    await settings.open("Notifications");
    await settings.toggle("Error").click();
    await expect.poll(config, POLL).toEqual({ notifications: { error: true } });
    await page.getByLabel("Sound of “error”").selectOption("none");
    await settings.toggle("Quiet hours every day").click();
    await page.getByLabel("From", { exact: true }).fill("21:15");
    await page.getByLabel("From", { exact: true }).press("Enter");
    await settings.toggle("This machine").click();
    await expect.poll(config, POLL).toEqual({
      notifications: {
        error: true,
        sounds: { error: "none" },
        quiet_hours: { from: "21:15", to: "08:00" },
        muted_targets: ["host"],
      },
    });
    const again = page.getByLabel("Same agent again after");
    await again.fill("999999");
    await again.press("Enter");
    await expect
      .poll(() => settings.alert.textContent(), POLL)
      .toContain("Notifications.cooldown_ms can't have that value");
    expect(await again.inputValue()).toBe("10");

    await settings.back();
    await settings.open("General");
    const days = page.getByLabel("Keep state history for");
    await days.fill("30");
    await days.press("Tab");
    await expect.poll(config, POLL).toMatchObject({ retention: { max_age_days: 30 } });

    writeFileSync(daemon.paths.config, "{ not json");
    await settings.back();
    await settings.open("General");
    await page.getByText("Fix that file to change settings here").waitFor();
    await days.fill("3");
    await days.press("Enter");
    await page.getByText("is not JSON").first().waitFor();
    expect(readFileSync(daemon.paths.config, "utf8")).toBe("{ not json");
  });

  it("switches an agent off and on", async () => {
    const { page, settings, config } = await start();
    await settings.enter();
    await settings.open("Agents");
    await page.getByText("Unverified: no recording of it yet.").first().waitFor();
    await settings.toggle("Codex").click();
    await expect.poll(config, POLL).toEqual({ adapters: { disabled: ["codex"] } });
    await expect.poll(() => settings.toggle("Codex").isChecked(), POLL).toBe(false);
    await settings.toggle("Codex").click();
    await expect.poll(config, POLL).toEqual({ adapters: { disabled: [] } });
  });
});

describe("targets", () => {
  it("adds a host of the SSH configuration, shows how it is, switches it, and removes it after a question", async () => {
    const { page, settings, config } = await start();
    await settings.enter();
    await settings.open("Machines");
    const aliases = page.getByRole("list", { name: "Hosts in your SSH config" });
    await expect
      .poll(() => aliases.getByRole("button").allTextContents(), POLL)
      .toEqual(["127.0.0.1", "gpu-box"]);
    // No port answers there, so the target appears as down and says why.
    await aliases.getByRole("button", { name: "127.0.0.1" }).click();
    expect(await page.getByLabel("SSH host").inputValue()).toBe("127.0.0.1");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("127.0.0.1 was added; connecting…").waitFor();
    expect(config()).toMatchObject({ targets: [{ name: "127.0.0.1", ssh_target: "127.0.0.1" }] });
    const card = settings.card("Machines", "127.0.0.1");
    await expect.poll(() => aliases.getByRole("button").count(), POLL).toBe(1);

    await page.getByLabel("SSH host").fill("someone@127.0.0.1");
    await page.keyboard.press("Enter");
    await expect.poll(() => settings.alert.first().textContent(), POLL).toContain("already");
    await page.getByLabel("SSH host").fill("-oProxyCommand=x");
    await page.keyboard.press("Enter");
    await expect.poll(() => settings.alert.first().textContent(), POLL).not.toContain("already");
    await page.getByLabel("SSH host").fill("");

    await card.getByRole("button", { name: "Switch off" }).click();
    await expect.poll(() => card.getAttribute("aria-label"), POLL).toBe("127.0.0.1, switched off");
    await card.getByRole("button", { name: "Switch on" }).click();
    await expect.poll(() => card.getAttribute("aria-label"), POLL).toBe("127.0.0.1, unreachable");

    await card.getByRole("button", { name: "Remove…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await card.count()).toBe(1);
    await card.getByRole("button", { name: "Remove…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => card.count(), POLL).toBe(0);
    expect(config()).toMatchObject({ targets: [] });
  });
});

describe("integrations", () => {
  it("shows the change before it is made, proves delivery, repairs, and takes exactly ours out again", async () => {
    const { settings, daemon } = await start();
    const path = join(daemon.home, ".claude", "settings.json");
    const original = '{\n  "theme": "dark"\n}\n';
    mkdirSync(join(daemon.home, ".claude"));
    writeFileSync(path, original);
    await settings.enter();
    await settings.open("Integrations");
    const card = settings.card("Integrations", "Claude Code");
    const state = () => card.getAttribute("aria-label");
    const press = (name: string) => card.getByRole("button", { name }).click();

    await press("Install…");
    const diff = card.getByRole("group", { name: /settings\.json/ });
    expect(await diff.textContent()).toContain("agtmux-event");
    await press("Cancel");
    expect(readFileSync(path, "utf8")).toBe(original);
    await press("Install…");
    await diff.waitFor();
    // Somebody else changes the file after the plan was shown: the plan is no longer what would be done.
    writeFileSync(path, '{ "theme": "light" }\n');
    await press("Install it");
    await card.getByText("Its settings changed in the meantime, so nothing was done.").waitFor();
    await press("Cancel");
    writeFileSync(path, original);
    await press("Install…");
    await press("Install it");
    await expect.poll(state, POLL).toBe("Claude Code, installed");
    expect(readFileSync(path, "utf8")).toContain("agtmux-event");

    await press("Verify");
    const proof = card.getByRole("list", { name: "Proof" });
    await proof.getByText(/test event arrived after/).waitFor();
    await proof.getByText("No event from a real agent yet").waitFor();

    const drifted = JSON.parse(readFileSync(path, "utf8"));
    delete drifted.hooks.Stop;
    writeFileSync(path, JSON.stringify(drifted, null, 2));
    await settings.back();
    await settings.open("Integrations");
    await expect.poll(state, POLL).toBe("Claude Code, needs repair");
    await card.getByText("Missing: Stop.").waitFor();
    await press("Repair…");
    await press("Repair it");
    await expect.poll(state, POLL).toBe("Claude Code, installed");

    await press("Uninstall…");
    await press("Uninstall it");
    await expect.poll(state, POLL).toBe("Claude Code, not installed");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ theme: "dark" });

    writeFileSync(path, "{ not json");
    await settings.back();
    await settings.open("Integrations");
    await expect.poll(state, POLL).toBe("Claude Code, can't be read");
    expect(await card.getByRole("button").count()).toBe(0);
  });
});

describe("diagnostics", () => {
  it("shows the chain link by link, and a report without the person's names", async () => {
    const { page, settings, daemon } = await start();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await settings.enter();
    await settings.open("Diagnostics");
    await page.getByText("Events travel from the hook to the daemon.").first().waitFor();
    await page.getByRole("button", { name: "Copy report" }).click();
    await page.getByText("Copied.", { exact: true }).waitFor();
    const report = await page.evaluate(() => navigator.clipboard.readText());
    expect(report).toContain("target.delivery on host");
    expect(report).toBe(await page.getByRole("group", { name: "Text of the report" }).textContent());
    await page.getByText(`${daemon.paths.home}/log`).waitFor();
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("Checking…").or(page.getByText(/well/)).first().waitFor();
  });

  it("says so when the daemon is gone", async () => {
    const fake = new FakeDaemon();
    const launched = await launchBrowserPopover({ browser, daemon: fake });
    closers.push(() => launched.close());
    const settings = new SettingsPage(launched.page);
    await settings.enter();
    await settings.open("Diagnostics");
    await expect.poll(() => settings.alert.textContent(), POLL).toContain("has nothing to examine");
  });
});

describe("the setup", () => {
  it("is offered once, installs for all that was found with one press, and leaves nothing red", async () => {
    const { page, settings, daemon, tmux } = await start({ isFirstStart: true });
    for (const folder of [".codex", ".gemini"]) mkdirSync(join(daemon.home, folder));
    writeFileSync(join(daemon.home, ".gemini", "settings.json"), '{\n  "theme": "dark"\n}\n');
    await page.getByRole("button", { name: "Set up", exact: true }).click();
    await settings.isAt("Set up agtmux");
    const found = page.getByRole("list", { name: "Found", exact: true });
    await found.getByText("Codex", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Install for 2 agents" }).waitFor();
    // An agent that starts meanwhile comes by itself.
    const player = await createPlayer({
      tmux: { socketArgs: tmux.socketArgs, session: "shop" },
      home: daemon.home,
      recordingsDir: RECORDINGS,
    });
    closers.push(() => player.close());
    await found.getByText(/Claude Code.* · 1 running/).waitFor();
    await found.getByText("Show the changes").last().click();
    await page.getByRole("group", { name: /\.gemini\/settings\.json/ }).waitFor();
    await page.getByRole("button", { name: "Install for 3 agents" }).click();

    await page.getByText("One step left: trust the hooks in Codex.").waitFor();
    expect(await found.getByText("hooks installed").count()).toBe(3);
    expect(await settings.alert.count()).toBe(0);
    expect(await found.locator('[data-mark="problem"]').count()).toBe(0);
    expect(await page.getByRole("button", { name: /Install for/ }).count()).toBe(0);
    await page.getByText(/One running agent has sent no event yet/).waitFor();
    // Codex notifies by itself, too: only agtmux shall.
    await page.getByLabel("Codex: who notifies you").selectOption("Only agtmux");
    await page.getByText(/Only agtmux notifies you about Codex/).waitFor();
    expect(readFileSync(join(daemon.home, ".codex", "config.toml"), "utf8")).toBe(
      "[tui]\nnotifications = false\n",
    );
    await page.getByLabel("Codex: who notifies you").selectOption("Both");
    await page.getByText(/Codex rings the bell .* and so does agtmux/).waitFor();
    expect(existsSync(join(daemon.home, ".codex", "config.toml"))).toBe(false);
    // Settings say the same of Codex: nothing is to be repaired.
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("searchbox").waitFor();
    expect(await page.getByRole("region", { name: "Setup" }).count()).toBe(0);
    await settings.enter();
    await settings.open("Integrations");
    const codex = settings.card("Integrations", "Codex");
    await codex.getByText("Still to do: trust the hooks in Codex.").waitFor();
    expect(await codex.getAttribute("aria-label")).toBe("Codex, installed");
    expect(await codex.getByRole("button", { name: "Repair…" }).count()).toBe(0);
  });

  it("does nothing where settings changed after they were shown, and says so", async () => {
    const { page, settings, daemon } = await start({ isFirstStart: true });
    const path = join(daemon.home, ".gemini", "settings.json");
    mkdirSync(join(daemon.home, ".gemini"));
    writeFileSync(path, "{}\n");
    await page.getByRole("button", { name: "Set up", exact: true }).click();
    await page.getByRole("button", { name: "Install for 1 agent" }).waitFor();
    writeFileSync(path, '{ "mine": true }\n');
    await page.getByRole("button", { name: "Install for 1 agent" }).click();
    await expect.poll(() => settings.alert.textContent(), POLL).toContain("changed in the meantime");
    expect(readFileSync(path, "utf8")).toBe('{ "mine": true }\n');
    await page.getByRole("button", { name: "Install for 1 agent" }).click();
    await page.getByText("Everything is set up.").waitFor();
    expect(readFileSync(path, "utf8")).toContain('"mine": true');
  });

  it("is offered where an agent that runs lacks hooks, and not once it was refused or nothing is missing", async () => {
    const { page, daemon, tmux, another } = await start({ isFirstStart: true });
    const offer = (one: Page) => one.getByRole("region", { name: "Setup" });
    await offer(page).waitFor();
    mkdirSync(join(daemon.home, ".gemini"));
    const change = { agent: "gemini", action: "install", dryRun: false } as const;
    await daemon.daemon.service.integrationChange(change);
    const second = await another();
    await second.getByRole("searchbox").waitFor();
    // Gemini CLI has them, and no other agent runs.
    await second.getByText(/No agents/).waitFor();
    expect(await offer(second).count()).toBe(0);
    const player = await createPlayer({
      tmux: { socketArgs: tmux.socketArgs, session: "shop" },
      home: daemon.home,
      recordingsDir: RECORDINGS,
    });
    closers.push(() => player.close());
    await offer(second).waitFor();
    await second.getByRole("button", { name: "Not now" }).click();
    await expect.poll(() => offer(second).count(), POLL).toBe(0);
    await expect
      .poll(async () => (await daemon.daemon.service.configGet()).values.setup_offer, POLL)
      .toBe(false);
    const third = await another();
    await third
      .getByText(/Claude Code/)
      .first()
      .waitFor();
    expect(await offer(third).count()).toBe(0);
  });

  it("says what was not found, can be left, and is not offered again", async () => {
    const { page, settings } = await start({ isFirstStart: true });
    await page.getByRole("button", { name: "Set up", exact: true }).click();
    await page.getByText("No agents found yet.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").waitFor();
    await page.reload();
    await page.getByRole("searchbox").waitFor();
    expect(await page.getByRole("region", { name: "Setup" }).count()).toBe(0);
    await settings.enter();
    await settings.open("Run setup again");
    await settings.isAt("Set up agtmux");
  });
});

describe("above the rows", () => {
  it("names the panes that wait, and leads back to them", async () => {
    const fake = new FakeDaemon([
      makePane({ pane: 1, session: "web", windowName: "refunds", state: "waiting_approval" }),
    ]);
    fake.setTargets([makeTarget()]);
    const launched = await launchBrowserPopover({ browser, daemon: fake, isFirstStart: true });
    closers.push(() => launched.close());
    const { page, popover } = launched;
    await page.getByRole("button", { name: "Not now" }).waitFor();
    await new SettingsPage(page).enter();
    await page.getByRole("button", { name: "1 needs you" }).click();
    await popover.row("refunds").waitFor();
    await page.getByRole("button", { name: "Not now" }).click();
    expect(await page.getByRole("region", { name: "Setup" }).count()).toBe(0);
  });
});

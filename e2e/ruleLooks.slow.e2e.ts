// Approval rules in the popover: which there are, what they did, disarming one, arming one in the app; and the rule that is made of a
// card. By mouse and by keyboard, light and dark.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { AgtmuxError } from "../core/model/errors.ts";
import type { PaneView } from "../core/model/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import { makeRule } from "../test/factories/rule.ts";
import type { FakeAutomation } from "../test/fakes/fakeAutomation.ts";
import { launchAppPage } from "./launchers/appPage.ts";
import type { BrowserPopover } from "./launchers/browser.ts";
import { shareStage } from "./launchers/popovers.ts";
import { findFaults, recordLook } from "./looks/look.ts";
import { armedScene } from "./scenes/armedScene.ts";
import { settingsDesktop } from "./scenes/settingsScene.ts";
import { tenScene } from "./scenes/workScene.ts";

const NARROW = { width: 420, height: 600 };
const HOSTILE = '<img src=x onerror="document.title=1">\u202E\u200B';

const stage = shareStage();

/** The agents of the other scenes; one of them asks for a command that a rule in shadow knows. */
const scene = (): PaneView[] =>
  tenScene(Date.now()).map((pane) =>
    pane.request?.kind === "command" ? { ...pane, armed: "migrate would approve (3)" } : pane,
  );

const cardOf = (panes: readonly PaneView[]): PaneView => {
  const pane = panes.find(({ request }) => request?.kind === "command");
  if (pane === undefined) throw new Error("the scene asks for no command");
  return pane;
};

type Started = BrowserPopover & { automation: FakeAutomation; ref: string };

const withPopover = async (
  options: { viewport?: { width: number; height: number }; isApp?: boolean },
  work: (started: Started) => Promise<void>,
): Promise<void> => {
  const panes = scene();
  const automation = armedScene(panes);
  const common = {
    daemon: new AnsweringDaemon(panes),
    features: [automation],
    viewport: options.viewport ?? NARROW,
  };
  const { isApp = false } = options;
  const launched = isApp
    ? await launchAppPage({ ...common, browser: stage.browser, desktop: settingsDesktop() })
    : await stage.show(common);
  try {
    await launched.page.locator("[data-card=true]").first().waitFor();
    await work({ ...launched, automation, ref: cardOf(panes).identity.pane_ref });
    expect(await findFaults(launched.page)).toEqual([]);
    expect(launched.errors.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  } finally {
    if (isApp) await launched.close();
  }
};

const cardAt = (page: Page, ref: string) => page.locator(`[data-card=true]:has([data-ref="${ref}"])`);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const focusedRule = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("data-rule"));

describe("rules (light, dark)", () => {
  it("stand among what is armed, with what they did", () =>
    withPopover({ viewport: { width: 420, height: 720 } }, async ({ page, popover }) => {
      await popover.press("l");
      await page.locator("button[data-rule=look]").click();
      await page.getByText("Answered 12 times; 6m ago it approved git status.").waitFor();
      await recordLook(page, { name: "rules", isPictured: true });
    }));

  it("are made of what a card asks", () =>
    withPopover({}, async ({ page, popover, ref }) => {
      await cardAt(page, ref).getByRole("button", { name: "Make a rule…" }).click();
      await page.getByLabel("In words").waitFor();
      await recordLook(page, { name: "make-rule", isPictured: true });
      await popover.press("Escape");
      await popover.dialog.waitFor({ state: "detached" });
    }));
});

describe("a rule", () => {
  it("is disarmed from here, and the focus stays with it", () =>
    withPopover({}, async ({ page, popover, automation }) => {
      await popover.press("l");
      await page.locator("button[data-rule=look]").click();
      await button(page, "Disarm").focus();
      await popover.press("Enter");
      await page.locator("[data-rule=look][data-mode=shadow]").waitFor();
      await expect.poll(() => focusedRule(page)).toBe("look");
      // A page in a browser is nobody of whom it is known that no agent has it open.
      await page.getByText("agtmux rule arm look").waitFor();
      expect(await button(page, "Arm…").count()).toBe(0);
      expect(automation.armed).toEqual([]);
    }));

  it("is armed in the app, by whoever has read it, as it was shown", () =>
    withPopover({ isApp: true }, async ({ page, popover, automation }) => {
      await popover.press("l");
      await page.locator("button[data-rule=no-force]").click();
      await button(page, "Arm…").click();
      await popover.dialog.getByText("It denies these immediately, without asking you:").waitFor();
      await popover.dialog.getByText('commands: [["git","push","--force"]]').waitFor();
      // Enter presses the safe button.
      await popover.press("Enter");
      await popover.dialog.waitFor({ state: "detached" });
      expect(automation.armed).toEqual([]);
      await button(page, "Arm…").click();
      await popover.dialog.getByRole("button", { name: "Arm it" }).click();
      await page.locator("[data-rule=no-force][data-mode=armed]").waitFor();
      expect(automation.armed).toEqual([{ name: "no-force", hash: "0".repeat(64), surface: "popover" }]);
    }));

  it("that is wrong is named, with what comes of it", () =>
    withPopover({}, async ({ page, popover, automation }) => {
      automation.problems = [{ line: 7, path: "rules.2.when", message: HOSTILE, rule: null }];
      automation.rules = [makeRule({ mode: "blocked" })];
      await popover.press("l");
      await page.getByText("Rules.json, line 7: rules.2.when: <img").waitFor();
      await page.getByText("Nothing is approved until it's fixed.").waitFor();
      expect(await page.locator("[data-rule]").textContent()).toContain("blocked");
      expect(await page.title()).not.toBe("1");
    }));

  it("is shown as text, whatever stands in it", () =>
    withPopover({}, async ({ page, popover, automation }) => {
      automation.items = [];
      automation.rules = [
        makeRule({
          name: HOSTILE,
          when: { commands: [[HOSTILE]], cwd: [HOSTILE] },
          notes: [HOSTILE],
          last: {
            at: new Date().toISOString(),
            runtime_id: "",
            ref: "",
            verdict: HOSTILE,
            command: HOSTILE,
            outcome: HOSTILE,
          },
        }),
      ];
      await popover.press("l");
      await page.locator("button[data-rule]").click();
      await page.getByText("A dry run presses no keys.").waitFor();
      const text = (await page.locator("[data-jobs]").textContent()) ?? "";
      expect(text).not.toMatch(/[\u202E\u200B]/);
      expect(text.split("⟨U+202E⟩⟨U+200B⟩").length).toBeGreaterThan(5);
      expect(await page.title()).not.toBe("1");
    }));
});

describe("a rule that is made of a card", () => {
  it("is what is shown, by each verdict, and goes into the file to the letter", () =>
    withPopover({}, async ({ page, popover, automation, ref }) => {
      await page.locator(`[data-ref="${ref}"]`).focus();
      await popover.press("u");
      await expect
        .poll(() => page.getByLabel("In words").textContent())
        .toMatch(/^When .* asks to run .*, approve it\.$/);
      const rule = page.getByLabel("Rule", { exact: true });
      expect(await rule.isVisible()).toBe(false);
      await page.getByText("JSON of the rule").click();
      await rule.waitFor();
      expect(await rule.textContent()).toContain('"then": "approve"');
      await page.getByText("runs what the project says").waitFor();
      await page.getByText("It starts as a dry run").waitFor();
      await page.getByRole("radio", { name: "Refuse it" }).check();
      await expect.poll(() => rule.textContent()).toContain('"then": "deny"');
      const shown = await rule.textContent();
      await button(page, "Add as dry run").click();
      await page.getByText("Rule added").waitFor();
      expect(automation.added).toEqual([shown]);
      await button(page, "Show it").click();
      await page.locator("button[data-rule=look]").waitFor();
    }));

  it("says why there can be none, and why it was not added", () =>
    withPopover({}, async ({ page, popover, automation, ref }) => {
      const draft = automation.draft;
      automation.draft = () => {
        throw new AgtmuxError("E_UNSUPPORTED", "rules support only simple commands");
      };
      await page.locator(`[data-ref="${ref}"]`).focus();
      await popover.press("u");
      await page.getByText("Rules support only simple commands.").waitFor();
      await button(page, "Add as dry run").click({ force: true });
      expect(automation.added).toEqual([]);
      automation.draft = draft;
      await page.getByRole("radio", { name: "Always leave it to me" }).check();
      await page.getByLabel("In words").waitFor();
      automation.failures.set("ruleAdd", new AgtmuxError("E_CONFIG_INVALID", "the file has a mistake"));
      await button(page, "Add").click();
      await page.getByText("The file has a mistake.").waitFor();
      expect(automation.added).toEqual([]);
    }));

  it("is shown as text, whatever stands in it", () =>
    withPopover({}, async ({ page, popover, automation, ref }) => {
      automation.draft = () => ({
        rule: { name: HOSTILE, when: { commands: [[HOSTILE]] }, then: "approve" },
        text: `{ ${HOSTILE} }`,
        notes: [HOSTILE],
      });
      await page.locator(`[data-ref="${ref}"]`).focus();
      await popover.press("u");
      await page.getByLabel("Rule", { exact: true }).waitFor();
      const text = (await popover.dialog.textContent()) ?? "";
      expect(text).not.toMatch(/[\u202E\u200B]/);
      expect(await page.title()).not.toBe("1");
    }));

  it("is armed in the app by whoever has read all of it, and not in a browser", async () => {
    const make = async ({ page, popover, ref }: Started) => {
      await page.locator(`[data-ref="${ref}"]`).focus();
      await popover.press("u");
      await page.getByLabel("In words").waitFor();
      await button(page, "Add as dry run").click();
      await page.getByText("Rule added").waitFor();
    };
    await withPopover({}, async (started) => {
      await make(started);
      expect(await button(started.page, "Arm…").count()).toBe(0);
      expect(started.automation.armed).toEqual([]);
    });
    await withPopover({ isApp: true }, async (started) => {
      const { page, automation } = started;
      await make(started);
      await button(page, "Arm…").click();
      expect(automation.armed).toEqual([]);
      await button(page, "Arm it").click();
      await expect.poll(() => automation.armed).toMatchObject([{ surface: "popover" }]);
      await page.getByText("Rule armed").waitFor();
    });
  });

  it("leads from what its row says to the rule that would answer it", () =>
    withPopover({ viewport: { width: 360, height: 600 } }, async ({ page, automation, ref }) => {
      const runtimeId = cardOf(scene()).identity.runtime_id ?? "";
      automation.rules = automation.rules.map((rule) =>
        rule.name === "look" && rule.last !== null
          ? { ...rule, last: { ...rule.last, runtime_id: runtimeId } }
          : rule,
      );
      await cardAt(page, ref).locator("[data-armed]").click();
      await expect.poll(() => page.locator("button[data-rule]").count()).toBe(1);
    }));
});

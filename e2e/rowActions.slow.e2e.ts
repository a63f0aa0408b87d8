// What the popover keeps about a row for the person, on a scripted daemon: each by its key, with what it says and what is asked of
// the daemon.
import { expect, it } from "vitest";
import {
  makeAdapterView,
  makePane,
  makePullRequest,
  makeTarget,
  makeWorkspace,
  usedTo,
} from "../test/factories/view.ts";
import { fakeHandOver } from "../test/fakes/fakeHandOver.ts";
import { FakeAutomation } from "../test/fakes/fakeAutomation.ts";
import { usePopovers } from "./launchers/popovers.ts";
import { expectSound } from "./looks/openedOnce.ts";
import { mixedScene } from "./scenes/scenes.ts";

const { start } = usePopovers();

const open = async () => {
  const automation = new FakeAutomation();
  const panes = [makePane({ windowName: "api", state: "running", since: Date.now() })];
  const started = await start(panes, { features: [automation] });
  await started.popover.row("api").focus();
  return { ...started, automation, ref: panes[0]?.identity.pane_ref ?? "" };
};

it("tells when a turn is over by one key, and takes that back by the same", async () => {
  const started = await open();
  const { daemon, popover, automation, ref } = started;
  await popover.press("t");
  await popover.status.getByText("You'll be told when this turn is over.").waitFor();
  expect(automation.items).toMatchObject([{ when: "done", runtime_id: "rt1", surface: "popover" }]);
  daemon.refine(ref, { armed: "tells when done" });
  await popover.row("api").getByText("tells when done").waitFor();
  await popover.press("ArrowRight");
  await popover.action("Don't tell me").waitFor();
  await expectSound(started);
  await popover.press("t");
  await popover.status.getByText("You won't be told").waitFor();
  expect(automation.items).toMatchObject([{ state: "cancelled" }]);
});

it("mutes by one key for an hour, by the same until its end, and unmutes; the row says so quietly", async () => {
  const started = await open();
  const { daemon, popover, page } = started;
  for (const [forMs, said, onRow] of [
    [3_600_000, /^ ?Muted until \d\d:\d\d; z again mutes it until it ends\.$/, 1],
    ["end", "Muted until it ends; z again unmutes it.", 1],
    [null, "No longer muted.", 0],
  ] as const) {
    await popover.press("z");
    await popover.status.getByText(said).waitFor();
    expect(daemon.asked.at(-1)).toMatchObject({ action: "mute", input: { forMs, surface: "popover" } });
    // The row comes with the feed, on a way of its own.
    await expect.poll(() => page.locator("[data-part=muted]").count()).toBe(onRow);
  }
});

it("opens the page of a pull request by one key or its button, and no other address", async () => {
  const failed = { state: "failed", failed: "lint", failed_count: 1 } as const;
  const of = (pane: number, windowName: string, url: string | null) =>
    makePane({
      pane,
      windowName,
      state: "idle",
      since: Date.now(),
      workspace: makeWorkspace({ pull_request: makePullRequest({ checks: failed, url }) }),
    });
  const started = await start([
    of(1, "api", "https://github.com/acme/shop/pull/12"),
    of(2, "evil", "javascript:alert(1)"),
    of(3, "else", "https://github.com.evil.example/acme/shop/pull/12"),
  ]);
  const { popover, page } = started;
  const HOW = ["https://github.com/acme/shop/pull/12", "_blank", "noopener,noreferrer"];
  await page.evaluate("window.opened = []; window.open = (...how) => (window.opened.push(how), null)");
  const opened = () => page.evaluate<string[][]>("window.opened");
  await popover.row("api").getByText("#12 lint failed").waitFor();
  for (const name of ["evil", "else"]) {
    await popover.row(name).focus();
    await popover.press("O");
    await popover.alert.getByText("Its host names no page of it.").waitFor();
    await popover.press("Escape");
    await popover.press("ArrowRight");
    await popover.action("Changes").or(popover.action("Kill…")).first().waitFor();
    expect(await popover.action("Pull request").count()).toBe(0);
    await popover.press("Escape");
  }
  await popover.row("api").focus();
  await popover.press("O");
  await expect.poll(async () => (await opened()).length).toBe(1);
  await popover.press("ArrowRight");
  await popover.action("Pull request").click();
  await expect.poll(async () => (await opened()).length).toBe(2);
  await page.getByText("Pull request #12: open, lint failed: “Split refunds”").waitFor();
  expect(await opened()).toEqual([HOW, HOW]);
  await expectSound(started);
});

it("renames a row in a dialog, and gives it its title again", async () => {
  const started = await open();
  const { daemon, popover, page } = started;
  await popover.press("F2");
  await popover.dialog.getByLabel("Name").waitFor();
  await expectSound(started);
  await page.keyboard.type("refunds, second try");
  await popover.press("Enter");
  await popover.row("refunds, second try").waitFor();
  expect(daemon.asked).toMatchObject([{ action: "rename", input: { name: "refunds, second try" } }]);
  await popover.press("F2");
  await popover.dialog.getByLabel("Name").fill("");
  await popover.press("Enter");
  await popover.row("api").waitFor();
  // No agent here has a command for its session's name.
  await popover.press("F2");
  expect(await popover.dialog.getByRole("checkbox").count()).toBe(0);
});

it("names the agent's own session, too, where it has a command for that and the person ticks it", async () => {
  const started = await open();
  const { daemon, popover, page } = started;
  const list = daemon.adapters();
  const capabilities = { supports_session_name: true };
  daemon.adapters = () => ({
    ...list,
    items: [makeAdapterView("claude", "Claude Code", [], { capabilities })],
  });
  await page.reload();
  await popover.row("api").focus();
  await popover.press("F2");
  await popover.dialog.getByLabel("Also name the session in Claude Code").check();
  await expectSound(started);
  await popover.dialog.getByLabel("Name", { exact: true }).fill("refunds");
  await popover.press("Enter");
  await popover.status.getByText("The session has the name, too.").waitFor();
  expect(daemon.asked).toMatchObject([{ action: "rename", input: { name: "refunds", session: true } }]);
});

it("denies with a reason in one step, which follows as a message; a prompt that came meanwhile is not denied, and the reason stays", async () => {
  const automation = new FakeAutomation();
  const [refunds] = mixedScene(Date.now());
  if (refunds === undefined) throw new Error("the scene is empty");
  const started = await start([refunds], { features: [automation] });
  const { daemon, popover, page } = started;
  await popover.row("refunds").focus();
  await popover.readAndPress("b");
  await popover.dialog.getByLabel("Reason").waitFor();
  await expectSound(started);
  await popover.press("Enter");
  expect(daemon.asked).toEqual([]);
  await page.keyboard.type("use the staging copy");
  await popover.press("Enter");
  await popover.status.getByText("The reason follows when it is idle").waitFor();
  expect(daemon.asked).toMatchObject([
    { action: "answer", input: { choice: { kind: "deny" }, guards: { ifPrompt: "fp-refunds" } } },
  ]);
  expect(automation.items).toMatchObject([
    { kind: "send", text: "use the staging copy", runtime_id: refunds.identity.runtime_id },
  ]);
  await popover.readAndPress("b");
  await popover.dialog.getByLabel("Reason").fill("not that");
  daemon.put({ ...refunds, prompt_fingerprint: "fp-other" });
  await popover.press("Enter");
  await popover.alert.getByText("it changed").waitFor();
  expect(automation.items).toHaveLength(1);
  await popover.row("refunds").getByText("draft").waitFor();
});

it("hands a session over: shows who starts where and with what, starts nothing before the person says so", async () => {
  const text = `# Work handed over\n\n${"what was said\n".repeat(60)}`;
  const handOver = fakeHandOver(text);
  const activity = { folder: "/home/ann/src/shop/web", work_tree: "/home/ann/src/shop" };
  const pane = { ...makePane({ windowName: "api", state: "idle", activity }), agent_session_id: "s-1" };
  const started = await start([pane], { features: handOver.features });
  const { popover, page } = started;
  await popover.row("api").focus();
  await popover.press("p");
  const { dialog } = popover;
  await expect.poll(() => dialog.getByLabel("What it is told").inputValue()).toBe(text);
  // Another kind of agent, that is installed.
  expect(await dialog.getByLabel("Agent").inputValue()).toBe("codex");
  expect(await dialog.getByLabel("Folder").inputValue()).toBe("/home/ann/src/shop");
  await expectSound(started);
  await popover.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(handOver.started).toEqual([]);
  await popover.row("api").focus();
  await popover.press("p");
  await expect.poll(() => dialog.getByLabel("What it is told").inputValue()).toBe(text);
  await dialog.getByLabel("What it is told").fill("go on with the refunds");
  await page.keyboard.press("Control+Enter");
  await dialog.getByText("codex runs in session shop").waitFor();
  expect(handOver.refs).toEqual(["claude:s-1", "claude:s-1"]);
  expect(handOver.started).toMatchObject([
    { agent: "codex", target: "host", folder: "/home/ann/src/shop", text: "go on with the refunds" },
  ]);
});

it("hands a session that stopped at a limit over to the account that has room", async () => {
  const in2h = new Date(Date.now() + 2 * 3_600_000 + 60_000).toISOString();
  const handOver = fakeHandOver("short work", {}, [usedTo(100, "home", in2h), usedTo(12, "work", in2h)]);
  const activity = { work_tree: "/home/ann/src/shop" };
  const error = { state: "error", reason: "usage_limit" } as const;
  const pane = { ...makePane({ windowName: "api", agent: "codex", ...error, activity }), account: "home" };
  const started = await start([{ ...pane, agent_session_id: "s-1" }], { features: handOver.features });
  const { popover, page } = started;
  await popover.row("api").focus();
  await popover.press("p");
  const agent = popover.dialog.getByLabel("Agent");
  await expect.poll(() => agent.inputValue()).toBe("codex work");
  expect(await agent.locator("option").allTextContents()).toEqual([
    "Claude Code",
    "Gemini CLI (not found)",
    "Codex",
    "Codex (home), 100 % of 5 hours used, resets in 2h",
    "Codex (work), 12 % used",
  ]);
  expect(await popover.dialog.getByLabel("Folder").inputValue()).toBe("/home/ann/src/shop");
  await expectSound(started);
  await expect.poll(() => popover.dialog.getByLabel("What it is told").inputValue()).toBe("short work");
  await page.keyboard.press("Control+Enter");
  await popover.dialog.getByText("codex runs in session shop").waitFor();
  expect(handOver.started).toMatchObject([{ agent: "codex", account: "work", folder: "/home/ann/src/shop" }]);
});

it("says quietly that an account is nearly used up, and with its machine how much and since when", async () => {
  const in2h = new Date(Date.now() + 2 * 3_600_000 + 60_000).toISOString();
  const target = makeTarget({ limits: [usedTo(86, null, in2h)] });
  const started = await start([makePane({ windowName: "api" })]);
  const { page, daemon } = started;
  expect(await page.getByRole("note", { name: "Limits" }).count()).toBe(0);
  daemon.setTargets([target]);
  const line = "Codex: 86 % of 5 hours used, resets in 2h";
  await page.getByRole("note", { name: "Limits" }).getByText(line, { exact: true }).waitFor();
  await expectSound(started);
  await page.getByRole("button", { name: "Machines" }).click();
  await page.getByText(`${line} (as of`).waitFor();
});

it("says with this machine that there is a newer agtmux", async () => {
  const { page, daemon } = await start([makePane({ windowName: "api" })]);
  daemon.setTargets([makeTarget({ newer_release: "9.9.9" })]);
  await page.getByRole("button", { name: "Machines" }).click();
  await page
    .getByText("A newer agtmux, 9.9.9, is there: 'agtmux upgrade' says how to get it.", { exact: true })
    .waitFor();
});

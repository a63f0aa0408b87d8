// What a browser adds to the popover: the number in the title and on the icon, notifications, the address that is opened again;
// and the detail beside the list in a wide window. On a fake daemon.
import { describe, expect, it, vi } from "vitest";
import { makePane } from "../test/factories/view.ts";
import { usePopovers, WAIT } from "./launchers/popovers.ts";
import { SCREEN } from "./scenes/scenes.ts";
import { tenScene } from "./scenes/workScene.ts";

const popovers = usePopovers();
const startTen = async ({ width = 440, height = 800, hasOwnPage = false } = {}) => {
  const started = await popovers.start(tenScene(Date.now()), { viewport: { width, height }, hasOwnPage });
  await started.popover.card("refunds").waitFor();
  return started;
};

it("says in its title and on its icon how many need the person", async () => {
  const { daemon, page } = await startTen();
  const icon = () => page.locator("link[rel=icon]").getAttribute("href");
  await vi.waitFor(async () => expect(await page.title()).toBe("(4) agtmux"), WAIT);
  expect(decodeURIComponent((await icon()) ?? "")).toContain(">4</text>");
  for (const pane of tenScene(Date.now()).slice(0, 4)) daemon.remove(pane.identity.pane_ref);
  await vi.waitFor(async () => expect(await page.title()).toBe("agtmux"), WAIT);
  expect(decodeURIComponent((await icon()) ?? "")).not.toContain("</text>");
});

it("asks for notifications by a click only, and then follows what the daemon notifies of", async () => {
  const { daemon, page, context } = await startTen({ hasOwnPage: true });
  // A headless browser refuses, as some people do; then nothing is followed.
  await context.grantPermissions(["notifications"]);
  await page.addInitScript(() => {
    const state = { permission: "default" as NotificationPermission };
    class Fake extends EventTarget {
      static get permission() {
        return state.permission;
      }
      static requestPermission() {
        state.permission = "granted";
        return Promise.resolve(state.permission);
      }
    }
    Object.defineProperty(window, "Notification", { value: Fake });
  });
  await page.reload();
  const bell = page.getByRole("button", { name: "Notify me in this browser" });
  await bell.waitFor();
  expect(daemon.notificationClients).toBe(0);
  await bell.click();
  await bell.waitFor({ state: "detached" });
  await vi.waitFor(() => expect(daemon.notificationClients).toBe(1), WAIT);
});

describe("a wide window", () => {
  it("shows beside the list what the selected agent did, without reading it for the person", async () => {
    const { daemon, popover, page } = await startTen({ width: 1_100, height: 1_200 });
    const done = tenScene(Date.now()).find(({ window_name: name }) => name === "invoices");
    if (done === undefined) throw new Error("the scene has changed");
    daemon.put({ ...done, unread_since: done.since });
    daemon.outputs.set(done.identity.pane_ref, { screen: SCREEN });
    const row = popover.row("Dark mode for invoices");
    await row.getByText("NEW").waitFor();
    await row.focus();
    const aside = page.getByRole("complementary", { name: "Selected agent" });
    await aside.getByText("Moulding").waitFor();
    expect(daemon.outputRequests.at(-1)).toMatchObject({ isPreview: true, ansi: true });
    await row.getByText("NEW").waitFor();
    expect(await page.getByRole("main").getByRole("group", { name: "Detail" }).count()).toBe(0);
    // To expand it is to look at it.
    await popover.press("Space");
    await row.getByText("NEW").waitFor({ state: "detached" });
    await popover.press("r");
    await aside.getByRole("textbox").waitFor();
  });
});

describe("while the person points at the list", () => {
  it("nothing moves below the pointer when waits come and go, and all is closed up when it leaves", async () => {
    const { daemon, popover, page } = await startTen();
    const now = Date.now();
    const [terraform, refunds] = tenScene(now);
    if (terraform === undefined || refunds === undefined) throw new Error("the scene has changed");
    await popover.read();
    const deny = popover.answer("webhooks", "Deny");
    await deny.hover();
    await page.mouse.move(3, 3);
    await deny.hover();
    const before = await deny.boundingBox();
    // One above went on, another one comes above, and its pane is listed below.
    daemon.put({
      ...makePane({ session: "infra", windowName: "terraform", state: "running" }),
      identity: terraform.identity,
    });
    await page.getByText("No longer needs you").waitFor();
    expect(await deny.boundingBox()).toEqual(before);
    daemon.put(makePane({ pane: 77, session: "new", windowName: "first", state: "error", since: now - 9e7 }));
    await popover.card("first").waitFor({ state: "attached" });
    await vi.waitFor(async () => expect(await deny.boundingBox()).toEqual(before), WAIT);
    await page.mouse.move(3, 3);
    await page.getByText("No longer needs you").waitFor({ state: "detached" });
  });
});

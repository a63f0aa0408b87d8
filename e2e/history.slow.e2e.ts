// The History tab over a real daemon and logs on disk: list, filter, search inside, the end of a session, by mouse and keyboard.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStartHarness, type StartHarness } from "../test/workspaces/startHarness.ts";
import { RECORDED_PATHS } from "../test/history/historyHome.ts";
import { recordedLog } from "../adapters/testkit/recordedLog.ts";
import { shareStage } from "./launchers/popovers.ts";
import { recordLook } from "./looks/look.ts";

const stage = shareStage();
let scene: StartHarness;

const write = (path: string, text: string): void => {
  const file = join(scene.daemon.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const FOLDER = ".claude/projects/-w";
const HOSTILE_ID = "aaaaaaaa-1111-1111-1111-111111111111";
const hostile = '<img src=x onerror="document.title=1">\u202E **bold** <script>document.title=1</script>';

beforeAll(async () => {
  scene = await openStartHarness();
  for (const [agent, path] of Object.entries(RECORDED_PATHS)) write(path, recordedLog(`${agent}.jsonl`));
  const line = (cwd: string, content: string, at: string): string =>
    `${JSON.stringify({ type: "user", cwd, timestamp: at, message: { role: "user", content } })}\n`;
  write(`${FOLDER}/${HOSTILE_ID}.jsonl`, line(scene.root, hostile, "2026-11-01T10:00:00.000Z"));
  write(
    `${FOLDER}/aaaaaaaa-2222-1111-1111-111111111111.jsonl`,
    line(join(scene.root, "gone"), "make the retry budget smaller", "2026-11-02T10:00:00.000Z"),
  );
}, 60_000);
afterAll(() => scene?.close());

it("the History tab finds a session again, and shows it as text alone", async () => {
  const { popover, page, errors } = await stage.show({ daemon: { home: scene.daemon.paths.home } });
  await page.locator("body").press("h");
  const rows = page.locator("button[data-session]");
  await rows.first().waitFor();
  await expect.poll(() => rows.count()).toBe(Object.keys(RECORDED_PATHS).length + 2);
  expect(await rows.last().textContent()).toContain('<img src=x onerror="document.title=1">⟨U+202E⟩');
  await recordLook(page, { name: "historyList", isPictured: false });

  await rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("group", { name: "End of the session" }).waitFor();
  expect(await page.locator("[data-session][aria-expanded=true]").count()).toBe(1);
  await recordLook(page, { name: "historyOpen", isPictured: false });

  await popover.press("/");
  await page.keyboard.type("recovered");
  await page.getByText("No session matches by name").waitFor();
  await page.getByRole("button", { name: "Search inside sessions" }).click();
  await page.getByText("1 found.").waitFor();
  expect(await page.locator("[data-role=agent]").textContent()).toBe("Agentrecovered");
  await recordLook(page, { name: "historyFound", isPictured: false });
  // Its folder is gone: it is said, and nothing is started.
  await popover.press("Escape");
  await popover.press("/");
  await page.keyboard.type("retry budget smaller");
  await expect.poll(() => rows.count()).toBe(1);
  await rows.first().click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("there is no folder").waitFor();
  expect(await page.title()).not.toBe("1");
  // The browser notes the refusal.
  expect(errors).toEqual([expect.stringContaining("workspaces.start")]);
});

it("goes on with a session where it worked", { timeout: 60_000 }, async () => {
  const { page, errors } = await stage.show({ daemon: { home: scene.daemon.paths.home } });
  await page.locator("body").press("h");
  const hostileRow = page.locator("button[data-session]").last();
  await hostileRow.click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("runs in session work").waitFor({ timeout: 30_000 });
  expect(scene.starts()).toEqual([{ folder: scene.root, args: `--resume ${HOSTILE_ID}` }]);
  expect(errors).toEqual([]);
});

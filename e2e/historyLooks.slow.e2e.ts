// The pictures of docs/history.md and docs/workspaces.md: the sessions of a day's work, one of them opened, and the form that starts an
// agent; with the accessibility audit, as every look.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStartHarness, type StartHarness } from "../test/workspaces/startHarness.ts";
import { shareStage } from "./launchers/popovers.ts";
import { findFaults, recordLook } from "./looks/look.ts";

const MINUTE = 60_000;
const stage = shareStage();
let scene: StartHarness;

const write = (path: string, lines: readonly object[]): void => {
  const file = join(scene.daemon.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
};
const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE).toISOString();

interface Talk {
  cwd: string;
  branch: string;
  minutes: number;
  said: readonly (readonly ["user" | "assistant", string])[];
}

const writeClaude = (number: number, { cwd, branch, minutes, said }: Talk): void => {
  const id = `${String(number).padStart(8, "0")}-1111-4111-8111-111111111111`;
  write(
    `.claude/projects/-p/${id}.jsonl`,
    said.map(([type, content], index) => ({
      type,
      cwd,
      gitBranch: branch,
      sessionId: id,
      timestamp: ago(minutes - index / said.length),
      message: { role: type, content },
    })),
  );
};

const writeCodex = (number: number, { cwd, minutes, said }: Talk): void => {
  const id = `${String(number).padStart(8, "0")}-2222-4111-8111-111111111111`;
  const [[, message] = ["user", ""] as const] = said;
  write(`.codex/sessions/2026/11/22/rollout-2026-11-22T10-00-00-${id}.jsonl`, [
    {
      timestamp: ago(minutes),
      type: "session_meta",
      payload: { id, timestamp: ago(minutes), cwd, source: "cli" },
    },
    { timestamp: ago(minutes), type: "event_msg", payload: { type: "user_message", message } },
  ]);
};

beforeAll(async () => {
  scene = await openStartHarness();
  const shop = { cwd: "/home/ann/shop-api", branch: "main" };
  writeClaude(1, {
    ...shop,
    branch: "retry",
    minutes: 12,
    said: [
      ["user", "the retry budget counts a timed-out attempt twice: find out why"],
      [
        "assistant",
        "The worker's restart resets the attempt's id, so the same attempt is counted under two ids.",
      ],
      ["user", "keep the id over a restart, and add a test"],
      [
        "assistant",
        "The id is stored with the job now. The new test restarts the worker between two attempts; all 48 tests pass.",
      ],
    ],
  });
  writeCodex(2, { ...shop, minutes: 47, said: [["user", "split refunds by currency"]] });
  writeClaude(3, {
    ...shop,
    minutes: 130,
    said: [["user", "why does the nightly import take an hour since Tuesday?"]],
  });
  writeCodex(4, {
    ...shop,
    cwd: "/home/ann/docs",
    minutes: 300,
    said: [["user", "write the release notes of 4.2"]],
  });
  writeClaude(5, {
    ...shop,
    cwd: "/home/ann/app",
    branch: "dark",
    minutes: 1_600,
    said: [["user", "a dark theme for the settings"]],
  });
  writeClaude(6, {
    ...shop,
    minutes: 4_000,
    said: [["user", "upgrade to Node 24 and remove what it replaces"]],
  });
}, 60_000);
afterAll(() => scene?.close());

it("the pictures of history and workspaces (light, dark) are those of the documents", async () => {
  const { popover, page, errors } = await stage.show({ daemon: { home: scene.daemon.paths.home } });
  await page.locator("body").press("h");
  const rows = page.locator("button[data-session]");
  await expect.poll(() => rows.count()).toBe(6);
  await recordLook(page, { name: "history", isPictured: true });
  await rows.first().click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.getByRole("group", { name: "End of the session" }).waitFor();
  await recordLook(page, { name: "history-session", isPictured: true });
  expect(await findFaults(page)).toEqual([]);
  await popover.press("Escape");
  await popover.press("+");
  await page.getByRole("dialog").getByLabel("Agent").selectOption("claude");
  await page.getByLabel("Folder").fill("~/shop-api");
  await page.getByLabel("Branch").fill("split-refunds");
  await page.getByLabel("Task").fill("split refunds by currency, with a test for each");
  await recordLook(page, { name: "start", isPictured: true });
  expect(errors).toEqual([]);
});

// view-output on real panes: bounds, cleaning, the alternate screen, and the record of each look.
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openHarness, type Harness } from "./actionHarness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const show = async (command: string, last: string) => {
  const row = await harness.open(`printf '%b' "${command}"; exec cat`);
  const { pane_id } = row.identity;
  await vi.waitFor(async () => expect(await harness.screen(pane_id)).toContain(last), { timeout: 5_000 });
  return row;
};

it.concurrent("gives the newest lines of scrollback and screen, and says when older ones were left out", async () => {
  const row = await harness.open("seq 1 200; exec cat");
  const view = (lines: number) =>
    harness.service.viewOutput({ ...harness.request(row), lines, ansi: false, source: "screen" });
  await vi.waitFor(async () => expect((await view(1)).lines).toEqual(["200"]), { timeout: 5_000 });
  const some = await view(50);
  expect([some.lines.length, some.lines[0], some.lines.at(-1), some.cut]).toEqual([
    50,
    "151",
    "200",
    "lines",
  ]);
  const all = await view(10_000);
  expect([all.lines.length, all.lines[0], all.cut, all.is_alternate]).toEqual([200, "1", "none", false]);
});

it.concurrent("keeps colours on request and nothing else that a terminal would obey", async () => {
  const row = await show(String.raw`\033]0;title\007\033[31mred\033[0m plain \033[1;4mend\033[0m`, "end");
  const view = (ansi: boolean) =>
    harness.service.viewOutput({ ...harness.request(row), lines: 5, ansi, source: "screen" });
  expect((await view(false)).lines).toEqual(["red plain end"]);
  const { lines, has_ansi } = await view(true);
  expect([lines.length, has_ansi]).toEqual([1, true]);
  expect(lines[0]?.startsWith("\u001b[31mred\u001b[")).toBe(true);
  // oxlint-disable-next-line no-control-regex -- it is what this is about
  expect(lines[0]?.replace(/\u001b\[[0-9;]*m/g, "")).toBe("red plain end");
});

it.concurrent("shows of the alternate screen what is visible and not what was there before the program", async () => {
  const row = await show(String.raw`before\n\033[?1049h\033[Hinside`, "inside");
  const output = await harness.service.viewOutput({
    ...harness.request(row),
    lines: 100,
    ansi: false,
    source: "screen",
  });
  expect([output.lines, output.is_alternate]).toEqual([["inside"], true]);
});

it.concurrent("is refused by a guard that does not hold, and both are on record", async () => {
  const row = await show("here", "here");
  const request = harness.request(row, { ifState: "running" });
  await expect(
    harness.service.viewOutput({ ...request, lines: 5, ansi: false, source: "screen" }),
  ).rejects.toMatchObject({
    code: "E_STALE_SNAPSHOT",
  });
  await harness.service.viewOutput({ ...harness.request(row), lines: 5, ansi: false, source: "screen" });
  const items = harness.service
    .audit({ limit: 500 })
    .items.filter(({ ref }) => ref === row.identity.pane_ref);
  expect(items.map(({ action, outcome }) => [action, outcome])).toEqual([
    ["view-output", "delivered"],
    ["view-output", "E_STALE_SNAPSHOT"],
  ]);
});

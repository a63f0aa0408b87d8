// Where the panes of documents stand, on real tmux: in columns as the editor shows them, in at most three calls; and which pane a
// claim by its place means.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openHarness, type Harness } from "./actionHarness.ts";
import { runDoc } from "./documentCommand.ts";
import { noteTmux, type NotedTmux } from "./notedTmux.ts";

const UUID = (at: number): string => `6f1f0a5e-3c0e-4b83-9d0a-${String(at).padStart(12, "0")}`;

let harness: Harness;
let folder: string;
let noted: NotedTmux;
beforeAll(async () => {
  harness = await openHarness();
  noted = noteTmux(harness.tmux.folder);
}, 60_000);
afterAll(() => harness.close());
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-places-")));
  mkdirSync(join(folder, ".agent-doc"));
});

const tmux = (...args: string[]): Promise<string> => harness.tmux.run(...args);
const doc = (...args: string[]) => runDoc(harness, folder, args, { env: { PATH: noted.path } });

/** Documents `0.md`… with a pane each, claimed as agent-doc writes it down. */
const claimAll = (panes: readonly string[], window?: string): void => {
  const entries = panes.map((pane, at) => {
    writeFileSync(join(folder, `${at}.md`), `---\nagent_doc_session: "${UUID(at)}"\n---\n# ${at}\n`);
    const started = new Date().toISOString();
    return [
      UUID(at),
      { pane, pid: 1, cwd: folder, started, file: `${at}.md`, ...(window === undefined ? {} : { window }) },
    ];
  });
  writeFileSync(join(folder, ".agent-doc", "sessions.json"), JSON.stringify(Object.fromEntries(entries)));
};
const openPane = (): Promise<string> =>
  tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "base:", "exec cat");
const split = (pane: string, how: string): Promise<string> =>
  tmux("split-window", how, "-d", "-P", "-F", "#{pane_id}", "-t", pane, "exec cat");
const windowOf = (pane: string): Promise<string> => tmux("display-message", "-p", "-t", pane, "#{window_id}");
const activePane = (): Promise<string> => tmux("display-message", "-p", "-t", "base:", "#{pane_id}");

/** The panes of a window by column, left to right and top to bottom. */
const columnsOf = async (window: string): Promise<string[][]> => {
  const lines = (await tmux("list-panes", "-t", window, "-F", "#{pane_left} #{pane_top} #{pane_id}")).split(
    "\n",
  );
  const places = lines
    .map((line) => line.split(" "))
    .map(([left, top, pane]) => ({ left: Number(left), top: Number(top), pane: pane ?? "" }));
  const columns = new Map<number, typeof places>();
  for (const place of places.toSorted((a, b) => a.left - b.left || a.top - b.top))
    columns.set(place.left, [...(columns.get(place.left) ?? []), place]);
  return [...columns.values()].map((column) => column.map(({ pane }) => pane));
};

describe("sync", () => {
  it("brings twelve panes of twelve windows into columns in three calls of tmux, and moves nothing the next time", async () => {
    const panes: string[] = [];
    for (let at = 0; at < 12; at += 1) panes.push(await openPane());
    claimAll(panes);
    const columns = [[0, 1, 2], [3], [4, 5, 6, 7, 8], [9, 10, 11]];
    const args = columns.flatMap((column) => ["--col", column.map((at) => `${at}.md`).join(",")]);
    const synced = await doc("sync", ...args, "--focus", "4.md");
    expect([synced.code, synced.stderr]).toEqual([0, ""]);
    expect(noted.calls()).toEqual(["list-panes", "if-shell", "list-panes"]);
    const window = await windowOf(panes[0] ?? "");
    expect(await columnsOf(window)).toEqual(columns.map((column) => column.map((at) => panes[at])));
    expect(await activePane()).toBe(panes[4]);

    // A person has made one of them larger: that is no disorder.
    await tmux("resize-pane", "-t", panes[0] ?? "", "-x", "40");
    expect((await doc("sync", ...args)).code).toBe(0);
    expect(noted.calls()).toEqual(["list-panes"]);

    const other = ["--col", "11.md,3.md", "--col", "0.md"];
    expect((await doc("sync", ...other, "--window", window)).code).toBe(0);
    expect(noted.calls().length).toBeLessThanOrEqual(3);
    expect(await columnsOf(window)).toEqual([[panes[11], panes[3]], [panes[0]]]);
    const there = (await tmux("list-panes", "-a", "-F", "#{pane_id}")).split("\n");
    expect(panes.filter((pane) => !there.includes(pane))).toEqual([]);
  });

  it("lets a shell stay where that is asked, and moves it out else", async () => {
    const [one, two] = [await openPane(), await openPane()];
    const shell = await split(one, "-h");
    claimAll([one, two]);
    await doc("sync", "--col", "0.md", "--col", "1.md", "--keep-foreign");
    expect(await columnsOf(await windowOf(one))).toEqual([[one], [two], [shell]]);
    await doc("sync", "--col", "1.md", "--col", "0.md");
    expect(await columnsOf(await windowOf(one))).toEqual([[two], [one]]);
    expect(await windowOf(shell)).not.toBe(await windowOf(one));
  });

  it("leaves files without a pane out, and refuses what it cannot do, without moving anything", async () => {
    const [one, two] = [await openPane(), await openPane()];
    claimAll([one, two]);
    writeFileSync(join(folder, "bare.md"), "# Nothing\n");
    writeFileSync(join(folder, "broken.md"), "---\na: [\n---\n");
    const partly = await doc("sync", "--col", "0.md,bare.md,none.md", "--col", "broken.md,1.md");
    expect([partly.code, partly.stderr.split("\n").length]).toEqual([0, 4]);
    expect(await columnsOf(await windowOf(one))).toEqual([[one], [two]]);
    for (const [args, code] of [
      [["sync", "--col", "0.md", "--window", "x;kill-server"], 2],
      [["sync", "--col", "bare.md"], 3],
    ] as const)
      expect([args, (await doc(...args)).code]).toEqual([args, code]);
    expect(await columnsOf(await windowOf(one))).toEqual([[one], [two]]);
    writeFileSync(join(folder, ".agent-doc", "sessions.json"), "{ broken");
    expect((await doc("sync", "--col", "0.md")).code).toBe(65);
  });

  it("says so where the window is too small, and moves nothing", async () => {
    const first = await tmux(
      "new-session",
      "-d",
      "-P",
      "-F",
      "#{pane_id}",
      "-s",
      "small",
      "-x",
      "5",
      "-y",
      "20",
      "exec cat",
    );
    const panes = [first, await openPane(), await openPane()];
    claimAll(panes);
    const args = panes.flatMap((_pane, at) => ["--col", `${at}.md`]);
    const refused = await doc("sync", ...args, "--window", await windowOf(first));
    expect([refused.code, refused.stderr]).toEqual([15, expect.stringContaining("too small")]);
    expect(await columnsOf(await windowOf(first))).toEqual([[first]]);
  });
});

describe("what another program claimed", () => {
  it.each([
    [
      "before the tmux server's start",
      { started: "2020-01-01T00:00:00Z" },
      "the tmux server was started again, and %0 is another pane",
    ],
    [
      "at a time that has not come",
      { started: "2099-01-01T00:00:00Z" },
      "can't tell when pane %0 was claimed",
    ],
    ["at no time", { started: "soon" }, "can't tell when pane %0 was claimed"],
    ["on another machine", { cwd: "/Users/somebody/project" }, "pane %0 was claimed from another folder"],
    ["for another folder", { cwd: "/" }, "pane %0 was claimed from another folder"],
  ])("%s is not this pane", async (_when, more, reason) => {
    const pane = await openPane();
    claimAll([pane]);
    const file = join(folder, ".agent-doc", "sessions.json");
    const [[id, entry] = ["", {}]] = Object.entries(
      JSON.parse(readFileSync(file, "utf8")) as Record<string, object>,
    );
    writeFileSync(file, JSON.stringify({ [id]: { ...entry, ...more } }));
    expect((await doc("focus", "0.md")).code).toBe(3);
    expect((await doc("resync")).stdout).toContain(`0.md: removed, ${reason.replace("%0", pane)}`);
  });
});

describe("layout", () => {
  it("moves other documents' panes out and leaves shells alone; one file is gone to", async () => {
    const one = await openPane();
    const [three, shell] = [await split(one, "-v"), await split(one, "-v")];
    const two = await openPane();
    claimAll([one, two, three]);
    expect((await doc("layout", "1.md", "0.md")).code).toBe(0);
    const window = await windowOf(one);
    expect(await columnsOf(window)).toEqual([[two], [one], [shell]]);
    expect(await activePane()).toBe(two);
    expect((await doc("layout", "0.md")).code).toBe(0);
    expect(await activePane()).toBe(one);
    await doc("layout", "0.md", "1.md", "--split", "v");
    expect(await columnsOf(window)).toEqual([[one, two], [shell]]);
  });

  it("of a window takes only what was claimed in it", async () => {
    const [one, two] = [await openPane(), await openPane()];
    const three = await split(one, "-h");
    const window = await windowOf(one);
    claimAll([one, two, three], window);
    const text = readFileSync(join(folder, ".agent-doc", "sessions.json"), "utf8");
    const entries = JSON.parse(text) as Record<string, { window: string }>;
    const other = entries[UUID(1)];
    if (other !== undefined) other.window = await windowOf(two);
    writeFileSync(join(folder, ".agent-doc", "sessions.json"), JSON.stringify(entries));
    await doc("layout", "2.md", "1.md", "0.md", "--window", window.slice(1));
    expect(await columnsOf(window)).toEqual([[three], [one]]);
    expect(await windowOf(two)).not.toBe(window);
  });
});

describe("a claim by place", () => {
  const claimed = async (...args: string[]): Promise<string | undefined> => {
    const { stdout } = await doc("claim", "plan.md", ...args);
    return /\(pane (%\d+)\)/.exec(stdout)?.[1];
  };

  it("means the pane at that side of the window, and another window of the project where that one is gone", async () => {
    writeFileSync(join(folder, "plan.md"), "# Plan\n");
    const left = await openPane();
    const top = await split(left, "-h");
    const bottom = await split(top, "-v");
    const window = await windowOf(left);
    expect(await claimed("--position", "left", "--window", window)).toBe(left);
    expect(await claimed("--position", "right", "--window", window)).toBe(top);
    await tmux("select-pane", "-t", bottom);
    expect(await claimed("--position", "bottom", "--window", window)).toBe(bottom);
    expect(await claimed("--position", "left", "--window", "@9999")).toBe(left);
    const file = join(folder, "plan.md");
    const text = readFileSync(file, "utf8");
    expect((await doc("claim", "plan.md", "--position", "middle")).code).toBe(2);
    expect(readFileSync(file, "utf8")).toBe(text);
    // No document is in a window that is there: the one that a person looks at.
    rmSync(join(folder, ".agent-doc", "sessions.json"));
    const front = await harness.tmux.newSession("front");
    expect(await claimed("--position", "left", "--window", "@9999")).toBe(front);
  });
});

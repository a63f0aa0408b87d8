// What a reference hits is what tmux itself means by the same session, window and pane: on a real tmux server with linked
// windows, session groups, moved windows and odd names, through the daemon that every action goes through.
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  nat,
  record,
  subarray,
} from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import { cleanName } from "../../core/tmux/cleanText.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const refTo = (session: string, window: string, pane: string): string =>
  `pane:host:sock/${encodeURIComponent(session)}/${window}/${pane}`;

/** The pane that the daemon takes the reference for, or why it takes it for none. */
const hitBy = async (ref: string): Promise<string> => {
  try {
    return (await harness.service.explain({ ref })).pane.identity.pane_id;
  } catch (error) {
    if (error instanceof AgtmuxError) return error.code;
    throw error;
  }
};

/** What tmux finds by its own rules. The session by its id, because some names mean something else to tmux. */
const foundByTmux = async (sessionId: string, window: string, pane: string): Promise<string> => {
  const target = `${sessionId}:${window}.${pane}`;
  try {
    await harness.tmux.run("has-session", "-t", target);
  } catch {
    return "E_REF_NOT_FOUND";
  }
  return harness.tmux.run("display-message", "-p", "-t", target, "#{pane_id}");
};

const newPane = (...command: readonly string[]): Promise<string> =>
  harness.tmux.run(...command, "-d", "-P", "-F", "#{pane_id}", "exec cat");

it("an index of one session is not taken for that of another", async () => {
  const { tmux, service, daemon } = harness;
  // The oldest session stands for a pane: here it is the one in which the window has another index.
  await tmux.newSession("other");
  await tmux.newSession("work");
  const split = await newPane("split-window", "-t", "work:0");
  const alone = await newPane("new-window", "-t", "work:7");
  await tmux.run("link-window", "-d", "-s", "work:0", "-t", "work:5");
  await tmux.run("link-window", "-d", "-s", "work:0", "-t", "other:7");
  const row = await daemon.until(split, ({ also_in }) => also_in.length > 0);
  await daemon.until(alone, () => true);
  const ref = refTo("work", "7", "1");
  const input = { ...harness.request(row), ref, text: "rm -rf build", toShell: true };
  await expect(service.send({ ...input, pressEnter: true, idempotencyKey: null })).rejects.toMatchObject({
    code: "E_REF_NOT_FOUND",
  });
  expect((await harness.screen(split)).trim()).toBe("");
  for (const place of ["work/0", "work/5", "other/7"])
    expect([place, await hitBy(`pane:host:sock/${place}/1`)]).toEqual([place, split]);
  expect(await hitBy(refTo("work", "7", "0"))).toBe(alone);
});

it("an index is that of the moment, not that of the last look", async () => {
  const { tmux, daemon } = harness;
  await tmux.newSession("work");
  const second = await newPane("new-window", "-t", "work:4");
  const third = await newPane("new-window", "-t", "work:6");
  await daemon.until(third, () => true);
  await tmux.run("move-window", "-r", "-t", "work:");
  expect(await hitBy(refTo("work", "1", "0"))).toBe(second);
  expect(await hitBy(refTo("work", "2", "0"))).toBe(third);
  expect(await hitBy(refTo("work", "4", "0"))).toBe("E_REF_NOT_FOUND");
  await daemon.until(third, ({ window_index }) => window_index === 2);
});

const NAMES = [
  "work",
  "wor",
  "7",
  "@1",
  "%1",
  "$1",
  "=work",
  "-t",
  "a/b",
  "a b",
  "größe 漢字 👍🏽",
  "#{pane_id}",
  "!x'(y)*~",
  "back\\slash",
  'q"u$HOME',
  "ab",
  "a\u202eb",
  "a\u0001b",
  "a\u200fb",
  "end\ufffd",
  "end",
  `${"x".repeat(250)}1`,
  `${"x".repeat(250)}2`,
];

/** One step of building the scene: numbers are taken modulo what is there. */
const step = record({
  kind: constantFrom("split", "window", "link", "group", "unlink", "swap", "renumber", "base"),
  from: nat(40),
  to: nat(40),
  index: nat(8),
});
type Step = typeof step extends Arbitrary<infer S> ? S : never;

interface Session {
  id: string;
  name: string;
}
const sessionsNow = async (): Promise<Session[]> =>
  (await harness.tmux.run("list-sessions", "-F", "#{session_id} #{session_name}")).split("\n").map((line) => {
    const [, id = "", name = ""] = /^(\$\d+) (.*)$/s.exec(line) ?? [];
    return { id, name };
  });
const listed = async (...args: readonly string[]): Promise<string[]> =>
  (await harness.tmux.run(...args)).split("\n");
const pick = <T>(all: readonly T[], at: number): T => {
  const found = all[at % all.length];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
};

const take = async ({ kind, from, to, index }: Step): Promise<void> => {
  const run = (...args: readonly string[]): Promise<string> => harness.tmux.run(...args);
  const all = await listed("list-windows", "-a", "-F", "#{session_id}:#{window_index}");
  // The session that keeps the server alive stays as it is.
  const links = all.filter((link) => !link.startsWith("$0:"));
  const sessions = (await sessionsNow()).filter(({ id }) => id !== "$0");
  const [source, target] = [pick(links, from), pick(links, to)];
  const { id } = pick(sessions, to);
  switch (kind) {
    case "split":
      return void (await run("split-window", "-d", "-t", source, "exec cat"));
    case "window":
      return void (await run("new-window", "-d", "-n", "w", "-t", `${id}:${index}`, "exec cat"));
    case "link":
      return void (await run("link-window", "-d", "-s", source, "-t", `${id}:${index}`));
    case "group":
      return void (await run("new-session", "-d", "-t", id));
    case "unlink":
      return void (await run("unlink-window", "-t", source));
    case "swap":
      return void (await run("swap-window", "-d", "-s", source, "-t", target));
    case "renumber":
      return void (await run("move-window", "-r", "-t", `${id}:`));
    case "base":
      return void (await run("set-option", "-w", "-t", source, "pane-base-index", `${index % 3}`));
  }
};

it("whatever is linked, grouped, moved and named, a reference is what tmux means by it", async () => {
  const { tmux } = harness;
  await tmux.run("set-option", "-g", "automatic-rename", "off");
  await tmux.run("set-option", "-g", "allow-rename", "off");
  await tmux.run("set-option", "-g", "default-command", "exec cat");
  let found = 0;
  const property = asyncProperty(
    subarray(NAMES, { minLength: 2, maxLength: 4 }),
    array(step, { minLength: 4, maxLength: 14 }),
    array(record({ isThere: boolean(), session: nat(40), window: nat(40), pane: nat(40) }), {
      minLength: 30,
      maxLength: 30,
    }),
    async (names, steps, refs) => {
      for (const { id, name } of await sessionsNow())
        if (name !== "base") await tmux.run("kill-session", "-t", id);
      for (const name of names)
        await tmux.run("new-session", "-d", "-n", "w", `-s${name.replaceAll("#", "##")}`, "exec cat");
      // What tmux refuses (an index that is taken, the last pane) is no step.
      for (const one of steps) await take(one).catch(() => {});
      const sessions = await sessionsNow();
      const windows = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(String);
      const panes = ["0", "1", "2", "3"];
      const windowIds = await listed("list-windows", "-a", "-F", "#{window_id}");
      const paneIds = await listed("list-panes", "-a", "-F", "#{pane_id}");
      const there = await listed("list-panes", "-a", "-F", "#{session_id} #{window_index} #{pane_index}");
      // The first reference by an index brings the daemon up to now.
      await hitBy(refTo("base", "0", "0"));
      for (const at of refs) {
        // Half of them mean something for sure; of the others few do.
        const [sessionId, windowIndex, paneIndex] = at.isThere ? pick(there, at.window).split(" ") : [];
        const session = sessions.find(({ id }) => id === sessionId) ?? pick(sessions, at.session);
        const window = windowIndex ?? pick([...windows, ...windowIds], at.window);
        const pane = paneIndex ?? pick([...panes, ...paneIds], at.pane);
        const expected = await foundByTmux(session.id, window, pane);
        const name = cleanName(session.name, 200, session.id);
        if (expected.startsWith("%")) found += 1;
        const where = [session, window, pane];
        expect([...where, await hitBy(refTo(name, window, pane))]).toEqual([...where, expected]);
        // A name that is shown otherwise names nothing else as it is.
        if (name !== session.name) expect(await hitBy(refTo(session.name, window, pane))).toMatch(/^E_/);
      }
    },
  );
  await assert(property, { numRuns: 12, endOnFailure: true });
  expect(found).toBeGreaterThan(100);
}, 60_000);

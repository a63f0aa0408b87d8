// What a reference hits is what tmux itself means by the same session, window and pane: on a real tmux server with linked
// windows, session groups, moved windows and odd names, through the daemon that every action goes through.
import { array, assert, asyncProperty, boolean, nat, record, subarray } from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import { cleanName } from "../../core/tmux/cleanText.ts";
import { measureSlowness } from "../setup/machine.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { buildLayout, listed, NAMES, pick, sessionsNow, settleOptions, step } from "./layout.ts";

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
    return (await harness.service.explain({ ref })).pane.identity.pane_id ?? "";
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

it(
  "whatever is linked, grouped, moved and named, a reference is what tmux means by it",
  async () => {
    const { tmux } = harness;
    await settleOptions(tmux);
    let found = 0;
    const property = asyncProperty(
      subarray(NAMES, { minLength: 2, maxLength: 4 }),
      array(step, { minLength: 4, maxLength: 14 }),
      array(record({ isThere: boolean(), session: nat(40), window: nat(40), pane: nat(40) }), {
        minLength: 30,
        maxLength: 30,
      }),
      async (names, steps, refs) => {
        await buildLayout(tmux, names, steps);
        const sessions = await sessionsNow(tmux);
        const windows = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(String);
        const panes = ["0", "1", "2", "3"];
        const windowIds = await listed(tmux, "list-windows", "-a", "-F", "#{window_id}");
        const paneIds = await listed(tmux, "list-panes", "-a", "-F", "#{pane_id}");
        const there = await listed(
          tmux,
          "list-panes",
          "-a",
          "-F",
          "#{session_id} #{window_index} #{pane_index}",
        );
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
    // A slow machine tries fewer layouts; how many references are enough is said below.
    await assert(property, { numRuns: 12, endOnFailure: true, interruptAfterTimeLimit: 40_000 });
    expect(found).toBeGreaterThan(100 / measureSlowness());
  },
  60_000 * measureSlowness(),
);

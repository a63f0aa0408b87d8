// What a typed reference hits is what tmux itself means by the same text, or nothing: on two real tmux servers whose panes have
// the same ids and whose sessions have the same names, through the daemon that every surface asks.
import { array, assert, asyncProperty, boolean, constantFrom, nat, record, subarray } from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanName } from "../../core/tmux/cleanText.ts";
import { measureSlowness } from "../setup/machine.ts";
import { buildLayout, listed, NAMES, pick, sessionsNow, step } from "./layout.ts";
import { insideOf, useTypedServers } from "./typedHarness.ts";

const servers = useTypedServers();
const { hitBy, detailsOf, openAgent } = servers;

/** What ends the longest one where it hangs. */
const HANGS_MS = 90_000 * measureSlowness();

const WINDOW_NAMES = [
  "w",
  "7",
  "1",
  "a",
  "a.1",
  "a.b",
  "a:b",
  "ab",
  "a\u202eb",
  "x/y",
  "@1",
  "%1",
  "$1",
  "-1",
  "+",
  "!",
  "=a",
];
const PARTS = [
  "",
  ".",
  ":",
  "=",
  "%",
  "@",
  "$",
  "a",
  "w",
  "1",
  "base",
  "host",
  "sock",
  "/",
  "{top}",
  "!",
  "-1",
];

describe("a typed reference", () => {
  it(
    "is what tmux means by the same text, whatever is linked, grouped, moved and named",
    async () => {
      await servers.near.run("set-option", "-g", "renumber-windows", "off");
      const caller = { insideTmux: await insideOf(servers.near), tmuxPane: null };
      let found = 0;
      /** What tmux finds by its own rules; null where it finds nothing. */
      const foundByTmux = async (text: string): Promise<string | null> => {
        try {
          await servers.near.run("has-session", "-t", text);
          return `sock ${await servers.near.run("display-message", "-p", "-t", text, "#{pane_id}")}`;
        } catch {
          return null;
        }
      };
      const property = asyncProperty(
        subarray(NAMES, { minLength: 2, maxLength: 4 }),
        array(step, { minLength: 4, maxLength: 12 }),
        array(record({ window: nat(40), name: constantFrom(...WINDOW_NAMES) }), { maxLength: 6 }),
        array(
          record({
            isThere: boolean(),
            isSigned: boolean(),
            session: nat(40),
            window: nat(60),
            pane: nat(40),
          }),
          { minLength: 24, maxLength: 24 },
        ),
        array(array(constantFrom(...PARTS), { minLength: 1, maxLength: 6 }), { minLength: 8, maxLength: 8 }),
        async (names, steps, renames, refs, odd) => {
          await buildLayout(servers.near, names, steps);
          const windowIds = await listed(servers.near, "list-windows", "-a", "-F", "#{window_id}");
          for (const { window, name } of renames)
            await servers.near.run("rename-window", "-t", pick(windowIds, window), "--", name);
          const sessions = (await sessionsNow(servers.near)).flatMap(({ id, name }) => [id, name]);
          const windows = [...[0, 1, 2, 3, 4, 5].map(String), ...windowIds, ...WINDOW_NAMES];
          const panes = [
            "0",
            "1",
            "2",
            ...(await listed(servers.near, "list-panes", "-a", "-F", "#{pane_id}")),
          ];
          const there = await listed(
            servers.near,
            "list-panes",
            "-aF",
            "#{session_id} #{window_index} #{window_id} #{pane_index} #{pane_id}",
          );
          const texts = refs.map(({ isThere, isSigned, session, window, pane }) => {
            const [id = "", index = "", windowId = "", paneIndex = "", paneId = ""] = pick(
              there,
              window,
            ).split(" ");
            const sign = isSigned ? "=" : "";
            return isThere
              ? `${id}:${pick([index, windowId], session)}.${pick([paneIndex, paneId], pane)}`
              : `${sign}${pick(sessions, session)}:${sign}${pick(windows, window)}.${pick(panes, pane)}`;
          });
          for (const text of [...texts, ...panes.slice(3)]) {
            const [hit, expected] = [await hitBy(text, caller), await foundByTmux(text)];
            if (hit === expected) found += 1;
            // A pane that tmux does not mean is only ever that of a window whose name has a dot, which tmux cannot say, or of one
            // that a session shows at two places, which are two windows for tmux.
            if (!hit.startsWith("E_") && hit !== expected) {
              const [, paneId = ""] = hit.split(" ");
              const [windowId = "", ...name] = (
                await servers.near.run("display-message", "-p", "-t", paneId, "#{window_id} #{window_name}")
              ).split(" ");
              const window = name.join(" ");
              const isTwice = windowIds.filter((id) => id === windowId).length > 1;
              expect([text, expected, isTwice || window.includes(".")]).toEqual([text, null, true]);
              expect(text).toContain(window);
            }
            // What tmux knows exactly is found, unless the same text is also the name of a window, or a name in it is shown
            // otherwise than it is.
            if (expected !== null && hit !== expected && /^=.*:=[^.]*\.%?\d+$|^%\d+$/s.test(text))
              expect([text, hit]).toEqual([
                text,
                cleanName(text, 200, "") === text ? "E_REF_AMBIGUOUS" : expect.stringMatching(/^E_REF_/),
              ]);
          }
          for (const parts of odd) {
            const text = parts.join("");
            const hit = text === "" || /^(pane|runtime):/.test(text) ? "E_" : await hitBy(text, caller);
            const expected = await foundByTmux(text);
            // Without an agent in sight only a pane itself can be meant.
            if (!hit.startsWith("E_")) expect([text, hit]).toEqual([text, expected]);
          }
        },
      );
      await assert(property, { numRuns: 10, endOnFailure: true });
      expect(found).toBeGreaterThan(60);
    },
    HANGS_MS,
  );

  it("by a name means its one agent, and never that of another session, window or server", async () => {
    const inside = { insideTmux: await insideOf(servers.near), tmuxPane: "%0" };
    await servers.near.newSession("api");
    const first = await openAgent(servers.near, "api:", "web");
    expect(await hitBy("api", inside)).toBe(`sock ${first}`);
    expect([await hitBy("api"), await hitBy("web"), await hitBy("api:web"), await hitBy("=api")]).toEqual(
      [1, 2, 3, 4].map(() => `sock ${first}`),
    );
    // Parts and patterns of names mean nothing.
    for (const text of ["ap", "a*", "we", "api:w*", "API", "ap:web"])
      expect([text, await hitBy(text, inside)]).toEqual([text, "E_REF_NOT_FOUND"]);
    // A window of its own name without an agent is inside of what is meant.
    await servers.near.run("new-window", "-d", "-n", "api", "-t", "api:", "exec cat");
    expect(await hitBy("api", inside)).toBe(`sock ${first}`);
    // The same name on another server: outside of tmux nobody knows which is meant, agent or not.
    await servers.far.newSession("api");
    expect([await hitBy("api"), await hitBy("api", inside)]).toEqual(["E_REF_AMBIGUOUS", `sock ${first}`]);
    await servers.far.run("kill-session", "-t", "=api");
    expect(await hitBy("api")).toBe(`sock ${first}`);
    // A window of another session with this name.
    await servers.near.run("new-window", "-d", "-n", "api", "-t", "base:", "exec cat");
    expect(await hitBy("api", inside)).toBe("E_REF_AMBIGUOUS");
    expect(await hitBy("api:web", inside)).toBe(`sock ${first}`);
    const second = await openAgent(servers.near, "api:", "job");
    expect(await hitBy("api", inside)).toBe("E_REF_AMBIGUOUS");
    expect(await detailsOf("api:", inside)).toEqual([]);
    expect([await hitBy("api:job", inside), await hitBy("job")]).toEqual([
      `sock ${second}`,
      `sock ${second}`,
    ]);
    // Without agents a name means nothing, and a pane still itself.
    expect(await hitBy("base", inside)).toBe("E_REF_NOT_FOUND");
    expect(await hitBy("base:0.0", inside)).toBe("sock %0");
  }, 30_000);

  it("with a machine's name before it means that machine alone, and is refused where a name begins like it", async () => {
    await servers.near.newSession("api");
    const agent = await openAgent(servers.near, "api:", "web");
    expect([await hitBy("host:sock/api"), await hitBy("host:sock/web")]).toEqual([
      `sock ${agent}`,
      `sock ${agent}`,
    ]);
    expect(await hitBy("host:sock-2/api")).toBe("E_REF_NOT_FOUND");
    expect(await hitBy("vm9/api")).toBe("E_REF_NOT_FOUND");
    expect(await hitBy("host:sock/.", { insideTmux: await insideOf(servers.near), tmuxPane: "%0" })).toBe(
      "E_REF_INVALID",
    );
    // Names with a slash are names where no machine is called so.
    await servers.near.newSession("ux/shop");
    const shop = await openAgent(servers.near, "ux/shop:", "shop");
    expect([await hitBy("ux/shop"), await hitBy("host:sock/ux/shop")]).toEqual([
      `sock ${shop}`,
      `sock ${shop}`,
    ]);
    // A session that is called like a machine is only that, and one that begins like one is never taken for it.
    await servers.near.newSession("host");
    const called = await openAgent(servers.near, "host:", "called");
    expect(await hitBy("host")).toBe(`sock ${called}`);
    expect(await hitBy("host:called")).toBe(`sock ${called}`);
    await servers.near.newSession("host/api");
    await openAgent(servers.near, "host/api:", "other");
    for (const text of ["host/api", "host/api:other"]) expect(await hitBy(text)).toBe("E_REF_AMBIGUOUS");
    expect(await hitBy("host:sock/host/api:other")).toMatch(/^sock %/);
  }, 30_000);

  it("uses names and indexes of the moment", async () => {
    await servers.near.newSession("work");
    const agent = await openAgent(servers.near, "work:", "job");
    await servers.near.run("rename-session", "-t", "=work", "play");
    expect([await hitBy("work"), await hitBy("play")]).toEqual(["E_REF_NOT_FOUND", `sock ${agent}`]);
    await servers.near.run("rename-window", "-t", agent, "toy");
    expect([await hitBy("job"), await hitBy("toy")]).toEqual(["E_REF_NOT_FOUND", `sock ${agent}`]);
    await servers.near.run("move-window", "-s", "play:1", "-t", "play:8");
    expect([await hitBy("play:1"), await hitBy("play:8")]).toEqual(["E_REF_NOT_FOUND", `sock ${agent}`]);
  }, 15_000);
});

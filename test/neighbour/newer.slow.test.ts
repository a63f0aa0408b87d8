// What newer versions of tmux brought is as without agtmux: panes that float, hide what is behind them or keep it from being used,
// modes that hide their own pane, events, formats that tmux watches by itself, themes. Older versions do not know it, which both
// sides say alike.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { attached, expectAlike, twoSessions, type Neighbour } from "./neighbourHarness.ts";

const PANES =
  "#{pane_id} #{pane_width}x#{pane_height} #{pane_floating_flag} #{pane_modal_flag} #{pane_active} #{pane_in_mode}";
const panes = (one: Neighbour): Promise<string> => one.attempt("list-panes", "-a", "-F", PANES);
const isUnknown = (said: string): boolean => /^failed: .*(?:unknown|usage|invalid|not found)/s.test(said);
/** Without a status line, which shows the time. */
const twoPlainSessions = async (one: Neighbour): Promise<void> => {
  await twoSessions(one);
  await one.tmux.run("set-option", "-g", "status", "off");
};
const versionOf = async (one: Neighbour): Promise<string> =>
  one.attempt("display-message", "-p", "#{version}");
/** The version brought what the test is about, so that it must not be found unknown. */
const hasIt = (version: string, since: 7 | 8): boolean =>
  Number(/3\.(\d+)/.exec(version)?.[1] ?? Number.NaN) >= since;

it("a pane that floats, and what is behind it", async () => {
  const seen = await expectAlike({
    arrange: twoPlainSessions,
    act: async (one) => {
      const version = await versionOf(one);
      const { terminal } = await attached(one);
      const said = await one.attempt("new-pane", "-t", "new:", "-x", "40", "-y", "8", "exec cat");
      if (isUnknown(said)) return { version, isKnown: false };
      await one.letLooksPass();
      await terminal.type("-l", "typed into what floats");
      const rows = await terminal.untilShows("typed into what floats");
      const before = await panes(one);
      await one.attempt("send-keys", "-t", "new:.0", "-l", "sent behind it");
      await one.untilShows("new:.0", "sent behind it");
      await one.attempt("select-pane", "-t", "new:.0");
      await one.letLooksPass();
      const behind = await one.attempt("capture-pane", "-p", "-t", "new:.0");
      await one.attempt("kill-pane", "-t", "new:.1");
      await one.letLooksPass();
      return { version, isKnown: true, rows, before, behind, after: await panes(one) };
    },
  });
  expect(seen.isKnown).toBe(hasIt(seen.version, 7));
});

it("a modal pane, and those that it keeps from being used", async () => {
  const seen = await expectAlike({
    arrange: twoPlainSessions,
    act: async (one) => {
      const version = await versionOf(one);
      const { terminal } = await attached(one);
      const said = await one.attempt("new-pane", "-O", "-t", "new:", "exec cat");
      if (isUnknown(said)) return { version, isKnown: false };
      await one.letLooksPass();
      const selected = await one.attempt("select-pane", "-t", "new:.0");
      await terminal.type("-l", "typed into the modal one");
      const rows = await terminal.untilShows("typed into the modal one");
      await one.attempt("send-keys", "-t", "new:.0", "-l", "sent behind it");
      await one.untilShows("new:.0", "sent behind it");
      const during = await panes(one);
      await one.attempt("kill-pane", "-t", "new:.1");
      await one.letLooksPass();
      await terminal.type("-l", "typed after it");
      await one.untilShows("new:.0", "typed after it");
      return { version, isKnown: true, selected, rows, during, after: await panes(one) };
    },
  });
  expect(seen.isKnown).toBe(hasIt(seen.version, 8));
});

it("modes that hide their own pane, show numbers on panes, or switch between windows", async () => {
  const seen = await expectAlike({
    arrange: twoPlainSessions,
    act: async (one) => {
      const version = await versionOf(one);
      const { terminal } = await attached(one);
      await one.tmux.run("split-window", "-t", "new:", "exec cat");
      const said = [await one.attempt("choose-tree", "-h", "-t", "new:")];
      if (said.some(isUnknown)) return { version, isKnown: false };
      await one.letLooksPass();
      const during = [await panes(one)];
      await terminal.type("q");
      said.push(await one.attempt("switch-mode", "-t", "new:"));
      await one.letLooksPass();
      during.push(await panes(one));
      await terminal.type("Escape");
      said.push(await one.attempt("display-panes", "-d", "0", "-t", "new:"));
      await one.letLooksPass();
      during.push(await panes(one));
      await terminal.type("Escape");
      await one.letLooksPass();
      return { version, isKnown: true, said, during, after: await panes(one) };
    },
  });
  expect(seen.isKnown).toBe(hasIt(seen.version, 8));
});

it("formats that tmux watches, events that a script waits for, and events of its own", async () => {
  const seen = await expectAlike({
    arrange: twoPlainSessions,
    act: async (one) => {
      const version = await versionOf(one);
      const path = join(one.tmux.folder, "monitors");
      const note = (name: string): string => `run-shell "echo ${name} >>${path}"`;
      const said = [
        await one.attempt("set-hook", "-g", "-B", "@clients:x:#{session_attached}", note("clients")),
        await one.attempt("set-hook", "-g", "-B", "@titles:%*:#{pane_title}", note("titles")),
        await one.attempt("set-hook", "-g", "@mine", note("mine")),
      ];
      if (said.some(isUnknown)) return { version, isKnown: false };
      const waits = one.attempt("wait-for", "-E", "-v", "pane-title-changed");
      const waitsForClient = one.attempt("wait-for", "-E", "client-created");
      let isWoken = false;
      void waitsForClient.then(() => (isWoken = true));
      await one.letLooksPass();
      await one.letLooksPass();
      const wasWoken = isWoken;
      await one.tmux.run("select-pane", "-t", "new:", "-T", "renamed");
      await one.attempt("set-hook", "-E", "@mine");
      await one.openTerminal(["attach-session", "-t", "new"]);
      await one.letLooksPass();
      await one.letLooksPass();
      const told = (await waits).split("\n").filter((line) => /^(event|new_title)=/.test(line));
      await waitsForClient;
      const monitored = readFileSync(path, "utf8").trim().split("\n").toSorted();
      return { version, isKnown: true, wasWoken, told, monitored };
    },
  });
  expect(seen.isKnown).toBe(hasIt(seen.version, 8));
  expect(seen.wasWoken ?? false).toBe(false);
});

it.each(["light", "dark", "terminal", "detect"])("the theme %s", async (theme) => {
  const seen = await expectAlike({
    arrange: twoPlainSessions,
    act: async (one) => {
      const version = await versionOf(one);
      const said = await one.attempt("set-option", "-s", "theme", theme);
      const { terminal } = await attached(one);
      await one.letLooksPass();
      const clients = await one.attempt("list-clients", "-F", "#{client_theme} #{client_colours}");
      return { version, isKnown: !isUnknown(said), clients, rows: await terminal.rows() };
    },
  });
  expect(seen.isKnown).toBe(hasIt(seen.version, 8));
});

// Keys, pastes and commands of other programs arrive where they arrive without agtmux: by address, without one, through key
// bindings and through scripts. The quick ones are in keys.test.ts.
import { describe, expect, it } from "vitest";
import { attached, expectAlike, screens, twoSessions } from "./neighbourHarness.ts";

describe("without any terminal attached", () => {
  it("commands that name nothing act on the session that was used last", async () => {
    const seen = await expectAlike({
      arrange: async (one) => {
        await twoSessions(one);
        await one.letLooksPass();
        await one.tmux.newSession("last");
      },
      act: async (one) => {
        const named = [await one.attempt("display-message", "-p", "#S")];
        await one.attempt("send-keys", "unaddressed");
        await one.letLooksPass();
        named.push(
          await one.attempt("display-message", "-p", "#S"),
          await one.attempt("new-window", "-d", "-P", "-F", "#S #{window_id} #{pane_id}", "exec cat"),
          await one.attempt("split-window", "-d", "-P", "-F", "#S #{window_id} #{pane_id}", "exec cat"),
          await one.attempt("detach-client"),
          await one.attempt("switch-client", "-t", "old"),
          await one.attempt("refresh-client"),
          await one.attempt("display-popup", "true"),
          await one.attempt("display-message", "to whom"),
        );
        return { named, screens: await screens(one) };
      },
    });
    expect(seen.named.slice(0, 4)).toEqual(["last", "last", "last @3 %3", "last @2 %4"]);
  });
});

describe("with a terminal attached", () => {
  it("scripts that name no client reach that terminal, also from the panes of another session", async () => {
    const seen = await expectAlike({
      arrange: twoSessions,
      act: async (one) => {
        const { terminal, where } = await attached(one);
        await one.letLooksPass();
        const inPane = async (script: string): Promise<void> => {
          await one.tmux.run("respawn-pane", "-k", "-t", "old:", `${script}; exec cat`);
        };
        await inPane("tmux display-message 'a message of a pane'");
        await terminal.untilShows("a message of a pane");
        await one.attempt("display-message", "a message of a script");
        await terminal.untilShows("a message of a script");
        await inPane("tmux switch-client -t old");
        await terminal.untilShows("[old]");
        const at = [await where()];
        await one.attempt("switch-client", "-t", "new");
        await terminal.untilShows("[new]");
        at.push(await where());
        await inPane("tmux display-popup -E -w 40 -h 5 'echo in the popup; sleep 0.3; exit 3'");
        await terminal.untilShows("in the popup");
        await one.attempt("detach-client");
        await terminal.untilShows("[detached (from session new)]").catch(() => []);
        return { at, clients: await where() };
      },
    });
    expect(seen).toEqual({ at: ["old 0 0", "new 0 0"], clients: "" });
  });
});

// Keys, pastes and commands of other programs arrive where they arrive without agtmux: by address, without one, through key
// bindings and through scripts. The quick ones are in keys.test.ts.
import { describe, expect, it } from "vitest";
import { attached, expectAlike, screens, twoSessions } from "./neighbourHarness.ts";

describe("without any terminal attached", () => {
  it("buffers are pasted, and a script that tmux runs types", async () => {
    const seen = await expectAlike({
      arrange: twoSessions,
      act: async (one) => {
        const said = [
          await one.attempt("set-buffer", "pasted text"),
          await one.attempt("paste-buffer", "-t", "old:"),
          await one.attempt("list-buffers", "-F", "#{buffer_name} #{buffer_sample}"),
          await one.attempt("run-shell", "tmux send-keys -t new: by-script; echo done"),
          await one.attempt("run-shell", "-b", "tmux send-keys -t old: behind"),
          await one.attempt("pipe-pane", "-t", "new:", "cat >/dev/null"),
          await one.attempt("pipe-pane", "-t", "new:"),
        ];
        await one.untilShows("old:", "behind");
        await one.untilShows("new:", "by-script");
        return { said, screens: await screens(one) };
      },
    });
    // Some versions show what a script printed in a pane instead.
    expect(seen.said.toSpliced(3, 1)).toEqual(["", "", "buffer0 pasted text", "", "", ""]);
  });

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

  it("command lines, menus and choosers of that terminal work", async () => {
    await expectAlike({
      arrange: twoSessions,
      act: async (one) => {
        const { terminal } = await attached(one);
        await one.tmux.run("rename-window", "-t", "new:", "w");
        await one.tmux.run("rename-window", "-t", "old:", "w");
        await terminal.type("C-b", "s");
        const tree = await terminal.untilShows("(sort: ");
        await terminal.type("q");
        await terminal.type("C-b", ":");
        await terminal.type("-l", "display-message -p 'on the command line'");
        await terminal.type("Enter");
        await terminal.untilShows("on the command line");
        await terminal.type("q");
        await terminal.type("C-b", "?");
        const help = await terminal.untilShows("C-b");
        await terminal.type("q");
        return { tree: tree.filter((row) => /old|new/.test(row)), hasHelp: help.length > 1 };
      },
    });
  });
});

// Keys, pastes and commands of other programs arrive where they arrive without agtmux: by address, and through key bindings.
import { describe, expect, it } from "vitest";
import { attached, expectAlike, screens, twoSessions } from "./neighbourHarness.ts";

describe("without any terminal attached", () => {
  it("send-keys types by name, literally, as hex and into copy mode", async () => {
    const seen = await expectAlike({
      arrange: twoSessions,
      act: async (one) => {
        const said = [
          await one.attempt("send-keys", "-t", "old:", "one", "Space", "two", "Enter"),
          await one.attempt("send-keys", "-t", "new:", "-l", "Enter; #{pane_id}"),
          await one.attempt("send-keys", "-t", "new:", "-H", "0a", "68", "65", "78"),
        ];
        await one.untilShows("old:", "one two\none two");
        await one.untilShows("new:", "hex");
        said.push(
          await one.attempt("copy-mode", "-t", "old:"),
          await one.attempt("send-keys", "-t", "old:", "-X", "history-top"),
          await one.attempt("send-keys", "-t", "old:", "-X", "cancel"),
          await one.attempt("display-message", "-p", "-t", "old:", "#{pane_in_mode}"),
        );
        return { said, screens: await screens(one) };
      },
    });
    expect(seen.said).toEqual(["", "", "", "", "", "", "0"]);
  });

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
});

describe("with a terminal attached", () => {
  it("its keys reach the pane, the prefix its bindings, and bindings their commands", async () => {
    const seen = await expectAlike({
      arrange: async (one) => {
        await twoSessions(one);
        await one.tmux.run("bind-key", "-n", "F5", "send-keys", "from a binding");
        await one.tmux.run("bind-key", "-n", "F6", "run-shell", "tmux send-keys ' and a script'");
        await one.tmux.run("bind-key", "-n", "F7", "split-window", "-h", "exec cat");
        await one.tmux.run("bind-key", "-n", "F8", "switch-client", "-t", "old");
      },
      act: async (one) => {
        const { terminal, where } = await attached(one);
        await terminal.type("-l", "typed ");
        await one.untilShows("new:", "typed");
        await terminal.type("F5");
        await one.untilShows("new:", "from a binding");
        await terminal.type("F6");
        await one.untilShows("new:", "and a script");
        const at = [await where()];
        await terminal.type("F7");
        await one.untilShows("new:0.1", "");
        at.push(await where());
        await terminal.type("C-b", "c");
        await terminal.untilShows("1:");
        await terminal.type("C-b", "p");
        await terminal.untilShows("from a binding");
        at.push(await where());
        await terminal.type("F8");
        await terminal.untilShows("[old]");
        at.push(await where());
        return { at, screens: await screens(one).then((all) => all.slice(0, 3)) };
      },
    });
    expect(seen.at).toEqual(["new 0 0", "new 0 1", "new 0 1", "old 0 0"]);
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

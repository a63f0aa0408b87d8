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
});

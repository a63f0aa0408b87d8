// Sessions and windows live as long, are as large and are called as without agtmux.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../setup/realClock.ts";
import { expectAlike, type Neighbour } from "./neighbourHarness.ts";

const sessions = (one: Neighbour): Promise<string> => one.attempt("list-sessions", "-F", "#{session_name}");
const size = (one: Neighbour, target: string): Promise<string> =>
  one.attempt("display-message", "-p", "-t", target, "#{window_width}x#{window_height}");
/** The socket stays where a server ended; asking must start none. */
const isGone = async (one: Neighbour): Promise<boolean> =>
  /^failed: (?:no server running|error connecting|server exited)/.test(await one.attempt("list-sessions"));

describe("a server", () => {
  it("ends with its last session, and the next one reads its configuration again", async () => {
    const seen = await expectAlike({
      arrange: ({ tmux }) => tmux.newSession("only"),
      act: async (one) => {
        await one.tmux.run("set-option", "-g", "@of-the-old", "1");
        await one.tmux.run("kill-session", "-t", "only");
        await until(() => isGone(one), "the server has ended", 3_000);
        writeFileSync(join(one.tmux.folder, "conf"), "set-option -g @of-the-new 2\n");
        const first = await one.tmux.run(
          "new-session",
          "-d",
          "-P",
          "-F",
          "#{session_id} #{pane_id}",
          "exec cat",
        );
        return [first, await one.attempt("display-message", "-p", "#{@of-the-old}#{@of-the-new}")];
      },
    });
    expect(seen).toEqual(["$0 %0", "2"]);
  });

  it("is started again at once where a script ends the old one first", async () => {
    await expectAlike({
      arrange: ({ tmux }) => tmux.newSession("only"),
      act: async (one) => {
        const seen: string[] = [];
        for (let round = 0; round < 5; round += 1) {
          await one.tmux.run("kill-server");
          await until(() => isGone(one), "it is gone");
          seen.push(
            await one.tmux.run("new-session", "-d", "-P", "-F", "#{session_id}", "-s", `n${round}`, "cat"),
          );
          await one.letLooksPass();
        }
        return [...seen, await sessions(one)];
      },
    });
  });

  it.each(["exit-unattached", "exit-empty"])("keeps to %s", async (option) => {
    await expectAlike({
      arrange: async ({ tmux }) => {
        await tmux.newSession("one");
        await tmux.newSession("two");
      },
      act: async (one) => {
        const terminal = await one.openTerminal(["attach-session", "-t", "one"]);
        await one.tmux.run("set-option", "-s", option, option === "exit-empty" ? "off" : "on");
        await one.letLooksPass();
        const seen = [await sessions(one)];
        if (option === "exit-empty") {
          await one.tmux.run("kill-session", "-a", "-t", "one");
          await one.tmux.run("kill-session", "-t", "one");
          await one.letLooksPass();
          seen.push(await sessions(one), await one.attempt("show-options", "-sv", "exit-empty"));
          seen.push(await one.tmux.run("new-session", "-d", "-P", "-F", "#{session_id}", "exec cat"));
        } else {
          await terminal.type("C-b", "d");
          await until(() => isGone(one), "the server has ended");
        }
        return seen;
      },
    });
  });
});

describe("a session", () => {
  it.each(["on", "keep-last"])("goes with its last client under destroy-unattached %s", async (value) => {
    await expectAlike({
      arrange: async ({ tmux }) => {
        await tmux.newSession("one");
        await tmux.newSession("two");
        await tmux.newSession("kept");
      },
      act: async (one) => {
        const set = await one.attempt("set-option", "-t", "one", "destroy-unattached", value);
        if (set !== "") return "this tmux does not know it";
        const terminal = await one.openTerminal(["attach-session", "-t", "two"]);
        await one.tmux.run("set-option", "-t", "two", "destroy-unattached", value);
        await one.letLooksPass();
        const seen = [await sessions(one)];
        // That client has ended: up to 3.6 none may while another leaves such a session (see differences).
        await one.letLooksPass();
        await terminal.type("C-b", "d");
        await one.letLooksPass();
        seen.push(await sessions(one));
        return seen;
      },
    });
  });

  it("that is killed takes its clients where they go", async () => {
    await expectAlike({
      arrange: async ({ tmux }) => {
        await tmux.newSession("one");
        await tmux.newSession("two");
        await tmux.run("set-option", "-g", "detach-on-destroy", "off");
      },
      act: async (one) => {
        const terminal = await one.openTerminal(["attach-session", "-t", "two"]);
        await one.tmux.run("kill-session", "-t", "two");
        await terminal.untilShows("[one]");
        const clients = await one.attempt("list-clients", "-F", "#{client_session}");
        await one.tmux.run("set-option", "-g", "detach-on-destroy", "on");
        await one.tmux.run("new-session", "-d", "-s", "three", "exec cat");
        await one.tmux.run("kill-session", "-t", "one");
        await until(async () => (await one.attempt("list-clients")) === "", "the client has gone");
        return [clients, await sessions(one)];
      },
    });
  });

  it("keeps its numbers, its order and its environment", async () => {
    const seen = await expectAlike({
      arrange: async ({ tmux }) => {
        await tmux.newSession("b");
        await tmux.newSession("a");
        await tmux.run("set-environment", "-t", "a", "SSH_AUTH_SOCK", "theirs");
      },
      act: async (one) => {
        await one.letLooksPass();
        const terminal = await one.openTerminal(["attach-session", "-t", "a"]);
        await terminal.type("C-b", ")");
        await terminal.untilShows("[b]");
        await terminal.type("C-b", "L");
        await terminal.untilShows("[a]");
        const ids = ["-P", "-F", "#{session_id} #{window_id} #{pane_id}"];
        return [
          await one.tmux.run("new-session", "-d", ...ids, "exec cat"),
          await one.tmux.run("new-window", "-d", "-t", "b:", ...ids, "exec cat"),
          await one.attempt("list-sessions", "-F", "#{session_id} #{session_name} #{session_windows}"),
          await one.attempt("show-environment", "-t", "a", "SSH_AUTH_SOCK"),
          await one.attempt("list-buffers"),
          await one.attempt("show-options", "-g").then((text) => text.length > 0),
        ];
      },
    });
    expect(seen.slice(0, 2)).toEqual(["$2 @2 %2", "$1 @3 %3"].map((ids) => ids.replace("$1", "$0")));
  });
});

describe.each(["latest", "largest", "smallest", "manual"])("windows under window-size %s", (value) => {
  it("have the size of the terminals that show them", async () => {
    await expectAlike({
      arrange: async ({ tmux }) => {
        await tmux.newSession("one");
        await tmux.newSession("other");
        await tmux.run("set-option", "-g", "window-size", value);
      },
      act: async (one) => {
        const sizes = [await size(one, "one:"), await size(one, "other:")];
        const note = async (): Promise<void> => {
          sizes.push(await size(one, "one:"), await size(one, "other:"));
        };
        const wide = await one.openTerminal(["attach-session", "-t", "one"], { width: 110, height: 20 });
        await one.letLooksPass();
        await note();
        const tall = await one.openTerminal(["attach-session", "-t", "one"], { width: 70, height: 35 });
        await one.letLooksPass();
        await note();
        await wide.type("x");
        await one.untilShows("one:", "x");
        await note();
        await tall.close();
        await one.letLooksPass();
        await note();
        const fresh = ["-t", "one:", "-P", "-F", "#{window_width}", "exec cat"];
        // tmux 3.3a ends itself over a new window under `manual`, whoever watches.
        if (value !== "manual") sizes.push(await one.attempt("new-window", "-d", ...fresh));
        await wide.close();
        await one.letLooksPass();
        await note();
        return sizes;
      },
    });
  });
});

// Terminals and programs that attach see, get and leave behind what they do without agtmux.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { until } from "../setup/realClock.ts";
import { expectAlike, startWatching, type Neighbour } from "./neighbourHarness.ts";

const CLIENTS = ["list-clients", "-F", "#{client_session} #{client_width}x#{client_height} #{client_flags}"];

/** A program in control mode without a terminal: what it asks and what it is told. */
const openControl = (one: Neighbour, args: readonly string[]) => {
  const { TMUX: _tmux, ...env } = process.env;
  const child = spawn("tmux", ["-u", ...one.tmux.socketArgs, "-C", ...args], { env });
  let told = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (told += text));
  return {
    write: (line: string) => child.stdin.write(`${line}\n`),
    told: () => told,
    /** Notifications without what differs from run to run, and answers without their numbers. */
    lines: () =>
      told
        .split("\n")
        .map((line) => line.replace(/^(%begin|%end|%error) .*/, "$1").replace(/client-\d+/, "client"))
        .filter((line) => !/^%(?:output|extended-output) /.test(line)),
    end: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "close");
    },
  };
};

describe("attaching", () => {
  it("without a name goes to the session that was used last, and comes back to it", async () => {
    const seen = await expectAlike({
      arrange: async ({ tmux, ...one }) => {
        await tmux.newSession("old");
        await one.letLooksPass();
        await tmux.newSession("new");
      },
      act: async (one) => {
        const first = await one.openTerminal(["attach-session"]);
        const at = [await one.attempt(...CLIENTS)];
        await one.letLooksPass();
        const second = await one.openTerminal(["attach-session"]);
        at.push(await one.attempt(...CLIENTS));
        await second.type("C-b", "d");
        await until(async () => !(await one.attempt(...CLIENTS)).includes("\n"), "one is detached");
        await first.close();
        await until(async () => (await one.attempt(...CLIENTS)) === "", "none is left");
        at.push(await one.attempt("list-sessions", "-F", "#{session_name} #{session_attached}"));
        return at;
      },
    });
    expect(seen[0]).toMatch(/^new 90x24/);
  });

  it("creates, joins and takes over sessions as it does", async () => {
    await expectAlike({
      arrange: ({ tmux }) => tmux.newSession("base"),
      act: async (one) => {
        await one.openTerminal(["new-session", "-A", "-s", "base"]);
        await one.openTerminal(["new-session", "-t", "base", "-s", "grouped"]);
        const at = [await one.attempt(...CLIENTS)];
        // With or without us it may end before it is drawn: what counts is who is left.
        await one.openTerminal(["attach-session", "-d", "-t", "base"]).catch(() => null);
        await until(async () => (await one.attempt(...CLIENTS)).split("\n").length === 2, "taken over");
        at.push(await one.attempt(...CLIENTS));
        await one.tmux.run("detach-client", "-s", "base");
        await until(async () => !(await one.attempt(...CLIENTS)).includes("\n"), "detached");
        at.push(
          await one.attempt("list-sessions", "-F", "#{session_id} #{session_name} #{session_group_attached}"),
          await one.attempt("new-session", "-d", "-P", "-F", "#{session_id} #{window_id} #{pane_id}", "cat"),
        );
        return at;
      },
    });
  });

  it("in control mode is told of the sessions and clients of others, and of nobody else", async () => {
    const seen = await expectAlike({
      arrange: ({ tmux }) => tmux.newSession("work"),
      act: async (one) => {
        const control = openControl(one, ["attach-session", "-t", "work"]);
        await until(() => control.told().includes("%session-changed"), "it is attached");
        control.write("display-message -p 'first answer'");
        await until(() => control.told().includes("first answer"), "an answer");
        await one.letLooksPass();
        const second = one.isWatched ? await startWatching(one.tmux) : null;
        await one.letLooksPass();
        await second?.close();
        await one.tmux.run("new-session", "-d", "-s", "other", "exec cat");
        await until(() => control.told().includes("%sessions-changed"), "a notification");
        control.write("send-keys -t work: typed");
        control.write("list-clients -F '#{client_session} #{client_control_mode}'");
        control.write("display-message -p 'last answer'");
        await until(() => control.told().includes("last answer"), "an answer");
        await one.untilShows("work:", "typed");
        const lines = control.lines();
        await control.end();
        return lines;
      },
    });
    expect(seen).toContain("first answer");
  });

  it("natively, as iTerm2 does, shows and changes what it does", async () => {
    await expectAlike({
      arrange: ({ tmux }) => tmux.newSession("work"),
      act: async (one) => {
        const native = await one.openTerminal(["-CC", "attach-session", "-t", "work"]);
        const width = () => one.attempt("list-clients", "-F", "#{client_width}");
        const say = async (line: string): Promise<void> => {
          await native.type("-l", line);
          // Not a return: whether a terminal makes a line of that is left to chance by a tmux that attaches like this on Linux.
          await native.type("C-j");
        };
        await say("refresh-client -C 70,20");
        await until(async () => (await width()) === "70", "the client hears what is typed");
        await say("send-keys -t work: natively");
        await one.untilShows("work:", "natively");
        const size = () => one.attempt("display-message", "-p", "-t", "work:", "#{window_width}");
        const before = await size();
        await say("new-window -d -n second 'exec cat'");
        await until(
          async () => (await one.attempt("list-windows", "-t", "work")).includes("second"),
          "it is there",
        );
        return [
          before,
          await size(),
          await one.attempt("list-clients", "-F", "#{client_control_mode} #{client_width}"),
        ];
      },
    });
  });
});

describe("the focus of terminals", () => {
  /** Prints what it gets, having asked to be told of the focus. */
  const LISTEN = `stty raw -echo; printf '\\033[?1004hasked'; exec cat -v`;
  const listening = async ({ tmux, ...one }: Neighbour): Promise<void> => {
    await tmux.newSession("quiet");
    await tmux.run("set-option", "-g", "focus-events", "on");
    await tmux.run("respawn-pane", "-k", "-t", "quiet:", LISTEN);
    await one.untilShows("quiet:", "asked");
  };
  const heard = (one: Neighbour): Promise<string> => one.tmux.run("capture-pane", "-p", "-t", "quiet:");

  it("is told to no pane that nobody looks at", async () => {
    const seen = await expectAlike({
      arrange: listening,
      act: async (one) => {
        await one.letLooksPass();
        await one.tmux.run("send-keys", "-t", "quiet:", "-l", "end");
        await one.untilShows("quiet:", "end");
        return heard(one);
      },
    });
    // Up to 3.6 tmux tells whoever asks how it is at that moment.
    expect(seen).toMatch(/^asked(?:\^\[\[O)?end\s*$/);
  });

  it("comes and goes with the terminal that shows the pane", async () => {
    const seen = await expectAlike({
      arrange: listening,
      act: async (one) => {
        const terminal = await one.openTerminal(["attach-session", "-t", "quiet"]);
        await one.untilShows("quiet:", "[I");
        await terminal.send("\u001b[O");
        await one.untilShows("quiet:", "[O");
        await one.letLooksPass();
        await terminal.send("\u001b[I");
        await one.untilShows("quiet:", "[O^[[I");
        await terminal.type("C-b", "d");
        await one.untilShows("quiet:", "[I^[[O^[[I^[[O");
        return heard(one);
      },
    });
    expect(seen).toContain("asked");
  });
});

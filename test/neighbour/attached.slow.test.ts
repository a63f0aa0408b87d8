// Who is attached is who is attached without agtmux: in lists, in the socket's mode, and in the person's status line.
import { statSync } from "node:fs";
import { expect, it } from "vitest";
import { expectAlike } from "./neighbourHarness.ts";

/** Only words that every version gives a meaning or nothing. */
const STATUS =
  "#{session_attached}/#{session_many_attached}/#{server_sessions}/#{session_group_attached}/#{W:#{window_flags},}/#{n:#{S:#{session_attached}}}";

it("nobody is attached who is not attached without agtmux, and the sockets mode is that of a server alone", async () => {
  const seen = await expectAlike({
    arrange: ({ tmux }) => tmux.newSession("only"),
    act: async (one) => {
      await one.letLooksPass();
      return [
        await one.attempt("list-clients"),
        await one.attempt("list-sessions", "-F", "#{session_name} #{session_attached}"),
        await one.attempt("display-message", "-p", "#{session_last_attached}"),
        (statSync(one.tmux.socketPath).mode & 0o777).toString(8),
      ];
    },
  });
  expect(seen.slice(0, 3)).toEqual(["", "only 0", ""]);
});

it("counts the clients that are there without agtmux", async () => {
  const seen = await expectAlike({
    arrange: async ({ tmux }) => {
      await tmux.newSession("work");
      await tmux.newSession("other");
      await tmux.run("rename-window", "-t", "work:", "w");
      await tmux.run("set-option", "-g", "status-interval", "1");
      await tmux.run("set-option", "-g", "status-right-length", "80");
      await tmux.run("set-option", "-g", "status-right", STATUS);
    },
    act: async (one) => {
      const terminal = await one.openTerminal(["attach-session", "-t", "work"]);
      // The first lines are drawn while it is still attaching.
      await one.letLooksPass();
      const lines = new Set<string>();
      for (let look = 0; look < 10; look += 1) {
        await one.tmux.run(
          "refresh-client",
          "-S",
          "-t",
          await one.attempt("list-clients", "-F", "#{client_name}"),
        );
        lines.add((await terminal.untilShows("[work]")).find((row) => row.includes("[work]")) ?? "");
      }
      await one.letLooksPass();
      lines.add((await terminal.untilShows("[work]")).find((row) => row.includes("[work]")) ?? "");
      return [...lines];
    },
  });
  expect(seen, seen.join("\n")).toHaveLength(1);
});

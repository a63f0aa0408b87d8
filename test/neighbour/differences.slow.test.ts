// What others can see of agtmux after all: the whole list of docs/adr/0016-nothing-is-attached-to-a-tmux-server.md.
import { createConnection } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { lookScript } from "../../core/tmux/tmuxCommand.ts";
import { encodeRequest } from "../../core/tmux/askServer.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { whole } from "./manners.ts";
import { doOnce, type Deed, type Neighbour } from "./neighbourHarness.ts";

it("tmux's own log of messages names what agtmux asked", async () => {
  const deed = {
    arrange: ({ tmux }: Neighbour) => tmux.newSession("work"),
    act: async (one: Neighbour) => {
      // Without a terminal tmux does not show it.
      await one.openTerminal(["attach-session", "-t", "work"]);
      await one.letLooksPass();
      await one.attempt("rename-window", "-t", "work:", "renamed-by-a-person");
      const log = await one.attempt("show-messages");
      return {
        ofPerson: log.includes("renamed-by-a-person"),
        ofOthers: log.split("\n").filter((line) => line.includes("list-panes -a")).length > 0,
      };
    },
  };
  expect(await doOnce(deed, false)).toEqual({ ofPerson: true, ofOthers: false });
  expect(await doOnce(deed, true)).toEqual({ ofPerson: true, ofOthers: true });
});

it("a session that only waits for the next client to end, under destroy-unattached, need not wait for long", async () => {
  /** `end`: any client of somebody else ends. The status line of a terminal tells, because each command of the test is one too. */
  const deed = (end: (one: Neighbour) => Promise<unknown>): Deed<boolean> => ({
    arrange: async ({ tmux }) => {
      await tmux.newSession("work");
      await tmux.run("set-option", "-g", "status-interval", "1");
      await tmux.run("set-option", "-g", "status-right", "(#{S:#{session_name} })");
      await tmux.run("bind-key", "-n", "F5", "new-session", "-d", "-s", "extra", "exec cat");
    },
    act: async (one) => {
      const terminal = await one.openTerminal(["attach-session", "-t", "work"]);
      await one.tmux.run("set-option", "-g", "destroy-unattached", "on");
      await terminal.type("F5");
      if (!one.isWatched) await terminal.untilShows("extra");
      await wait(2_000);
      await end(one);
      await wait(1_500);
      return (await terminal.rows()).join("\n").includes("extra");
    },
  });
  const nobody = deed(async () => {});
  const somebody = deed((one) => one.attempt("list-sessions"));
  expect(await doOnce(nobody, false)).toBe(true);
  expect(await doOnce(somebody, false)).toBe(false);
  expect(await doOnce(nobody, true)).toBe(false);
});

it.each(["tmux", "agtmux"])(
  "up to 3.6 a server does not survive that a client of %s ends while another leaves a session with destroy-unattached",
  async (who) => {
    const tmux = createPrivateTmux();
    const terminal = createPrivateTmux();
    try {
      await tmux.newSession("kept");
      await tmux.newSession("left");
      // Not the pane's own process: tmux wakes those.
      const attach = `TERM=screen tmux -u ${tmux.socketArgs.join(" ")} attach-session -t left; exec cat`;
      await terminal.newSession("terminal", `unset TMUX TMUX_PANE; ${attach}`);
      await until(async () => (await tmux.clientPids()).length === 1, "the client is attached");
      await tmux.run("set-option", "-t", "left", "destroy-unattached", "on");
      const version = await tmux.run("display-message", "-p", "#{version}");
      const [pid = 0] = await tmux.clientPids();
      // All of them have ended.
      await wait(500);
      process.kill(pid, "SIGSTOP");
      await terminal.run("send-keys", "-t", "terminal:", "C-b", "d");
      await wait(500);
      if (who === "tmux") await tmux.run("list-sessions");
      else expect(await whole(tmux.socketPath, () => 0)).toBeNull();
      await wait(500);
      process.kill(pid, "SIGCONT");
      const sessions = await tmux
        .run("list-sessions", "-F", "#{session_name}")
        .catch(() => "the server is gone");
      expect(sessions).toBe(/^3\.[0-6]/.test(version) ? "the server is gone" : "kept");
    } finally {
      await terminal.close();
      await tmux.close();
    }
  },
);

it("a format that goes through all clients meets those that only ask at that moment", async () => {
  const tmux = createPrivateTmux();
  try {
    await tmux.newSession("work");
    const count = async (): Promise<number> => (await tmux.run("display-message", "-p", "#{L:c}")).length;
    const before = await count();
    const asker = createConnection(tmux.socketPath);
    asker.write(encodeRequest(lookScript([["list-panes", "-a", "-F", "#{pane_id}"]], "nonce")));
    await new Promise((resolve) => asker.once("readable", resolve));
    // tmux 3.4 brought it; before that it says nothing.
    expect((await count()) - before).toBe(before === 0 ? 0 : 1);
    asker.destroy();
    await until(async () => (await count()) === before, "it is gone");
  } finally {
    await tmux.close();
  }
});

it("a server ends once its answer is taken, which a daemon that stands still does not do", async () => {
  const tmux = createPrivateTmux();
  try {
    await tmux.newSession("work");
    const hasEnded = (): Promise<boolean> =>
      tmux.run("list-sessions").then(
        () => false,
        (error: Error) => /no server running|error connecting/.test(error.message),
      );
    const asker = createConnection(tmux.socketPath);
    const asked = [["list-panes", "-a", "-F", "#{pane_id}"]];
    asker.write(encodeRequest(lookScript(asked, "nonce")));
    // It stands still from here on.
    await new Promise((resolve) => asker.once("readable", resolve));
    await tmux.run("kill-server").catch(() => "");
    await wait(500);
    expect(await hasEnded()).toBe(false);
    asker.destroy();
    await until(hasEnded, "the server has ended");
  } finally {
    await tmux.close();
  }
});

it("a script that waits until somebody lists panes need not wait for long", async () => {
  /** `isNewer`: 3.8 and later, where a client may wait for any event. */
  const deed: Deed<{ isNewer: boolean; isWoken: boolean }> = {
    arrange: ({ tmux }) => tmux.newSession("work"),
    act: async (one) => {
      if ((await one.attempt("wait-for", "-E", "-l", "after-display-message")) !== "")
        return { isNewer: false, isWoken: one.isWatched };
      let isWoken = false;
      const waiting = one.attempt("wait-for", "-E", "after-display-message").then(() => (isWoken = true));
      await one.letLooksPass();
      const seen = { isNewer: true, isWoken };
      await one.attempt("display-message", "-p", "done");
      await waiting;
      return seen;
    },
  };
  const [alone, watched] = [await doOnce(deed, false), await doOnce(deed, true)];
  expect([alone.isWoken, watched.isWoken]).toEqual([false, true]);
});

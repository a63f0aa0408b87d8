// What a person's status line and lists say, which marks windows carry and which hooks run is the same as without agtmux.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../setup/realClock.ts";
import { doOnce, expectAlike, startWatching, type Neighbour } from "./neighbourHarness.ts";

describe("the status line", () => {
  it("lists say what they say", async () => {
    await expectAlike({
      arrange: async ({ tmux }) => {
        await tmux.newSession("work");
        await tmux.newSession("other");
      },
      act: async (one) => {
        await one.letLooksPass();
        const list = async (...args: string[]) =>
          (await one.attempt(...args)).replaceAll(/\(created [^)]*\)/g, "");
        return [
          await list("list-sessions"),
          await list("list-windows", "-a"),
          await list("list-panes", "-a"),
          await list("list-clients"),
          await list("show-options", "-s"),
          await list("show-hooks", "-g"),
        ];
      },
    });
  });
});

it("windows that rang, wrote or fell silent are marked as they are", async () => {
  const seen = await expectAlike({
    arrange: async ({ tmux }) => {
      for (const name of ["bell", "activity", "silence"]) await tmux.newSession(name);
      await tmux.run("set-option", "-wt", "activity:", "monitor-activity", "on");
      await tmux.run("set-option", "-wt", "silence:", "monitor-silence", "1");
    },
    act: async (one) => {
      for (const name of ["bell", "activity"])
        await one.tmux.run("send-keys", "-t", `${name}:`, "-l", name === "bell" ? "\u0007" : "written");
      await one.tmux.run("send-keys", "-t", "bell:", "Enter");
      await one.letLooksPass();
      await one.letLooksPass();
      return one.attempt("list-windows", "-a", "-F", "#{session_name}#{window_flags}");
    },
  });
  expect(seen).toContain("bell");
});

describe("hooks of the person", () => {
  const log = ({ tmux }: Neighbour): string[] => {
    try {
      return readFileSync(join(tmux.folder, "hooks"), "utf8").trim().split("\n");
    } catch {
      return [];
    }
  };
  /** Every hook that this tmux knows writes its name down. */
  const hooked = async (one: Neighbour, isWanted: (name: string) => boolean): Promise<void> => {
    const { tmux } = one;
    await tmux.newSession("work");
    await tmux.newSession("other");
    const shown = await Promise.all([tmux.run("show-hooks", "-g"), tmux.run("show-hooks", "-gw")]);
    const names = shown
      .join("\n")
      .split("\n")
      .map((line) => line.split(/[ [=]/)[0] ?? "");
    // One command that names all of them: setting one must not run another.
    const commands = [...new Set(names)]
      .filter((name) => name !== "" && isWanted(name))
      .flatMap((name) => [
        "set-hook",
        name.startsWith("pane-") || name.startsWith("window-") ? "-gw" : "-g",
        name,
        `run-shell 'echo ${name} >>${join(tmux.folder, "hooks")}'`,
        ";",
      ]);
    for (let from = 0; from < commands.length; from += 5)
      await one.attempt(...commands.slice(from, from + 4));
  };
  /** Hooks that run after the very commands by which the test itself looks. */
  const isOfLooking = (name: string): boolean =>
    /^after-(?:set-hook|show-|list-|display-message|capture-pane)|^command-error/.test(name);

  it("do not run because agtmux begins to watch, watches, or ends", async () => {
    const seen = await expectAlike({
      arrange: (one) => hooked(one, (name) => !isOfLooking(name)),
      act: async (one) => {
        const before = log(one).length;
        const second = one.isWatched ? await startWatching(one.tmux) : null;
        await one.letLooksPass();
        await second?.close();
        await one.letLooksPass();
        const terminal = await one.openTerminal(["attach-session", "-t", "work"]);
        await one.tmux.run("new-window", "-t", "work:", "exec cat");
        await terminal.type("C-b", "d");
        await until(async () => (await one.attempt("list-clients")) === "", "detached");
        await one.tmux.run("kill-session", "-t", "work");
        await one.letLooksPass();
        return log(one).slice(before).toSorted();
      },
    });
    expect(seen).toContain("client-attached");
    expect(seen).toContain("client-detached");
  });

  it.each(["after-list-panes", "after-display-message", "after-capture-pane"])(
    "do not run after the looks of agtmux: a server with %s is left alone, and that is said",
    async (name) => {
      const seen = await doOnce(
        {
          arrange: (one) => hooked(one, () => false),
          act: async (one) => {
            await one.tmux.run(
              "set-hook",
              "-g",
              name,
              `run-shell 'echo ${name} >>${join(one.tmux.folder, "hooks")}'`,
            );
            await one.letLooksPass();
            await one.letLooksPass();
            const problem = one.server()?.problem;
            await one.tmux.run("set-hook", "-gu", name);
            await until(() => one.server()?.status === "ok", "it is watched again");
            return { problem, ran: log(one) };
          },
        },
        true,
      );
      expect(seen).toEqual({ problem: expect.stringContaining(name), ran: [] });
    },
  );

  it("do not run because a pane went while it was looked at", async () => {
    const seen = await doOnce(
      {
        arrange: (one) => hooked(one, (name) => name === "command-error"),
        act: async (one) => {
          for (let round = 0; round < 10; round += 1) {
            await one.tmux.run("new-window", "-d", "-t", "work:", "exec cat");
            await one.tmux.run("kill-window", "-t", "work:{end}");
          }
          await one.letLooksPass();
          return log(one);
        },
      },
      true,
    );
    expect(seen).toEqual([]);
  });
});

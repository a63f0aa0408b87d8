// Sessions, windows and panes of a real tmux server, linked, grouped, moved and named at random.
import { type Arbitrary, constantFrom, nat, record } from "fast-check";
import type { PrivateTmux } from "../harness/privateTmux.ts";

/** Names of sessions that mean something to tmux, to a shell or to a screen. */
export const NAMES = [
  "work",
  "wor",
  "7",
  "@1",
  "%1",
  "$1",
  "=work",
  "-t",
  "a/b",
  "a b",
  "größe 漢字 👍🏽",
  "#{pane_id}",
  "!x'(y)*~",
  "back\\slash",
  'q"u$HOME',
  "ab",
  "a\u202eb",
  "a\u0001b",
  "a\u200fb",
  "end\ufffd",
  "end",
  `${"x".repeat(250)}1`,
  `${"x".repeat(250)}2`,
];

/** One step of building the scene: numbers are taken modulo what is there. */
export const step = record({
  kind: constantFrom("split", "window", "link", "group", "unlink", "swap", "renumber", "base"),
  from: nat(40),
  to: nat(40),
  index: nat(8),
});
export type Step = typeof step extends Arbitrary<infer S> ? S : never;

export interface Session {
  id: string;
  name: string;
}
export const sessionsNow = async (tmux: PrivateTmux): Promise<Session[]> =>
  (await tmux.run("list-sessions", "-F", "#{session_id} #{session_name}")).split("\n").map((line) => {
    const [, id = "", name = ""] = /^(\$\d+) (.*)$/s.exec(line) ?? [];
    return { id, name };
  });
export const listed = async (tmux: PrivateTmux, ...args: readonly string[]): Promise<string[]> =>
  (await tmux.run(...args)).split("\n");
export const pick = <T>(all: readonly T[], at: number): T => {
  const found = all[at % all.length];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
};

const take = async (tmux: PrivateTmux, { kind, from, to, index }: Step): Promise<void> => {
  const run = (...args: readonly string[]): Promise<string> => tmux.run(...args);
  const all = await listed(tmux, "list-windows", "-a", "-F", "#{session_id}:#{window_index}");
  // The session that keeps the server alive stays as it is.
  const links = all.filter((link) => !link.startsWith("$0:"));
  const sessions = (await sessionsNow(tmux)).filter(({ id }) => id !== "$0");
  const [source, target] = [pick(links, from), pick(links, to)];
  const { id } = pick(sessions, to);
  switch (kind) {
    case "split":
      return void (await run("split-window", "-d", "-t", source, "exec cat"));
    case "window":
      return void (await run("new-window", "-d", "-n", "w", "-t", `${id}:${index}`, "exec cat"));
    case "link":
      return void (await run("link-window", "-d", "-s", source, "-t", `${id}:${index}`));
    case "group":
      return void (await run("new-session", "-d", "-t", id));
    case "unlink":
      return void (await run("unlink-window", "-t", source));
    case "swap":
      return void (await run("swap-window", "-d", "-s", source, "-t", target));
    case "renumber": {
      // tmux 3.3a renumbers one session of a group alone, and dies of the next unlink-window there.
      const isGrouped = (await run("display-message", "-p", "-t", `${id}:`, "#{session_grouped}")) === "1";
      return isGrouped ? undefined : void (await run("move-window", "-r", "-t", `${id}:`));
    }
    case "base":
      return void (await run("set-option", "-w", "-t", source, "pane-base-index", `${index % 3}`));
  }
};

/** Names stay as they are given, and every new pane waits. */
export const settleOptions = async (tmux: PrivateTmux): Promise<void> => {
  await tmux.run("set-option", "-g", "automatic-rename", "off");
  await tmux.run("set-option", "-g", "allow-rename", "off");
  await tmux.run("set-option", "-g", "default-command", "exec cat");
};

/** Ends every session but `base`, and makes new ones of these names by these steps. */
export const buildLayout = async (
  tmux: PrivateTmux,
  names: readonly string[],
  steps: readonly Step[],
): Promise<void> => {
  for (const { id, name } of await sessionsNow(tmux))
    if (name !== "base") await tmux.run("kill-session", "-t", id);
  for (const name of names)
    await tmux.run("new-session", "-d", "-n", "w", `-s${name.replaceAll("#", "##")}`, "exec cat");
  // What tmux refuses (an index that is taken, the last pane) is no step.
  for (const one of steps) await take(tmux, one).catch(() => {});
};

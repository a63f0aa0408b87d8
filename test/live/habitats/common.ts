// Habitats of every agent: wrappers, shells, other terminals in the pane, what is done to the pane, and environments.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { AGTMUX } from "../rig/product.ts";
import type { Stage } from "../drive/stage.ts";
import { executableOf, quoted, type Habitat } from "./habitat.ts";

/** A command of tmux on the agent's pane. */
const onPane =
  (command: string, ...args: readonly string[]) =>
  async (stage: Stage): Promise<void> => {
    await stage.rig.tmux(command, "-t", stage.pane.paneId, ...args);
  };

const NATIVE = ["claude", "codex", "opencode"] as const;
const INNER = "inner.sock";

export const COMMON_HABITATS: readonly Habitat[] = [
  { name: "plain" },
  { name: "exec", command: (_agent, typed) => `exec ${typed}` },
  { name: "subshell", command: (_agent, typed) => `(${typed}; :)` },
  { name: "loop", command: (_agent, typed) => `while :; do ${typed}; break; done` },
  {
    name: "link",
    command: (agent, typed) =>
      `ln -s "$(command -v ${agent.command})" "$HOME/cc"; "$HOME/cc"${typed.slice(agent.command.length)}`,
  },
  {
    name: "twelve_shells",
    command: (_agent, typed) =>
      `printf 'n=$1; shift; if [ "$n" -gt 0 ]; then sh "$0" $((n-1)) "$@"; else "$@"; fi; :\\n' >"$HOME/deep.sh"; sh "$HOME/deep.sh" 12 ${typed}`,
  },
  { name: "zsh", needs: "zsh", command: (_agent, typed) => `zsh -fc ${quoted(`${typed}; :`)}` },
  { name: "fish", needs: "fish", command: (_agent, typed) => `fish -N -c ${quoted(`${typed}; true`)}` },
  { name: "nice", command: (_agent, typed) => `nice -n 5 ${typed}` },
  { name: "env", command: (_agent, typed) => `env FOO=bar ${typed}` },
  { name: "timeout", command: (_agent, typed) => `timeout --foreground 2h ${typed}` },
  { name: "script", needs: "script", command: (_agent, typed) => `script -qec ${quoted(typed)} /dev/null` },
  { name: "su", needs: "su", command: (_agent, typed) => `su -m root -s /bin/bash -c ${quoted(typed)}` },
  { name: "agtmux_run", command: (_agent, typed) => `${AGTMUX} run -- ${typed}` },
  {
    name: "vim",
    needs: "vim",
    command: (_agent, typed) => `vim -u NONE -N -c ${quoted(`terminal ++curwin ${typed}`)}`,
  },
  {
    name: "vim_split",
    needs: "vim",
    command: (_agent, typed) => `vim -u NONE -N -c ${quoted(`terminal ++rows=28 ${typed}`)}`,
  },
  {
    name: "vim_columns",
    needs: "vim",
    command: (_agent, typed) => `vim -u NONE -N -c ${quoted(`vertical terminal ++cols=90 ${typed}`)}`,
  },
  {
    name: "exec_a",
    agents: NATIVE,
    command: (agent, typed) =>
      `bash -c ${quoted(`exec -a assistant ${executableOf(agent)}${typed.slice(agent.command.length)}`)}`,
  },
  {
    name: "copy",
    agents: NATIVE,
    command: (agent, typed) =>
      `cp -L ${executableOf(agent)} "$HOME/mine"; "$HOME/mine"${agent.id === "codex" ? " --no-daemon" : ""}${typed.slice(agent.command.length)}`,
  },
  { name: "split_beside", prepare: onPane("split-window", "-d", "-h", "-l", "30", "sleep infinity") },
  { name: "split_below", prepare: onPane("split-window", "-d", "-l", "8", "sleep infinity") },
  { name: "resized", prepare: onPane("resize-window", "-x", "90", "-y", "30") },
  {
    name: "renamed",
    prepare: async (stage) => {
      await onPane("rename-window", "my win ✳ codex")(stage);
      await onPane("rename-session", "a name with blanks")(stage);
    },
  },
  { name: "titled", prepare: onPane("select-pane", "-T", "my own title") },
  {
    name: "broken_out",
    prepare: async (stage) => {
      await onPane("split-window", "-d", "sleep infinity")(stage);
      await stage.rig.tmux("break-pane", "-d", "-s", stage.pane.paneId);
    },
  },
  {
    name: "joined",
    prepare: async (stage) => {
      await stage.rig.tmux("join-pane", "-d", "-h", "-s", stage.pane.paneId, "-t", "base:0");
    },
  },
  {
    name: "linked",
    prepare: async (stage) => {
      await stage.rig.tmux("link-window", "-d", "-s", stage.pane.paneId, "-t", "base:7");
    },
  },
  {
    name: "grouped",
    prepare: async (stage) => {
      await stage.rig.tmux("new-session", "-d", "-s", "twin", "-t", stage.pane.session);
    },
  },
  {
    name: "zoomed",
    prepare: async (stage) => {
      await onPane("split-window", "-d", "sleep infinity")(stage);
      await onPane("resize-pane", "-Z")(stage);
    },
  },
  { name: "history_cleared", prepare: onPane("clear-history") },
  { name: "no_titles", tmux: "set -wg allow-set-title off" },
  { name: "no_alternate", tmux: "set -wg alternate-screen off" },
  { name: "short_history", tmux: "set -g history-limit 0" },
  { name: "term_screen", tmux: "set -g default-terminal screen-256color" },
  { name: "no_colour", environment: { NO_COLOR: "1" } },
  { name: "lang_c", environment: { LANG: "C", LC_ALL: "C" } },
  {
    name: "inner_tmux",
    command: (_agent, typed) => `TMUX= tmux -S "$HOME/${INNER}" -f /dev/null new-session ${quoted(typed)}`,
    finish: async ({ rig }) => {
      // It may have ended with its client.
      await promisify(execFile)("tmux", ["-S", join(rig.place.home, INNER), "kill-server"]).catch(() => null);
    },
    noRow: /its program is tmux/,
  },
];

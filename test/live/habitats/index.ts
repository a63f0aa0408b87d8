// All habitats, and what is driven in each: the states of an ordinary day, and a text that agtmux sends.
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { AgentId } from "../agents/agentIds.ts";
import type { LiveAgent, Place } from "../agents/liveAgent.ts";
import { mergeJson, writeText } from "../agents/settings.ts";
import { act, referenceOf } from "../drive/act.ts";
import type { Scenario } from "../drive/scenario.ts";
import { askedBy, type Stage } from "../drive/stage.ts";
import { STATE_SCENARIOS } from "../drive/states.ts";
import { MODES, type HabitatKind, type Shown } from "../results/result.ts";
import { driveInside, INSIDE_HABITATS } from "./inside.ts";
import { untilTrue } from "../rig/livePane.ts";
import { AGTMUX } from "../rig/product.ts";
import { executableOf, type Habitat, quoted } from "./habitat.ts";

// Views that a person leaves open: a menu, a list, the settings. Nobody knows what the agent does behind one, and no text goes into it.

/** What is typed to open it: a command with its Enter, or keys. */
type Opening = string | readonly string[];

const VIEWS: Readonly<Partial<Record<AgentId, Readonly<Record<string, Opening>>>>> = {
  claude: {
    model: "/model",
    permissions: "/permissions",
    resume: "/resume",
    config: "/config",
    help: "/help",
    theme: "/theme",
    mcp: "/mcp",
    hooks: "/hooks",
    memory: "/memory",
    rewind: "/rewind",
    agents: "/agents",
    transcript: ["C-o"],
  },
  codex: {
    model: "/model",
    permissions: "/permissions",
    theme: "/theme",
    title: "/title",
    status_line: "/statusline",
    skills: "/skills",
    review: "/review",
    transcript: ["C-t"],
  },
  gemini: {
    settings: "/settings",
    theme: "/theme",
    model: "/model",
    auth: "/auth",
    editor: "/editor",
    resume: "/resume",
  },
  copilot: { model: "/model", theme: "/theme", resume: "/resume", help: "/help" },
  opencode: { models: "/models", sessions: "/sessions", themes: "/themes", help: "/help", commands: ["C-p"] },
  omp: { settings: "/settings", model: "/model", resume: "/resume", tree: "/tree" },
  pi: { settings: "/settings", model: "/model", resume: "/resume", tree: "/tree" },
};

const OPEN_MS = 2_000;
const KEY_MS = 700;
const CLOSES = 3;

/** Where it stands, nothing opened, whatever else moves on the screen. */
const AT_PROMPT: Readonly<Partial<Record<AgentId, RegExp>>> = {
  claude: /\? for shortcuts/,
  codex: /› Ask Codex to do anything/,
};
/** Their own files go on telling that they rest, whatever covers the screen. */
const TOLD_BY_FILE: ReadonlySet<AgentId> = new Set(["claude"]);
const TRIES = 2;

/** A view is no state: where no event says more, nobody knows. What was told before it opened still holds. */
const statesOf = ({ rig }: Stage): readonly Shown[] =>
  rig.mode === "screen" && !TOLD_BY_FILE.has(rig.agent.id)
    ? ["unknown", "waiting_input"]
    : ["unknown", "waiting_input", "idle", "completed"];

const open = async ({ pane, rig }: Stage, opening: Opening): Promise<void> => {
  if (typeof opening !== "string") return pane.press(opening);
  await rig.tmux("send-keys", "-t", pane.paneId, "-l", opening);
  await wait(KEY_MS);
  await pane.press(["Enter"]);
};

/** The screen with the view on it; null: the keys opened none. */
const openView = async (stage: Stage, opening: Opening, before: string): Promise<string | null> => {
  const atPrompt = AT_PROMPT[stage.rig.agent.id];
  for (let tries = 0; tries < TRIES; tries += 1) {
    await open(stage, opening);
    await wait(OPEN_MS);
    const screen = await stage.pane.screen();
    if (screen !== before && atPrompt?.test(screen) !== true) return screen;
  }
  return null;
};

/** Opens each view, looks, sends a text, and closes it. */
const driveViews = async (stage: Stage): Promise<void> => {
  const { agent } = stage.rig;
  for (const [name, opening] of Object.entries(VIEWS[agent.id] ?? {})) {
    const before = await stage.pane.screen();
    const causedAt = Date.now();
    const opened = await openView(stage, opening, before);
    const states = statesOf(stage);
    if (opened === null) await stage.undriven(`view_${name}`, states, "nothing opened");
    else {
      const holds = async (): Promise<boolean> => (await stage.pane.screen()) !== before;
      await stage.check({ step: `view_${name}`, states, since: Date.now() - OPEN_MS, causedAt, holds });
      const at = Date.now();
      const row = await stage.rig.product.row(stage.pane.paneId);
      const sent = await act(
        stage,
        "send",
        row?.identity.pane_ref ?? "",
        "--text",
        `SAY not into ${name}`,
        "--json",
      );
      await wait(KEY_MS);
      const isAsked = stage.since(at).length > 0;
      const isSame = (await stage.pane.screen()) === opened;
      await stage.did(`send_into_${name}`, sent.code !== 0 && !isAsked && isSame, sent.said);
    }
    for (let count = 0; count < CLOSES && !(await stage.pane.isShown(agent.markers.ready)); count += 1) {
      await stage.pane.press(["Escape"]);
      await wait(KEY_MS);
    }
    await stage.pane.press(["C-u"]);
    await wait(KEY_MS);
  }
};

// Habitats of every agent: wrappers, shells, other terminals in the pane, what is done to the pane, and environments.

/** A command of tmux on the agent's pane. */
const onPane =
  (command: string, ...args: readonly string[]) =>
  async (stage: Stage): Promise<void> => {
    await stage.rig.tmux(command, "-t", stage.pane.paneId, ...args);
  };

const NATIVE = ["claude", "codex", "opencode"] as const;

const COMMON_HABITATS: readonly Habitat[] = [
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
];

// Habitats of one agent: its settings, options and variables, as its documents list them.

const merged =
  (file: string, more: object) =>
  ({ home }: Place): Promise<void> =>
    mergeJson(home, file, more);
const claudeSettings = (more: object) => merged(".claude/settings.json", more);
const claudeState = (more: object) => merged(".claude.json", more);
const statusLine = (text: string) =>
  claudeSettings({ statusLine: { type: "command", command: `printf '${text}'` } });

const claude = (habitat: Omit<Habitat, "agents">): Habitat => ({ ...habitat, agents: ["claude"] });
const RULE = "─".repeat(60);

const CLAUDE_HABITATS: readonly Habitat[] = [
  claude({ name: "status_rule", configure: statusLine(`${RULE}\\n main  opus`) }),
  claude({ name: "status_dot", configure: statusLine("· my work · 3m 12s · ↑ 2.1k tokens") }),
  claude({ name: "status_words", configure: statusLine("* Working… (esc to interrupt)") }),
  claude({ name: "status_retry", configure: statusLine("Retrying in 5 seconds (attempt 1/2) · 429") }),
  claude({ name: "status_lines", configure: statusLine("one\\ntwo ❯ three\\n● four\\nfive") }),
  claude({ name: "named", args: "--name 'my long session name'" }),
  claude({ name: "vim_mode", configure: claudeSettings({ editorMode: "vim" }), keysBeforePrompt: ["i"] }),
  claude({
    name: "ax_screen_reader",
    args: "--ax-screen-reader",
    markers: { ready: /Screen Reader Mode/ },
    startDialogs: [{ shown: /Select with numbers \[1-2\]/, keys: ["2", "Enter"], expectedIn: MODES }],
  }),
  claude({ name: "theme_light", configure: claudeState({ theme: "light" }) }),
  claude({ name: "theme_ansi", configure: claudeState({ theme: "dark-ansi" }) }),
  claude({ name: "theme_daltonized", configure: claudeState({ theme: "light-daltonized" }) }),
  claude({ name: "no_title", environment: { CLAUDE_CODE_DISABLE_TERMINAL_TITLE: "1" } }),
  claude({ name: "no_flicker", environment: { CLAUDE_CODE_NO_FLICKER: "1" } }),
  claude({ name: "reduced_motion", configure: claudeSettings({ prefersReducedMotion: true }) }),
  claude({ name: "no_tips", configure: claudeSettings({ spinnerTipsEnabled: false }) }),
  claude({
    name: "own_verbs",
    configure: claudeSettings({ spinnerVerbs: { mode: "replace", verbs: ["esc to interrupt"] } }),
  }),
  claude({ name: "verbose", args: "--verbose" }),
  claude({ name: "model", args: "--model opus" }),
  claude({ name: "explanatory", configure: claudeSettings({ outputStyle: "Explanatory" }) }),
  claude({ name: "effort", args: "--effort high" }),
  claude({ name: "debug", args: "--debug-file /dev/null" }),
  claude({ name: "system_prompt", args: "--append-system-prompt 'be short'" }),
  claude({ name: "no_thinking", environment: { MAX_THINKING_TOKENS: "0" } }),
];

const codex = (habitat: Omit<Habitat, "agents">): Habitat => ({ ...habitat, agents: ["codex"] });
const tui =
  (text: string) =>
  async ({ home }: Place) => {
    const path = join(home, ".codex", "config.toml");
    await writeText(home, ".codex/config.toml", `${await readFile(path, "utf8")}\n[tui]\n${text}\n`);
  };

const CODEX_HABITATS: readonly Habitat[] = [
  codex({ name: "title_off", configure: tui("terminal_title = []") }),
  codex({ name: "title_project", configure: tui('terminal_title = ["project"]') }),
  codex({ name: "title_model", configure: tui('terminal_title = ["model", "project"]') }),
  codex({ name: "no_animations", configure: tui("animations = false") }),
  codex({ name: "no_animations_no_title", configure: tui("animations = false\nterminal_title = []") }),
  codex({ name: "no_alt_screen", args: "--no-alt-screen" }),
  codex({ name: "alternate_never", configure: tui('alternate_screen = "never"') }),
  codex({ name: "no_status_line", configure: tui("status_line = []") }),
  codex({
    name: "status_line",
    configure: tui('status_line = ["model", "git-branch", "context-remaining"]'),
  }),
  codex({ name: "no_tooltips", configure: tui("show_tooltips = false") }),
  codex({ name: "notifications", configure: tui('notifications = true\nnotification_condition = "always"') }),
  codex({ name: "theme", configure: tui('theme = "github"') }),
  codex({ name: "search", args: "--search" }),
  codex({ name: "model", args: "-m gpt-5.1" }),
  codex({ name: "effort", args: "-c model_reasoning_effort=high" }),
  codex({ name: "hide_reasoning", args: "-c hide_agent_reasoning=true" }),
  codex({ name: "raw_reasoning", args: "-c show_raw_agent_reasoning=true" }),
  codex({ name: "never_asks_elsewhere", args: "-c sandbox_workspace_write.network_access=true" }),
  codex({ name: "read_only", args: "-s read-only" }),
  codex({ name: "add_dir", args: "--add-dir /tmp" }),
];

const OWN_HABITATS: readonly Habitat[] = [...CLAUDE_HABITATS, ...CODEX_HABITATS];

const VIEWS_OPEN: Habitat = { name: "views_open" };
const HABITATS: Readonly<Record<HabitatKind, readonly Habitat[]>> = {
  habitats: [...COMMON_HABITATS, ...OWN_HABITATS, VIEWS_OPEN],
  inside: INSIDE_HABITATS,
};

const DRIVEN = ["idle", "completed", "running", "waiting_approval", "error"];
const SENT_MS = 10_000;

const has = (program: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Why it cannot be driven here; null: it can. */
const lackOf = ({ needs }: Habitat): string | null =>
  needs === undefined || has(needs) ? null : `${needs} is not installed`;

export const habitatsOf = (agent: LiveAgent, kind: HabitatKind): Habitat[] =>
  HABITATS[kind].filter(
    (habitat) =>
      (habitat.agents?.includes(agent.id) ?? true) &&
      (habitat !== VIEWS_OPEN || VIEWS[agent.id] !== undefined) &&
      lackOf(habitat) === null,
  );

export const habitatOf = (name: string): Habitat | null =>
  Object.values(HABITATS)
    .flat()
    .find((one) => one.name === name) ?? null;

/** `agtmux send` has to reach exactly this agent, once. */
const send = async (stage: Stage): Promise<void> => {
  const prompt = `SAY sent n${stage.next()}`;
  const at = Date.now();
  const { ref } = await referenceOf(stage);
  const sent = await act(stage, "send", ref, "--text", prompt, "--json");
  const arrived = await untilTrue(() => askedBy(stage, { prompt, at }) !== null, SENT_MS);
  await stage.did("send", sent.code === 0 && arrived !== null, sent.said);
};

const run = async (habitat: Habitat, stage: Stage): Promise<void> => {
  try {
    await habitat.prepare?.(stage);
    if (habitat.inside !== undefined) return await driveInside(habitat.inside, stage, send);
    if (habitat === VIEWS_OPEN) return await driveViews(stage);
    for (const scenario of STATE_SCENARIOS)
      if (DRIVEN.includes(scenario.name) && (scenario.lacks?.(stage.rig.agent) ?? null) === null)
        await scenario.run(stage);
    await send(stage);
  } finally {
    await habitat.finish?.(stage);
  }
};

export const habitatScenario = (habitat: Habitat): Scenario => ({
  name: habitat.name,
  steps: [habitat.name],
  run: (stage) => run(habitat, stage),
});

// Habitats of one agent: its settings, options and variables, as its documents list them.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "../agents/liveAgent.ts";
import { writeText } from "../agents/settings.ts";
import { MODES } from "../results/result.ts";
import type { Habitat } from "./habitat.ts";

/** Puts more keys into a file of settings that is there. */
const merged =
  (file: string, more: object) =>
  async ({ home }: Place): Promise<void> => {
    const path = join(home, file);
    const before: unknown = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify(Object.assign({}, before, more)));
  };
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

export const OWN_HABITATS: readonly Habitat[] = [...CLAUDE_HABITATS, ...CODEX_HABITATS];

// Views that a person leaves open: a menu, a list, the settings. Nobody knows what the agent does behind one, and no text goes into it.
import { setTimeout as wait } from "node:timers/promises";
import type { AgentId } from "../agents/agentIds.ts";
import { act } from "../drive/act.ts";
import type { Stage } from "../drive/stage.ts";
import type { Shown } from "../results/result.ts";

/** What is typed to open it: a command with its Enter, or keys. */
type Opening = string | readonly string[];

export const VIEWS: Readonly<Partial<Record<AgentId, Readonly<Record<string, Opening>>>>> = {
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
export const driveViews = async (stage: Stage): Promise<void> => {
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

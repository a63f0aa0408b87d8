// The progress line of every frame, recorded and hand-made: what is said, that nothing else is, and that it does not tick.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { listFrames, loadRecording, screenOf } from "../../adapters/testkit/recordings.ts";
import { reword } from "../../bench/detect/variations.ts";
import { steadyProgress } from "../../core/ingest/activity.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

/** The same of a frame at each width at which it was recorded. */
const atWidths = (progress: string, ...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => [60, 70, 96, 140].map((width) => [`${name}_${width}`, progress])),
  );

/** Every frame that says something. */
const EXPECTED: Readonly<Record<string, string>> = {
  "claude/attached_error": "400 lab failure 400",
  "claude/name_error": "400 lab failure 400",
  "claude/name_long_error": "400 lab failure 400",
  "claude/name_narrow_error": "400 lab failure 400",
  "claude/status_line_error": "400 lab failure 400",
  "claude/subagents_listed": "1 background agent",
  "claude/auto_mode_tool": "auto mode",
  "claude/background_agents": "2 background agents",
  "claude/completed_named_session": "plan mode",
  "claude/idle_fresh": "auto mode",
  "claude/interrupted_140_columns": "auto mode",
  "claude/interrupted_60_columns": "auto mode",
  "claude/interrupted_96_columns": "auto mode",
  "claude/limit_time_120_columns":
    "Usage limit reached · continuing automatically at 10:27am · esc to cancel",
  "claude/limit_time_60_columns": "Usage limit reached · continuing automatically at 10:28am · esc to cancel",
  "claude/limit_date_120_columns": "You've hit your limit · resets Nov 26, 3:38am (UTC)",
  "claude/limit_date_60_columns": "You've hit your limit · resets Nov 26, 3:38am (UTC)",
  "codex/limit_date_120_columns":
    "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/ usage to purchase more credits or try again a",
  "codex/limit_time_120_columns":
    "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/ usage to purchase more credits or try again a",
  "codex/limit_date_60_columns":
    "You’ve hit your usage limit. Upgrade to Pro (https:// chatgpt.com/explore/pro), visit https://chatgpt.com/ settings/usage to purchase more credits or try again",
  "codex/limit_time_60_columns":
    "You’ve hit your usage limit. Upgrade to Pro (https:// chatgpt.com/explore/pro), visit https://chatgpt.com/ settings/usage to purchase more credits or try again",
  "claude/plan_denied_140_columns": "plan mode",
  "claude/plan_denied_2_1_197": "plan mode",
  "claude/plan_denied_60_columns": "plan mode",
  "claude/plan_denied_96_columns": "plan mode",
  "claude/question_declined_140_columns": "plan mode",
  "claude/question_declined_60_columns": "plan mode",
  "claude/question_declined_96_columns": "plan mode",
  "claude/retrying": "retry 3 of 10",
  "claude/running_60_columns": "Enchanting a rather long thing · auto mode",
  "claude/running_custom_status_line": "1 queued prompt · accept edits",
  "claude/running_footer_cut": "auto mode",
  "claude/running_with_task_list": "Running the tests",
  "codex/reconnecting": "retry 2 of 5",
  "codex/tool_running": "1 background terminal",
  ...atWidths("1 background terminal", "codex/tool_running", "codex/interrupted_tool"),
  ...atWidths(
    "2 background terminals",
    "codex/completed_with_terminal",
    "codex/completed_after_error_with_terminal",
  ),
  "codex/working_queued": "1 queued prompt",
  "codex/working_without_title": "Thinking about it",
  "copilot/retrying": "retry 1",
  "gemini/retry_with_words": "retry 2 of 10",
  "opencode/error_500": "retry 3 · lab failure 500",
  "opencode/error_cut_retrying": "retry 2 · Connection reset by server",
  "pi/retrying": "retry 2 of 3",
  // The words of a failure.
  ...atWidths(
    "lab failure 400",
    "codex/error_400",
    "opencode/error_400",
    "opencode/error_with_toast",
    "pi/error_400",
  ),
  ...atWidths("lab failure 400 · 2 background terminals", "codex/error_with_terminal"),
  "claude/error_2_1_197": "400 live failure 400",
  "claude/error_400": "400 lab failure 400",
  "claude/error_400_60_columns": "400 lab failure 400 · auto mode",
  "claude/error_400_96_columns": "400 lab failure 400 · auto mode",
  "claude/error_401": "Please run /login · API Error: 401 lab failure 401",
  "claude/error_429": "Request rejected (429) · lab failure 429",
  "claude/error_500":
    "500 lab failure 500. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8787).",
  "claude/error_500_60_columns":
    "500 lab failure 500. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway.",
  "claude/error_500_retrying":
    "500 lab failure 500. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8787).",
  "claude/usage_limit": "You've hit your limit · resets 3pm",
  "codex/error_400": "lab failure 400",
  "codex/error_401":
    "unexpected status 401 Unauthorized: lab failure 401, url: http://127.0.0.1:8787/v1/responses",
  "codex/error_429": "exceeded retry limit, last status: 429 Too Many Requests",
  "codex/error_500": "We’re currently experiencing high demand, which may cause temporary errors.",
  "codex/error_cut":
    "stream disconnected before completion: error sending request for url (http://127.0.0.1:8787/v1/responses)",
  "codex/error_wrapped_50_columns":
    "unexpected status 401 Unauthorized: lab failure 401, url: http://127.0.0.1:8787/v1/responses",
  "codex/no_alternate_error": "lab failure 400",
  "codex/no_alternate_tool": "1 background terminal",
  "codex/no_animations_error": "lab failure 400",
  "codex/no_animations_tool": "1 background terminal",
  "codex/no_title_error": "lab failure 400",
  "codex/no_title_tool": "1 background terminal",
  "codex/title_behind_error": "lab failure 400",
  "codex/title_behind_tool": "1 background terminal",
  "codex/usage_limit": "You've hit your usage limit. Upgrade to Pro.",
  "copilot/error_400": "400 lab failure 400",
  "copilot/error_401":
    "Authentication failed with provider at http://127.0.0.1:8787/v1 (HTTP 401). Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PR",
  "copilot/error_500":
    "Failed to get response from the AI model; retried 5 times Last error: 500 la failure 500",
  "copilot/error_cut":
    "Failed to get response from the AI model; retried 5 times Last error: Failed native model HTTP request: error decoding response body: error reading a body from",
  "copilot/error_rate_limited":
    "Failed to get response from the AI model; retried 5 times Last error: 429 too many requests",
  "gemini/error_400": "lab failure 400",
  "gemini/error_cut": "terminated",
  "gemini/error_quota": "You exceeded your current quota, please check your plan and billing details.",
  "cline/error_400": "live failure 400",
  "cline/error_400_250_columns": "live failure 400",
  "cline/error_400_60_columns": "live failure 400",
  "cline/error_400_80_columns": "live failure 400",
  "qwen/error_400": "400 live failure 400",
  "qwen/error_400_250_columns": "400 live failure 400",
  "qwen/error_400_60_columns": "400 live failure 400",
  "qwen/error_400_80_columns": "400 live failure 400",
  "kilo/error_500_retrying": "retry 1 · live failure 500",
  "kilo/error_cut": "Connection reset by server",
  "kilo/error_400": "live failure 400",
  "kilo/error_400_250_columns": "live failure 400",
  "kilo/error_400_60_columns": "live failure 400",
  "kilo/error_400_80_columns": "live failure 400",
  "omp/error_400": "400 lab failure 400 lab failure 400",
  "opencode/error_400": "lab failure 400",
  "opencode/error_401": "lab failure 401",
  "pi/error_400": "lab failure 400",
};

const agentsIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

const registry = createAdapterRegistry();
const frames = ["recordings", "variants"].flatMap((kind) =>
  agentsIn(join(FIXTURES, kind)).flatMap((agent) =>
    listFrames(join(FIXTURES, kind, agent)).map((name) => ({
      agent,
      key: `${agent}/${name}`,
      recording: loadRecording(join(FIXTURES, kind, agent), name),
    })),
  ),
);
const progressOf = (agent: string, recording: ReturnType<typeof loadRecording>): string | null =>
  registry.byAgentType(agent)?.readScreen(screenOf(recording))?.progress ?? null;

describe("the progress line of a frame", () => {
  it("is said where the frame says something beside its state, and nowhere else", () => {
    const said = frames.flatMap(({ agent, key, recording }) => {
      const progress = progressOf(agent, recording);
      return progress === null ? [] : [[key, progress]];
    });
    expect(Object.fromEntries(said)).toEqual(EXPECTED);
  });

  it("is the same a moment later, when spinners, seconds and counters have moved on", () => {
    for (const { agent, key, recording } of frames) {
      const now = progressOf(agent, recording);
      const later = reword(recording.text);
      expect([key, progressOf(agent, { ...recording, text: later, ansi: later })]).toEqual([key, now]);
      if (now !== null) expect(steadyProgress(now)).toBe(now);
    }
  });
});

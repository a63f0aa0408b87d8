// How each played agent goes through the steps that all of them share: the events that it sends, in their recorded order,
// and the frame that it then shows. Facts as recorded; what a frame was not recorded for is a hand-made variant of its
// recorded texts, or is left out.
import type { Payload } from "../../adapters/testkit/recordings.ts";
import type { Player } from "../player/player.ts";
import { framesOf, type PlayedAgent } from "./chainHarness.ts";

interface Harness {
  events: readonly (readonly [name: string, payload?: Payload])[];
  frame: string;
  /** The frame is a hand-made one. */
  isVariant?: boolean;
}

export interface Conversation {
  /** It sits at its fresh prompt. */
  begin: Harness;
  prompt: Harness;
  /** It asks for a permission. */
  ask: Harness;
  /** It tries a failed request again; `progress`: what it then says of its work. */
  retry: Harness & { progress: string | null };
  /** The turn goes on to its end. */
  end: Harness;
}

const SHELL = { tool_name: "Bash", tool_input: { command: "touch approved.txt" }, tool_use_id: "toolu_1" };
const GEMINI_SHELL = { tool_name: "run_shell_command", tool_input: { command: "touch approved.txt" } };
const COPILOT_SHELL = { toolName: "bash", toolArgs: { command: "touch approved.txt" } };
const CALL = { toolName: "bash", toolCallId: "call_1" };
const STOPPED = { role: "assistant", stopReason: "stop" };
const ROOT = "ses_root";
const status = (type: string, more: Payload = {}) =>
  ["session.status", { sessionID: ROOT, status: { type, ...more } }] as const;
const piPrompt: Harness["events"] = [["before_agent_start"], ["agent_start"], ["turn_start"]];

export const CONVERSATIONS: Readonly<Record<PlayedAgent, Conversation>> = {
  claude: {
    begin: { events: [["SessionStart"]], frame: "idle_fresh" },
    prompt: { events: [["UserPromptSubmit"]], frame: "running" },
    ask: {
      events: [
        ["PreToolUse", SHELL],
        ["PermissionRequest", SHELL],
      ],
      frame: "waiting_approval",
    },
    // No hook tells of an attempt.
    retry: { events: [], frame: "retrying", isVariant: true, progress: "retry 3 of 10" },
    end: { events: [["Stop"]], frame: "completed" },
  },
  codex: {
    // Its SessionStart comes with the first prompt.
    begin: { events: [], frame: "idle_fresh" },
    prompt: {
      events: [["SessionStart"], ["UserPromptSubmit", { prompt: "RUN touch approved.txt" }]],
      frame: "running",
    },
    ask: { events: [["PreToolUse"], ["PermissionRequest"]], frame: "waiting_approval" },
    retry: { events: [], frame: "reconnecting", isVariant: true, progress: "retry 2 of 5" },
    end: { events: [["Stop"]], frame: "completed" },
  },
  gemini: {
    begin: { events: [["SessionStart"]], frame: "idle_fresh" },
    prompt: { events: [["BeforeAgent", { prompt: "RUN touch approved.txt" }]], frame: "running" },
    ask: {
      events: [
        ["BeforeTool", GEMINI_SHELL],
        [
          "Notification",
          {
            notification_type: "ToolPermission",
            details: { type: "exec", title: "Confirm Shell Command", command: "touch approved.txt" },
          },
        ],
      ],
      frame: "waiting_approval",
    },
    // Recorded retries were silent; the words are in its source.
    retry: { events: [], frame: "retry_with_words", isVariant: true, progress: "retry 2 of 10" },
    end: { events: [["AfterAgent", { prompt_response: "DONE" }]], frame: "completed" },
  },
  copilot: {
    begin: { events: [], frame: "idle_fresh" },
    prompt: {
      events: [["sessionStart"], ["userPromptSubmitted", { prompt: "RUN touch approved.txt" }]],
      frame: "running",
    },
    ask: {
      events: [
        ["preToolUse", COPILOT_SHELL],
        [
          "notification",
          {
            notification_type: "permission_prompt",
            title: "Permission needed",
            message: "Run command: touch approved.txt",
          },
        ],
      ],
      frame: "waiting_approval",
    },
    retry: { events: [["errorOccurred"]], frame: "retrying", isVariant: true, progress: "retry 1" },
    end: { events: [["postToolUse", COPILOT_SHELL], ["agentStop"]], frame: "completed" },
  },
  opencode: {
    begin: { events: [], frame: "idle_fresh" },
    prompt: {
      events: [
        ["session.created", { sessionID: ROOT, info: { id: ROOT } }],
        ["chat.message", { sessionID: ROOT }],
        status("busy"),
      ],
      frame: "running",
    },
    ask: {
      events: [
        ["tool.execute.before", { sessionID: ROOT, tool: "bash", callID: "call_1" }],
        ["permission.asked", { sessionID: ROOT, id: "per_1" }],
      ],
      frame: "waiting_approval",
    },
    retry: {
      events: [status("retry", { attempt: 3, message: "lab failure 500" })],
      frame: "error_500",
      progress: "retry 3 · lab failure 500",
    },
    end: {
      events: [
        ["permission.replied", { sessionID: ROOT, requestID: "per_1", reply: "once" }],
        status("idle"),
        ["session.idle", { sessionID: ROOT }],
      ],
      frame: "completed",
    },
  },
  omp: {
    begin: { events: [["session_start"]], frame: "idle_fresh" },
    prompt: { events: piPrompt, frame: "running" },
    ask: {
      events: [
        ["tool_execution_start", { ...CALL, args: { command: "touch approved.txt" } }],
        ["tool_approval_requested", CALL],
      ],
      frame: "waiting_approval",
    },
    // The recorded one was silent: what an attempt is called is from the sources of its family.
    retry: {
      events: [["auto_retry_start", { attempt: 2, maxAttempts: 3, errorMessage: "529 overloaded" }]],
      frame: "error_500",
      progress: "retry 2 of 3 · 529 overloaded",
    },
    end: {
      events: [
        ["turn_end", { message: STOPPED }],
        ["session_stop", { last_assistant_message: STOPPED }],
        ["agent_end", { messages: [STOPPED] }],
      ],
      frame: "completed",
    },
  },
  pi: {
    begin: { events: [["session_start"]], frame: "idle_fresh" },
    prompt: { events: piPrompt, frame: "running" },
    ask: {
      events: [
        ["tool_execution_start", { ...CALL, args: { command: "touch gate.txt" } }],
        ["ui_prompt_start"],
      ],
      frame: "waiting_approval_extension",
    },
    retry: { events: [], frame: "retrying", isVariant: true, progress: "retry 2 of 3" },
    end: {
      events: [
        ["turn_end", { message: STOPPED }],
        ["agent_end", { messages: [STOPPED] }],
        ["agent_before_settle", { outcome: "completed" }],
        ["agent_settled"],
      ],
      frame: "completed",
    },
  },
};

/**
 * Sends the events of a step, one after another, and then shows its frame. A prompt's frame comes first: agents draw their spinner
 * when they take the prompt, and do not wait for its hook. Otherwise a slow machine shows the frame of before for longer than the
 * engine lets an event stand against the screen.
 */
export const playStep = async (
  player: Player,
  agent: PlayedAgent,
  step: keyof Conversation,
): Promise<void> => {
  const { events, frame, isVariant = false } = CONVERSATIONS[agent][step];
  const draw = () => player.frame(frame, framesOf(agent, isVariant ? "variants" : "recordings"));
  if (step === "prompt") await draw();
  for (const [name, payload] of events) await player.event(name, payload);
  if (step !== "prompt") await draw();
};

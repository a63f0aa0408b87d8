// Our extension for the pi family: its source text, and the integration that installs it as a file of its own in the folder from
// which an agent loads extensions. It hands on a few events with the few fields that show a state, and adds what only somebody
// who saw the earlier ones knows: what a tool was asked to do, how the last answer ended, and whether a sub-agent speaks.
// Handlers return at once and give nothing back; only at the end of a session do they wait until what was sent is written.
import { eventWriterSource, createOwnFileIntegration } from "../common/pluginFile.ts";
import type { Integration, IntegrationRequest } from "../../core/ports/agentAdapter.ts";

/** The events of a run that the forks of pi with retries and compaction send; documented alike for all of them. */
export const RUN_EVENTS = [
  "session_start",
  "session_switch",
  "session_shutdown",
  "before_agent_start",
  "agent_start",
  "turn_start",
  "turn_end",
  "tool_execution_start",
  "tool_execution_end",
  "auto_retry_start",
  "auto_retry_end",
  "auto_compaction_start",
  "auto_compaction_end",
  "agent_end",
] as const;
export const FORWARDED_EVENTS = [
  ...RUN_EVENTS,
  "tool_approval_requested",
  "tool_approval_resolved",
  "ui_prompt_start",
  "ui_prompt_end",
  "session_stop",
  "agent_before_settle",
  "agent_settled",
] as const;
type ForwardedEvent = (typeof FORWARDED_EVENTS)[number];

/** `configFolder`: the folder under HOME with the configuration that may give questions a time-out in seconds; or null. */
const body = (agentType: string, events: readonly ForwardedEvent[], configFolder: string | null): string => `
const CONFIG = ${configFolder === null ? "null" : JSON.stringify(`/${configFolder}/agent/config.yml`)};
const EVENTS = ${JSON.stringify(events)};
const FIELDS = [
  "reason",
  "prompt",
  "toolName",
  "toolCallId",
  "approvalMode",
  "approved",
  "isError",
  "kind",
  "title",
  "outcome",
  "attempt",
  "maxAttempts",
  "delayMs",
  "errorMessage",
  "success",
  "finalError",
  "willRetry",
  "stop_hook_active",
];
const TELLING = ["command", "path", "file_path", "pattern", "query", "url"];
const EDITS = /^(edit|write|multiedit|patch|notebook|ast_edit)$/;
// What a person is asked.
const ASKING = new Set(["tool_approval_requested", "ui_prompt_start"]);
// Sub-agents run in the same process and load this file again: the first one to load it is the root.
const MARK = Symbol.for("agtmux.${agentType}");

export default function agtmux(pi) {
  const isFirst = globalThis[MARK] === undefined;
  globalThis[MARK] = true;
  const calls = new Map();
  let lastEnding;
  let askTimeoutSeconds;

  // Read again with every run, beside it: the person may change it at any time.
  const readAskTimeout = async () => {
    const text = CONFIG === null ? "" : await fs.readFile((process.env.HOME ?? "") + CONFIG, "utf8");
    const found =
      /^ask\\.timeout:[ \\t]*(\\d{1,3})[ \\t]*$/m.exec(text) ??
      /^ask:[ \\t]*\\r?\\n(?:[ \\t]+[^\\n]*\\n)*?[ \\t]+timeout:[ \\t]*(\\d{1,3})[ \\t]*$/m.exec(text);
    askTimeoutSeconds = Number(found?.[1]) || undefined;
  };

  const sessionOf = (ctx) => {
    try {
      const sessions = ctx?.sessionManager;
      return {
        session_id: sessions?.getSessionId?.(),
        session_file: sessions?.getSessionFile?.(),
        cwd: ctx?.cwd,
      };
    } catch {
      return {};
    }
  };
  const endingOf = (event) => {
    const message =
      event.message ??
      event.last_assistant_message ??
      (Array.isArray(event.messages) ? event.messages.findLast((one) => one?.role === "assistant") : undefined);
    if (typeof message?.stopReason !== "string") return undefined;
    return {
      stopReason: message.stopReason,
      errorMessage: message.errorMessage === undefined ? undefined : String(message.errorMessage).slice(0, 500),
    };
  };
  // The line or the file that a tool works on, for the person: the rest of its input is not handed on.
  const subjectOf = (args) => {
    const found = TELLING.map((name) => args?.[name]).find((value) => typeof value === "string");
    return found === undefined ? {} : { subject: found.slice(0, 300) };
  };
  // What an edit would write that an extension holds up; left out where it would have to be cut.
  const heldEdit = ({ toolName, input }) => {
    if (!EDITS.test(toolName) || typeof input !== "object") return { toolName };
    const limit = { text: MAX_WHOLE_TEXT, isCut: false };
    const clipped = clip(input, limit, 3);
    return limit.isCut || JSON.stringify(clipped).length > MAX_WHOLE_TEXT ? { toolName } : { toolName, input: clipped };
  };
  const track = (name, event) => {
    const { toolCallId: id } = event;
    if (name === "agent_start") {
      lastEnding = undefined;
      readAskTimeout().catch(() => {
        askTimeoutSeconds = undefined;
      });
    }
    if (name === "tool_execution_start") {
      if (calls.size > 50) calls.delete(calls.keys().next().value);
      calls.set(id, { toolName: event.toolName, input: event.args });
    }
    if (name === "tool_execution_end") calls.delete(id);
    lastEnding = endingOf(event) ?? lastEnding;
  };
  const detailsOf = (name, event) => {
    if (name === "tool_execution_start")
      return event.toolName === "ask" ? { input: event.args, askTimeoutSeconds } : subjectOf(event.args);
    if (name === "tool_approval_requested") return { input: calls.get(event.toolCallId)?.input };
    if (name === "ui_prompt_start")
      return { calls: [...calls.values()].slice(0, 4).map(heldEdit) };
    if (/^(turn_end|session_stop|agent_end|agent_before_settle|agent_settled)$/.test(name))
      return { message: lastEnding };
    return {};
  };
  const tell = (name, event, ctx) => {
    track(name, event);
    const session = sessionOf(ctx);
    const isSubagent = !isFirst && ctx?.hasUI === false;
    const tellAs = ASKING.has(name) || event.toolName === "ask" ? sendWhole : send;
    tellAs(name, {
      type: name,
      ...session,
      ...(isSubagent ? { agent_id: session.session_id ?? "subagent" } : {}),
      ...Object.fromEntries(FIELDS.flatMap((field) => (event[field] === undefined ? [] : [[field, event[field]]]))),
      ...detailsOf(name, event),
    });
  };
  for (const name of EVENTS)
    try {
      pi.on(name, (event, ctx) => {
        try {
          tell(name, event ?? {}, ctx);
        } catch {}
        // The process may end right after this one: what was sent is written first, within half a second.
        return name === "session_shutdown" ? flush().then(() => undefined, () => undefined) : undefined;
      });
    } catch {}
}
`;

/** The extension for one agent and one installation of agtmux; plain JavaScript that is valid TypeScript. */
export const extensionSource = (
  agentType: string,
  events: readonly ForwardedEvent[],
  eventScript: string,
  configFolder: string | null,
): string =>
  `// @ts-nocheck\n${eventWriterSource(agentType, eventScript)}${body(agentType, events, configFolder)}`;

/** Creates the integration. The test event is one that no agent of the family sends. */
export const createExtensionIntegration = (options: {
  agentType: string;
  /** The agent's folder under the home folder, as `.omp`. */
  folder: string;
  events: readonly ForwardedEvent[];
  /** Its questions may have a time-out, set in its configuration. */
  hasAskTimeout: boolean;
  mayInstall?: (request: IntegrationRequest) => Promise<void>;
  problemsOf?: (request: IntegrationRequest) => Promise<readonly string[]>;
  notifications?: NonNullable<Integration["notifications"]>;
}): Integration =>
  createOwnFileIntegration({
    path: (configDir) => `${configDir}/extensions/agtmux.ts`,
    bodyOf: (eventScript) =>
      extensionSource(
        options.agentType,
        options.events,
        eventScript,
        options.hasAskTimeout ? options.folder : null,
      ),
    entry: "extension",
    ...(options.mayInstall === undefined ? {} : { mayInstall: options.mayInstall }),
    ...(options.problemsOf === undefined ? {} : { problemsOf: options.problemsOf }),
    ...(options.notifications === undefined ? {} : { notifications: options.notifications }),
    testEvent: { eventName: "agtmux_test", payload: { message: "Delivery test" } },
  });

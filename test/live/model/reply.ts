// What the scripted model answers to a request. A request whose last message hands back a tool's result gets the final text; one
// that offers no tools (a title, a probe of the quota) gets a short text, whatever the person wrote.
import { posix } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Directive, readDirective, type Verb } from "./directive.ts";
import type { ModelRequest, Tool } from "./request.ts";

// The calls of the agents' own tools: each names its shell, its editor and its question differently, and only what its schema
// has is filled in. A tool that is not offered is never called.

// The question that the model asks the person, in the shape of each agent's own tool. `ASK several` has two questions and
// `ASK multi` one with several answers, where the tool can; `ASK for the walls` says what for, so that it is asked only once.

const OPTIONS = [
  { label: "Red", description: "a warm colour" },
  { label: "Blue", description: "a cold colour" },
];
const LABELS = OPTIONS.map(({ label }) => label);
const SECOND = {
  header: "Shape",
  question: "Which shape should be used?",
  options: [
    { label: "Round", description: "no corners" },
    { label: "Square", description: "four corners" },
  ],
};

const askInput = (tool: Tool, rest: string): Record<string, unknown> => {
  const has = (property: string): boolean => property in tool.schema.properties;
  const isMulti = rest.startsWith("multi");
  const title = `Which colour should be used${rest.startsWith("for ") ? ` ${rest}` : ""}?`;
  const first = { header: "Colour", question: title, options: OPTIONS };
  const both = rest.startsWith("several") ? [first, SECOND] : [first];
  switch (tool.name) {
    case "request_user_input":
      return { questions: both.map((one) => ({ id: one.header.toLowerCase(), ...one })) };
    case "ask":
      return {
        questions: both.map(({ header, question, options }) => ({
          id: header.toLowerCase(),
          question,
          options: options.map(({ label }) => ({ label })),
          ...(isMulti ? { multi: true } : {}),
        })),
      };
    case "ask_user":
      if (has("questions"))
        return { questions: both.map((one) => ({ ...one, type: "choice", multiSelect: isMulti })) };
      if (has("requestedSchema")) return { message: title, requestedSchema: colourSchema(isMulti) };
      return {
        question: title,
        choices: LABELS,
        ...(has("allow_freeform") ? { allow_freeform: true } : {}),
      };
    case "ask_question":
      return { question: title, options: LABELS };
    case "question":
      return { questions: both.map((one) => ({ ...one, multiple: isMulti })) };
    default:
      return { questions: both.map((one) => ({ ...one, multiSelect: isMulti })) };
  }
};

const colourSchema = (isMulti: boolean): Record<string, unknown> => {
  const one = { type: "string", enum: LABELS };
  const colour = isMulti ? { type: "array", title: "Colour", items: one } : { ...one, title: "Colour" };
  return { type: "object", properties: { colour }, required: ["colour"] };
};

interface ToolCall {
  name: string;
  input: Record<string, unknown>;
  /** Of a tool that takes a text. */
  freeform: string | null;
}

const NAMES = {
  RUN: [
    "Bash",
    "bash",
    "exec_command",
    "shell_command",
    "shell",
    "run_shell_command",
    "run_in_terminal",
    "run_commands",
  ],
  WRITE: ["Write", "write", "write_file", "create", "create_file", "apply_patch", "editor"],
  EDIT: ["Edit", "edit", "replace", "str_replace_editor", "apply_patch", "Write", "write", "editor"],
  ASK: [
    "AskUserQuestion",
    "ask_user_question",
    "request_user_input",
    "ask_user",
    "ask_question",
    "question",
    "ask",
  ],
  PLAN: ["ExitPlanMode", "exit_plan_mode", "plan_exit"],
  TASK: ["Agent", "Task", "task", "spawn_agent", "invoke_agent", "generalist", "subagent"],
} as const satisfies Partial<Record<Verb, readonly string[]>>;

const pick = (tools: readonly Tool[], names: readonly string[]): Tool | null =>
  names.flatMap((name) => tools.find((tool) => tool.name === name) ?? [])[0] ?? null;
const has = (tool: Tool, property: string): boolean => property in tool.schema.properties;
const firstOf = (tool: Tool, ...properties: readonly string[]): string | null =>
  properties.find((property) => has(tool, property)) ?? null;
const call = (tool: Tool, input: Record<string, unknown>, freeform: string | null = null): ToolCall => ({
  name: tool.name,
  input,
  freeform,
});

/** A value of the right type for what a schema requires and nobody set. */
const filler = (tool: Tool, property: string): unknown => {
  const type = tool.schema.properties[property]?.type;
  if (type === "number" || type === "integer") return 1;
  return type === "boolean" ? false : "live";
};

const runCall = (tool: Tool, rest: string): ToolCall => {
  const isOutside = rest.endsWith("!!");
  const command = rest.replace(/\s*!!$/, "") || "echo hello from the model";
  const input: Record<string, unknown> = {};
  if (tool.name === "exec_command") input["cmd"] = command;
  else if (has(tool, "commands")) input["commands"] = [command];
  else input["command"] = tool.name === "shell" ? ["bash", "-lc", command] : command;
  if (has(tool, "description")) input["description"] = "Live command";
  if (has(tool, "initial_wait")) input["initial_wait"] = 5;
  if (isOutside && has(tool, "sandbox_permissions")) input["sandbox_permissions"] = "require_escalated";
  if (isOutside && has(tool, "with_escalated_permissions")) input["with_escalated_permissions"] = true;
  if (isOutside && has(tool, "justification")) input["justification"] = "To run it outside of the sandbox";
  for (const name of tool.schema.required) input[name] ??= filler(tool, name);
  return call(tool, input);
};

const patchOf = (file: string): string =>
  `*** Begin Patch\n*** Add File: ${file}\n+hello from the model\n+second line\n*** End Patch`;

const editFields = (tool: Tool): Record<string, unknown> | null => {
  const old = firstOf(tool, "old_string", "oldString", "old_str", "oldText", "old_text");
  const fresh = firstOf(tool, "new_string", "newString", "new_str", "newText", "new_text");
  const [oldText, newText] = ["hello from the model", "HELLO FROM THE MODEL"];
  if (old !== null && fresh !== null)
    return {
      [old]: oldText,
      [fresh]: newText,
      ...(has(tool, "instruction") ? { instruction: "Upper-case the greeting" } : {}),
    };
  return has(tool, "edits") ? { edits: [{ oldText, newText }] } : null;
};

const fileCall = (tool: Tool, rest: string, isEdit: boolean, cwd: string | null): ToolCall => {
  const file = rest.split(/\s+/)[0] || "hello.txt";
  if (tool.name === "apply_patch") {
    if (tool.isFreeform) return call(tool, {}, patchOf(file));
    return call(tool, { [firstOf(tool, "patchText") ?? "input"]: patchOf(file) });
  }
  const key = firstOf(tool, "file_path", "filePath", "path", "filename") ?? "file_path";
  const takesRelative =
    key === "path" && !/absolute|full/i.test(tool.schema.properties["path"]?.description ?? "");
  const path = file.startsWith("/") || takesRelative ? file : posix.join(cwd ?? ".", file);
  const content = firstOf(tool, "content", "file_text", "text", "contents", "new_text") ?? "content";
  const change = (isEdit ? editFields(tool) : null) ?? { [content]: "hello from the model\nsecond line\n" };
  return call(tool, { [key]: path, ...change });
};

/** Codex without a tool for patches: its shell takes one as a here-document. */
const shellPatch = (tools: readonly Tool[], rest: string): ToolCall | null => {
  const shell = pick(tools, ["exec_command"]);
  if (shell === null || pick(tools, ["apply_patch"]) !== null) return null;
  return call(shell, { cmd: `apply_patch <<'EOF'\n${patchOf(rest.split(/\s+/)[0] || "hello.txt")}\nEOF` });
};

const planCall = (tools: readonly Tool[], rest: string): ToolCall | null => {
  const plan = "# Live plan\n\n1. Write hello.txt\n2. Done\n";
  const tool = pick(tools, NAMES.PLAN);
  // Claude Code keeps it behind its search of tools: it may be called without being listed.
  if (tool === null)
    return pick(tools, ["ToolSearch"]) === null
      ? null
      : { name: "ExitPlanMode", input: { plan }, freeform: null };
  const values = { plan, summary: plan, plan_path: rest || "plan.md", plan_filename: rest || "plan.md" };
  return call(tool, Object.fromEntries(Object.entries(values).filter(([key]) => has(tool, key))));
};

const taskCall = (tool: Tool, rest: string): ToolCall => {
  const message = rest || "SAY sub-agent here";
  const types = tool.schema.properties["agent_type"]?.enum ?? [];
  const modes = tool.schema.properties["mode"]?.enum ?? [];
  const values: Record<string, unknown> = {
    description: "Live sub-agent",
    prompt: message,
    message,
    request: message,
    objective: message,
    subagent_type: tool.name === "task" ? "general" : "general-purpose",
    agent_type: types.includes("general-purpose") ? "general-purpose" : (types[0] ?? "default"),
    agent_name: "generalist",
    name: "live-sub",
    task_name: "live_sub",
    ...(modes.length > 0 ? { mode: modes.includes("sync") ? "sync" : modes[0] } : {}),
    tasks: [{ id: "Live", description: "Live sub-agent", assignment: message }],
  };
  const input = Object.fromEntries(Object.entries(values).filter(([key]) => has(tool, key)));
  if (has(tool, "tasks")) input["agent"] = "task";
  return call(tool, input);
};

const literalCall = (tools: readonly Tool[], rest: string): ToolCall => {
  const [, name = "", text = ""] = /^(\S+)\s*(.*)$/s.exec(rest) ?? [];
  const tool = pick(tools, [name]);
  if (tool?.isFreeform === true) return call(tool, {}, text);
  return { name, input: JSON.parse(text || "{}") as Record<string, unknown>, freeform: null };
};

/** The call that the directive asks for; null where the agent offers no such tool, or the directive asks for none. */
const toolCall = ({ verb, rest }: Directive, { tools, cwd }: ModelRequest): ToolCall | null => {
  const tool = verb in NAMES ? pick(tools, NAMES[verb as keyof typeof NAMES]) : null;
  switch (verb) {
    case "RUN":
      return tool && runCall(tool, rest);
    case "WRITE":
    case "EDIT":
      return shellPatch(tools, rest) ?? (tool && fileCall(tool, rest, verb === "EDIT", cwd));
    case "ASK":
      return tool && call(tool, askInput(tool, rest));
    case "PLAN":
      return planCall(tools, rest);
    case "TASK":
      return tool && taskCall(tool, rest);
    case "TOOL":
      return literalCall(tools, rest);
    case "SAY":
    case "SLOW":
    case "THINK":
    case "FAIL":
    case "LIMIT":
    case "CUT":
      return null;
  }
};

export type Reply =
  | { kind: "text"; text: string; waitMs: number; slowMs: number }
  | ({ kind: "tool" } & ToolCall)
  /** `resetsAt`, epoch s: the account's limit is used up until then. */
  | { kind: "fail"; status: number; resetsAt: number | null }
  | { kind: "cut" };

const WORD_MS = 15;
const SLOW_WORD_MS = 400;

const text = (said: string, more: { waitMs?: number; slowMs?: number } = {}): Reply => ({
  kind: "text",
  text: said,
  waitMs: more.waitMs ?? 0,
  slowMs: more.slowMs ?? 0,
});
const numberOf = (rest: string, otherwise: number): number => {
  const number = Number.parseFloat(rest);
  return Number.isFinite(number) ? number : otherwise;
};

const replyTo = (directive: Directive, request: ModelRequest): Reply => {
  const { verb, rest } = directive;
  switch (verb) {
    case "SAY":
      return text(rest || "ok");
    case "SLOW":
      return text("", { slowMs: numberOf(rest, 20) * 1_000 });
    case "THINK":
      return text("Thought about it.", { waitMs: numberOf(rest, 20) * 1_000 });
    case "FAIL":
      return { kind: "fail", status: numberOf(rest, 500), resetsAt: null };
    case "LIMIT": {
      const resetsAt = Math.round(Date.now() / 1_000 + numberOf(rest, 60) * 60);
      return { kind: "fail", status: 429, resetsAt };
    }
    case "CUT":
      return { kind: "cut" };
    case "RUN":
    case "WRITE":
    case "EDIT":
    case "ASK":
    case "PLAN":
    case "TASK":
    case "TOOL": {
      const called = toolCall(directive, request);
      const names = request.tools.map(({ name }) => name).join(", ");
      return called === null ? text(`(no tool for ${verb}; tools: ${names})`) : { kind: "tool", ...called };
    }
  }
};

export const chooseReply = (request: ModelRequest): Reply => {
  if (request.toolResult !== null)
    return text(`DONE ${request.toolResult.replaceAll(/\s+/g, " ").slice(0, 60)}`);
  const directive = readDirective(request.lastUser);
  if (directive === null) return text("ok");
  const isWithoutTools =
    request.tools.length === 0 && !["FAIL", "LIMIT"].includes(directive.verb) && directive.verb !== "CUT";
  return isWithoutTools ? text("Live session") : replyTo(directive, request);
};

/** The words of a text reply, at the pace that the script asks for. */
export async function* wordsOf(reply: Reply & { kind: "text" }): AsyncGenerator<string> {
  await wait(reply.waitMs);
  const end = performance.now() + reply.slowMs;
  for (let index = 1; performance.now() < end; index += 1) {
    yield `word${index} ${index % 12 === 0 ? "\n" : ""}`;
    await wait(SLOW_WORD_MS);
  }
  if (reply.slowMs > 0) yield "\nslow answer finished.";
  for (const word of reply.text.split(/(?<= )/)) {
    yield word;
    await wait(WORD_MS);
  }
}

export const wholeText = async (reply: Reply): Promise<string> => {
  if (reply.kind !== "text") return "";
  let said = "";
  for await (const word of wordsOf(reply)) said += word;
  return said;
};

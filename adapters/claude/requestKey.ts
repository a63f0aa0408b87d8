// The name of a permission request. Claude Code's PermissionRequest carries no tool_use_id (recorded 2.1.329), so the
// request is named by what it asks: agent, tool and input. PreToolUse ties that name to its tool_use_id.
import { asPayload, fieldOf } from "../common/payload.ts";
import { hashRequest } from "../common/requestKey.ts";

/**
 * Tools that rewrite their own input between the request and the end: a question gains its answers, a plan its text. Only
 * the part that stays names the request.
 */
const stableInput = (toolName: string, input: unknown): unknown => {
  if (toolName === "AskUserQuestion") {
    const questions = asPayload(input);
    return questions === null ? null : fieldOf(questions, "questions");
  }
  return toolName === "ExitPlanMode" ? null : input;
};

export const requestKeyOf = (agentId: string, toolName: string, toolInput: unknown): string =>
  hashRequest(agentId, toolName, stableInput(toolName, toolInput));

// What history and workspaces answer where a session is handed over: its text, who can be started, and what was.
import { AgtmuxError } from "../../core/model/errors.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import type { AccountLimits } from "../../core/model/view.ts";
import type { Started } from "../../core/model/workspace.ts";
import type { FeatureAnswers } from "../../core/ports/feature.ts";
import { HISTORY_CALLS } from "../../features/history/calls.ts";
import { WORKSPACES_CALLS } from "../../features/workspaces/calls.ts";

/**
 * `outcome`: what is special in the result of a start. `limits`: what agents say of their accounts; left out: nobody can be asked.
 * `started`: the inputs of starts. `refs`: of the sessions that were asked for.
 */
export const fakeHandOver = (
  text: string,
  outcome: Partial<Started> = {},
  limits?: readonly AccountLimits[],
) => {
  const started: Readonly<Record<string, unknown>>[] = [];
  const refs: string[] = [];
  let refreshes = 0;
  const features: readonly FeatureAnswers[] = [
    {
      name: "history",
      calls: HISTORY_CALLS,
      answer: (call, input) => {
        // Its first scan takes two calls.
        if (call === "refresh") return { isDone: (refreshes += 1) > 1, sessions: 1 };
        if (call === "limits" && limits !== undefined)
          return { ...stamp(Date.now()), problems: [], items: limits };
        if (call !== "handoff") throw new AgtmuxError("E_UNSUPPORTED", `not here: ${call}`);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the call has checked it
        refs.push((input as { ref: string }).ref);
        return { text };
      },
    },
    {
      name: "workspaces",
      calls: WORKSPACES_CALLS,
      answer: (call, input) => {
        if (call === "startable")
          return [
            { agent: "claude", agent_name: "Claude Code", is_found: true },
            { agent: "gemini", agent_name: "Gemini CLI", is_found: false },
            { agent: "codex", agent_name: "Codex", is_found: true },
          ];
        if (call !== "start") return call === "lostList" ? { items: [] } : undefined;
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
        started.push(input as Readonly<Record<string, unknown>>);
        return {
          command: "codex",
          session_name: "shop",
          pane_ref: null,
          short_ref: "host/%9",
          runtime_id: null,
          folder: "/home/ann/src/shop",
          worktree: null,
          asks: null,
          prompt: "delivered",
          prompt_detail: "",
          warnings: [],
          ...outcome,
        };
      },
    },
  ];
  return { started, refs, features };
};

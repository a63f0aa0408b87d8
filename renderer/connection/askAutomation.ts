// The calls of automation. They are a feature's, which the router's type does not name: what is shown of their answers is checked
// here.
import { getUntypedClient } from "@trpc/client";
import {
  jobDetailSchema,
  jobsViewSchema,
  jobViewSchema,
  type JobDetail,
  type JobsView,
  type JobView,
} from "../../core/model/job.ts";
import {
  ruleDraftSchema,
  rulesViewSchema,
  type RuleDraft,
  type RulesView,
  type RuleView,
} from "../../core/model/ruleView.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { DraftVerdict } from "../../ui/text/ruleText.ts";
import type { Api } from "./connectHost.ts";

const DAY_MS = 86_400_000;
/** Who asks, for the job. */
const SURFACE = "popover";

export interface AskAutomation {
  jobs(): Promise<JobsView>;
  job(id: string): Promise<JobDetail>;
  hold(id: string, isHeld: boolean): Promise<unknown>;
  cancel(id: string): Promise<unknown>;
  pause(isPaused: boolean): Promise<unknown>;
  /** Arms a text for this agent's next rest. */
  sendWhenReady(runtimeId: string, text: string): Promise<unknown>;
  /** Arms a text for the end of the limit at which this agent stopped. */
  sendAtReset(runtimeId: string, text: string): Promise<JobView>;
  rules(): Promise<RulesView>;
  /** A rule about what this pane was seen to ask. */
  ruleDraft(pane: PaneView, verdict: DraftVerdict): Promise<RuleDraft>;
  /** Puts a rule into the file, as it was shown. */
  ruleAdd(text: string): Promise<unknown>;
  /** Only in the app. */
  ruleArm(rule: RuleView): Promise<unknown>;
  ruleDisarm(name: string): Promise<unknown>;
}

export const askAutomation = (api: Api): AskAutomation => {
  const client = getUntypedClient(api);
  const send = (runtimeId: string, text: string, kind: "ready" | "reset"): Promise<unknown> =>
    client.mutation("automation.send", {
      runtimeId,
      trigger: { kind },
      text,
      expiresMs: DAY_MS,
      surface: SURFACE,
    });
  return {
    jobs: async () => jobsViewSchema.parse(await client.query("automation.jobs", {})),
    job: async (id) => jobDetailSchema.parse(await client.query("automation.job", { id })),
    hold: (id, isHeld) => client.mutation("automation.jobHold", { id, isHeld }),
    cancel: (id) => client.mutation("automation.jobCancel", { id }),
    pause: (isPaused) => client.mutation("automation.pause", { isPaused }),
    sendWhenReady: (runtimeId, text) => send(runtimeId, text, "ready"),
    sendAtReset: async (runtimeId, text) => jobViewSchema.parse(await send(runtimeId, text, "reset")),
    rules: async () => rulesViewSchema.parse(await client.query("automation.rules", {})),
    ruleDraft: async ({ identity, prompt_fingerprint: fingerprint }, verdict) =>
      ruleDraftSchema.parse(
        await client.query("automation.ruleDraft", {
          runtimeId: identity.runtime_id ?? "",
          fingerprint,
          verdict,
        }),
      ),
    ruleAdd: (text) => client.mutation("automation.ruleAdd", { text, surface: SURFACE }),
    ruleArm: ({ name, hash }) => client.mutation("automation.ruleArm", { name, hash, surface: SURFACE }),
    ruleDisarm: (name) => client.mutation("automation.ruleDisarm", { name, surface: SURFACE }),
  };
};

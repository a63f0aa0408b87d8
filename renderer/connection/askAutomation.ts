// The calls of automation. They are a feature's, which the router's type does not name: what is shown of their answers is checked
// here.
import { getUntypedClient } from "@trpc/client";
import { jobDetailSchema, jobsViewSchema, type JobDetail, type JobsView } from "../../core/model/job.ts";
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
}

export const askAutomation = (api: Api): AskAutomation => {
  const client = getUntypedClient(api);
  return {
    jobs: async () => jobsViewSchema.parse(await client.query("automation.jobs", {})),
    job: async (id) => jobDetailSchema.parse(await client.query("automation.job", { id })),
    hold: (id, isHeld) => client.mutation("automation.jobHold", { id, isHeld }),
    cancel: (id) => client.mutation("automation.jobCancel", { id }),
    pause: (isPaused) => client.mutation("automation.pause", { isPaused }),
    sendWhenReady: (runtimeId, text) =>
      client.mutation("automation.send", {
        runtimeId,
        trigger: { kind: "ready" },
        text,
        expiresMs: DAY_MS,
        surface: SURFACE,
      }),
  };
};

// How far the setup went in this window; this is remembered. The list offers the setup until the person takes or refuses it.
import { z } from "zod";

export const STEPS = ["tmux", "agents", "hooks", "notification"] as const;
export type StepId = (typeof STEPS)[number];

/** The result of a step's last run. */
export const stepResultSchema = z.enum(["done", "failed", "skipped"]);
export type StepResult = z.infer<typeof stepResultSchema>;

export const onboardingSchema = z.object({
  /** The person went through it or does not want it. */
  isSettled: z.boolean(),
  results: z.partialRecord(z.enum(STEPS), stepResultSchema),
});
export type Onboarding = z.infer<typeof onboardingSchema>;
export const NOT_ONBOARDED: Onboarding = { isSettled: false, results: {} };

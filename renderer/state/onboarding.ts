// How far the setup went in this window, remembered: the offer on top of the list is made until it was taken or refused.
import { z } from "zod";

export const STEPS = ["tmux", "agents", "hooks", "notification"] as const;
export type StepId = (typeof STEPS)[number];

/** What a step came to when it was last run. */
export const stepResultSchema = z.enum(["done", "failed", "skipped"]);
export type StepResult = z.infer<typeof stepResultSchema>;

export const onboardingSchema = z.object({
  /** The person went through it or does not want it. */
  isSettled: z.boolean(),
  results: z.partialRecord(z.enum(STEPS), stepResultSchema),
});
export type Onboarding = z.infer<typeof onboardingSchema>;
export const NOT_ONBOARDED: Onboarding = { isSettled: false, results: {} };

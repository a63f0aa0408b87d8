// What `agtmux doctor` finds: one finding per link of the chain from the agent's hook to the person's screen. The daemon's
// part travels as a list; the command adds its own and frames both as one document.
import * as z from "zod";
import { SCHEMA_VERSION } from "./view.ts";

/** `warning`: it works, but less well than it could. `skipped`: there was nothing to check, and why. */
export const findingStatusSchema = z.enum(["ok", "warning", "problem", "skipped"]);
export type FindingStatus = z.infer<typeof findingStatusSchema>;

export const findingGroupSchema = z.enum(["client", "home", "daemon", "target", "agent"]);
export type FindingGroup = z.infer<typeof findingGroupSchema>;

/** `check` is stable; `summary` is one sentence; `evidence` what was seen; `remedy` what to do, a command where there is one. */
export const findingSchema = z.object({
  check: z.string(),
  group: findingGroupSchema,
  target: z.string().nullable(),
  tmux_server: z.string().nullable(),
  agent: z.string().nullable(),
  status: findingStatusSchema,
  summary: z.string(),
  evidence: z.string().nullable(),
  remedy: z.string().nullable(),
});
export type Finding = z.infer<typeof findingSchema>;

export const doctorReportSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  filters: z.object({ target: z.string().nullable() }),
  summary: z.record(findingStatusSchema, z.number().int()),
  findings: z.array(findingSchema),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;

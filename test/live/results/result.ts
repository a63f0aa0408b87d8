// What a run notes, a line each in results.jsonl: every step with its verdict, and every part that was finished.
import * as z from "zod";
import { CANONICAL_STATES } from "../../../core/model/state.ts";
import { AGENT_IDS } from "../agents/agentIds.ts";

export const MODES = ["screen", "integrated"] as const;
export type Mode = (typeof MODES)[number];

export const SIZES = ["120x40", "80x24", "60x20", "250x60"] as const;
export type SizeName = (typeof SIZES)[number];
export interface Size {
  columns: number;
  rows: number;
}
export const sizeOf = (name: SizeName): Size => {
  const [columns = 0, rows = 0] = name.split("x").map(Number);
  return { columns, rows };
};

export const PART_KINDS = [
  "states",
  "hard",
  "actions",
  "turns",
  "queue",
  "rules",
  "documents",
  "sessions",
  "handoff",
  "stall",
  "background",
  "accounts",
  "habitats",
  "inside",
] as const;
export type PartKind = (typeof PART_KINDS)[number];

/** Kinds whose parts are habitats, each with a table of its own. */
export const HABITAT_KINDS = ["habitats", "inside"] as const satisfies readonly PartKind[];
export type HabitatKind = (typeof HABITAT_KINDS)[number];
export const habitatKindOf = (kind: PartKind): HabitatKind | null =>
  HABITAT_KINDS.find((one) => one === kind) ?? null;

/** A state as a person sees it; `gone`: there is no row. */
export const shownSchema = z.enum([...CANONICAL_STATES, "gone"]);
export type Shown = z.infer<typeof shownSchema>;

/** `late`: right at the look, but what was true before stayed for longer than it may. `undriven`: the agent did not get into the state, so that nothing was proved. */
export const verdictSchema = z.enum(["right", "late", "unknown", "wrong", "undriven"]);
export type Verdict = z.infer<typeof verdictSchema>;

export const partSchema = z.object({
  agent: z.enum(AGENT_IDS),
  version: z.string(),
  mode: z.enum(MODES),
  size: z.enum(SIZES),
  kind: z.enum(PART_KINDS),
  /** How the agent is run, where the kind is `habitats` or `inside`. */
  habitat: z.string().optional(),
});
export type Part = z.infer<typeof partSchema>;
export const partName = ({ agent, version, mode, size, kind, habitat }: Part): string =>
  `${agent}@${version} ${mode} ${size} ${kind}${habitat === undefined ? "" : ` ${habitat}`}`;

export const stepSchema = z.object({
  kind: z.literal("step"),
  part: partSchema,
  /** Of the attempt at this part: what a later attempt noted replaces it. */
  attempt: z.string(),
  step: z.string(),
  /** The states that would be true. */
  truth: z.array(shownSchema),
  shown: shownSchema.nullable(),
  reason: z.string().nullable(),
  verdict: verdictSchema,
  /** Why it is not right, or what was done. */
  detail: z.string(),
  /** From the fact until a client of the feed had it. */
  appearMs: z.number().nullable(),
  leaveMs: z.number().nullable(),
  /** Whether a wait came with what is asked; null: it is no wait. */
  hasRequest: z.boolean().nullable(),
  /** Where screen, explanation and list are kept. */
  folder: z.string().nullable(),
});
export type Step = z.infer<typeof stepSchema>;

/** The part was done to its end, unless it says why not. */
export const doneSchema = z.object({
  kind: z.literal("done"),
  part: partSchema,
  attempt: z.string(),
  at: z.string(),
  seconds: z.number(),
  /** Of the product that was driven. */
  commit: z.string().default("–"),
  /** The scenarios that were done; null: all of them. */
  scenarios: z.array(z.string()).nullable(),
  problem: z.string().nullable(),
});
export type Done = z.infer<typeof doneSchema>;

export const noteSchema = z.discriminatedUnion("kind", [stepSchema, doneSchema]);
export type Note = z.infer<typeof noteSchema>;

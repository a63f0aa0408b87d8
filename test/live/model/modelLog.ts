// What the scripted model was asked and did, a line each: half of the truth that a driver knows (the other half is the agent's
// own screen). A request is there when it began; a second line says how it ended.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import * as z from "zod";

const askedSchema = z.object({
  kind: z.literal("asked"),
  at: z.number(),
  id: z.number(),
  dialect: z.string(),
  hasTools: z.boolean(),
  /** The end of the last message that a person typed. */
  prompt: z.string(),
  /** The beginning of a tool's result; null: the agent hands none back. */
  toolResult: z.string().nullable(),
  /** What it does: `text`, `tool Bash`, `fail 400`, `cut`. */
  does: z.string(),
});
const endedSchema = z.object({
  kind: z.literal("ended"),
  at: z.number(),
  id: z.number(),
  how: z.enum(["finished", "left", "broke"]),
});
/** A path that no protocol has; kept because it shows what a new version of an agent asks for. */
const otherSchema = z.object({
  kind: z.literal("other"),
  at: z.number(),
  method: z.string(),
  path: z.string(),
});
const entrySchema = z.discriminatedUnion("kind", [askedSchema, endedSchema, otherSchema]);
export type LogEntry = z.infer<typeof entrySchema>;

export const appendTo =
  (path: string) =>
  (entry: LogEntry): void =>
    appendFileSync(path, `${JSON.stringify(entry)}\n`);

/** A request of an agent's own turn, with how it ended; null: it is still answered. */
export type Exchange = Omit<z.infer<typeof askedSchema>, "kind"> & {
  ended: { at: number; how: string } | null;
};

/** Every request that offered tools, oldest first: titles and probes are no part of a turn. */
export const readExchanges = (path: string): Exchange[] => {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  const entries = lines.map((line) => entrySchema.parse(JSON.parse(line)));
  const ends = new Map(
    entries.flatMap((entry) => (entry.kind === "ended" ? [[entry.id, entry] as const] : [])),
  );
  return entries.flatMap((entry) => {
    if (entry.kind !== "asked" || !entry.hasTools) return [];
    const { kind: _kind, ...asked } = entry;
    const end = ends.get(entry.id);
    return [{ ...asked, ended: end === undefined ? null : { at: end.at, how: end.how } }];
  });
};

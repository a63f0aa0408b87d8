// What an adapter file may say: an agent of its own, or rules that are tried before those of a built-in one. The schema is
// the format's only definition; the shipped JSON Schema is made from it.
import * as z from "zod";
import { requestKindSchema } from "../../core/model/request.ts";
import { confidenceSchema, REASON_CODES, type ReasonCode } from "../../core/model/state.ts";

/** States that a person can see on a screen; `unknown` is what no match means. */
const STATES = ["error", "waiting_approval", "waiting_input", "running", "completed", "idle"] as const;
const REASONS = STATES.flatMap((state): readonly ReasonCode[] => REASON_CODES[state]);

/** A rule sees at most this many lines from the bottom of the screen. */
export const MAX_RULE_LINES = 40;

/** What an edit would write has no group of its own, and a folder to trust is not approved by a key. */
const NEVER_WHOLE = new Set(["edit", "trust"]);

const patternSchema = z.string().min(1).max(500).describe("A JavaScript regular expression, without slashes");
const nameSchema = z.string().regex(/^[\w.+-]{1,60}$/, "use letters, digits, dot, plus, underscore and dash");
const keysSchema = z
  .array(
    z
      .string()
      .regex(/^(\S|[A-Za-z][\w-]{0,19}|\{n\})$/, "use tmux key names such as Enter, Escape, C-c or y"),
  )
  .min(1)
  .max(10)
  .describe("tmux key names, pressed in this order");

const statusShape = {
  state: z.enum(STATES),
  reason: z
    .enum(REASONS)
    .optional()
    .describe("A reason of that state; the least specific one where it is left out"),
  confidence: confidenceSchema.default("medium"),
};

/** The reason has to be one of the state's own; zod's discriminated union would name every state in each message. */
const hasOwnReason = ({
  state,
  reason,
}: {
  state: (typeof STATES)[number];
  reason?: ReasonCode | undefined;
}) => reason === undefined || (REASON_CODES[state] as readonly string[]).includes(reason);
const wrongReason = { path: ["reason"], message: "this reason does not belong to that state" };

const titleRuleSchema = z
  .object({ pattern: patternSchema, ...statusShape })
  .strict()
  .refine(hasOwnReason, wrongReason);

const requestSchema = z
  .object({
    kind: requestKindSchema.default("other"),
    title: z.string().min(1).max(200).optional().describe("Shown where the pattern has no group named title"),
    options: patternSchema
      .optional()
      .describe("Matched per line of the rule's lines: the group label is the option, the group key its key"),
    whole: z
      .boolean()
      .default(false)
      .describe(
        "The first line of a match is the top of the dialog, and the group body takes all that it asks: only then it can be approved",
      ),
  })
  .strict()
  .refine(({ kind, whole }) => !whole || !NEVER_WHOLE.has(kind), {
    path: ["whole"],
    message: "edits and trust requests are never shown in full",
  });

const screenRuleSchema = z
  .object({
    name: z.string().min(1).max(60).optional(),
    pattern: patternSchema.describe(
      "Matched against the last lines of the screen; ^ and $ match at every line. Groups named title and body are what is asked",
    ),
    not: patternSchema.optional().describe("The rule does not count where this matches too"),
    lines: z.number().int().min(1).max(MAX_RULE_LINES).default(10),
    ...statusShape,
    steady: z.boolean().default(false).describe("An unchanged screen still proves that the agent works"),
    request: requestSchema.optional(),
  })
  .strict()
  .refine(hasOwnReason, wrongReason);

const answerKeysSchema = z
  .object({
    approve: keysSchema.optional(),
    deny: keysSchema.optional(),
    option: keysSchema.optional().describe("{n} stands for the number of the option"),
    interrupt: keysSchema.optional().describe("The agent's own way to stop a turn"),
  })
  .strict();

const rulesShape = {
  $schema: z.string().optional(),
  version: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/, "use a version such as 1.0.0")
    .default("1.0.0"),
  titles: z.array(titleRuleSchema).max(50).default([]),
  screens: z.array(screenRuleSchema).max(50).default([]),
  keys: answerKeysSchema.optional(),
};

/** Rules alone, as an adapter in the tree holds them. */
export const rulesSchema = z
  .object({ titles: rulesShape.titles, screens: rulesShape.screens, keys: rulesShape.keys })
  .strict();

const processSchema = z
  .object({
    names: z
      .array(nameSchema)
      .max(20)
      .default([])
      .describe("Names of the program, or of the script that an interpreter runs"),
    arguments: z
      .array(patternSchema)
      .max(20)
      .default([])
      .describe(
        "Matched against the command line of an interpreter (node, python, …), for agents without a name of their own",
      ),
    second_sign: z
      .array(patternSchema)
      .min(1)
      .max(20)
      .optional()
      .describe("One of these has to match the command line too: for names that other programs share"),
    exclude: z
      .array(patternSchema)
      .max(20)
      .default([])
      .describe("Command lines that are not the agent: servers, one-shot verbs"),
  })
  .strict()
  .refine(({ names, arguments: patterns }) => names.length + patterns.length > 0, {
    path: ["names"],
    message: "give at least one name or argument pattern",
  });

const agentFileSchema = z
  .object({
    ...rulesShape,
    agent_type: z.string().regex(/^[a-z0-9_-]{1,40}$/, "use lower-case letters, digits, underscore and dash"),
    display_name: z.string().min(1).max(60),
    recorded_versions: z.array(z.string().max(40)).max(50).default([]),
    process: processSchema,
  })
  .strict();

const patchFileSchema = z
  .object({
    ...rulesShape,
    extends: z.string().min(1).max(40).describe("A built-in agent; its own rules come after these"),
  })
  .strict();

/** An agent of its own, or a patch of a built-in one. */
export const adapterFileSchema = z.union([agentFileSchema, patchFileSchema]);

export type AgentFile = z.infer<typeof agentFileSchema>;
export type PatchFile = z.infer<typeof patchFileSchema>;
export type AdapterFile = AgentFile | PatchFile;
export type ScreenRule = z.infer<typeof screenRuleSchema>;
export type TitleRule = z.infer<typeof titleRuleSchema>;
export type AnswerKeys = z.infer<typeof answerKeysSchema>;

export const isPatch = (file: AdapterFile): file is PatchFile => "extends" in file;

/** Chosen by the key `extends`, because a union's own messages name neither form. */
export const schemaFor = (value: unknown): z.ZodType<AdapterFile> =>
  typeof value === "object" && value !== null && "extends" in value ? patchFileSchema : agentFileSchema;

/** The JSON Schema that editors use, as shipped in resources/schemas/adapter.schema.json. */
export const adapterJsonSchema = (): object => ({
  title: "agtmux adapter",
  ...z.toJSONSchema(adapterFileSchema, { io: "input" }),
});

// Every JSON document that the command line prints, by the verb that prints it: the source of the shipped JSON Schemas and
// of the types that the verbs print by. Loaded by scripts and tests only: a verb imports its types.
import * as z from "zod";
import {
  paneViewSchema,
  SCHEMA_VERSION,
  countsSchema,
  explanationSchema,
  feedEntrySchema,
  paneIdentitySchema,
  paneListSchema,
  sessionListSchema,
  sessionViewSchema,
  limitListSchema,
  targetViewSchema,
  windowListSchema,
  windowViewSchema,
} from "./view.ts";
import { actionResultSchema, auditListSchema, paneOutputSchema } from "./action.ts";
import {
  adapterListSchema,
  adapterProblemSchema,
  adapterSwitchedSchema,
  adapterTrySchema,
  adapterViewSchema,
  personStepSchema,
  setupNotificationsSchema,
} from "./adapterView.ts";
import { writtenConfigSchema } from "./config.ts";
import { channelResumedSchema, channelTestSchema, channelViewSchema } from "./notifications.ts";
import { automationSwitchSchema, jobDetailSchema, jobDocumentSchema, jobViewSchema } from "./job.ts";
import { PACK_DOCUMENTS } from "./detectionPack.ts";
import { doctorReportSchema } from "./doctor.ts";
import { HISTORY_DOCUMENTS } from "./history.ts";
import { RULE_DOCUMENTS } from "./rule.ts";
import { SETTING_KEYS } from "./settingKeys.ts";
import { ERROR_CODES, type ErrorCode } from "./errors.ts";
import {
  conflictListSchema,
  pullRequestListSchema,
  lostListSchema,
  restoredSchema,
  startedSchema,
  loadsSchema,
  worktreeListSchema,
  worktreeRemovedSchema,
} from "./workspace.ts";
import { treeDiffSchema } from "./treeDiff.ts";

/** Which condition held, and the rows for which it did. `items`: one row, or with --every all; for `gone` the row as last seen. */
export const waitResultSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  ref: z.string().nullable(),
  filters: z.record(z.string(), z.unknown()),
  until: z.array(z.string()),
  after: z.number().int().nullable(),
  /** The condition of `until` that held; with --every, the one that held for the first row. */
  condition: z.string(),
  waited_ms: z.number().int(),
  items: z.array(paneViewSchema),
});
export type WaitResult = z.infer<typeof waitResultSchema>;

/** What every document begins with. */
const stamp = { schema_version: z.literal(SCHEMA_VERSION), generated_at: z.string() };

const filters = z.record(z.string(), z.unknown());

const isErrorCode = (code: string): code is ErrorCode => code in ERROR_CODES;
const errorCodeSchema = z.enum(Object.keys(ERROR_CODES).filter(isErrorCode));
const failureShape = {
  code: errorCodeSchema,
  message: z.string(),
  remedy: z.string(),
  details: z.array(z.string()),
};
const channelListSchema = z.object({
  ...stamp,
  filters,
  summary: z.object({ total: z.number().int() }),
  problems: z.array(z.string()),
  items: z.array(channelViewSchema.extend({ identity: z.object({ channel: z.string() }) })),
});
const jobListSchema = z.object({
  ...stamp,
  filters,
  summary: z.object({ total: z.number().int(), by_state: z.record(z.string(), z.number().int()) }),
  paused_at: z.string().nullable(),
  items: z.array(jobViewSchema.extend({ identity: z.object({ job_id: z.string() }) })),
});
export type JobListDocument = z.infer<typeof jobListSchema>;
export type ChannelListDocument = z.infer<typeof channelListSchema>;

const statusSchema = z.object({
  ...stamp,
  filters,
  summary: countsSchema,
  problems: z.array(z.string()),
  awake: targetViewSchema.shape.awake,
});

const dismissedSchema = z.object({ ...stamp, dismissed: z.string() });
export type DismissedDocument = z.infer<typeof dismissedSchema>;

const mutedSchema = z.object({ ...stamp, pane_ref: z.string(), muted: paneViewSchema.shape.muted });
export type MutedDocument = z.infer<typeof mutedSchema>;

const renamedSchema = z.object({
  ...stamp,
  pane_ref: z.string(),
  name: paneViewSchema.shape.name,
  /** What became of naming the agent's own session; null: that was not asked for. */
  session: actionResultSchema.pick({ outcome: true, detail: true }).nullable(),
});
export type RenamedDocument = z.infer<typeof renamedSchema>;

const auditDocumentSchema = z.object({
  ...stamp,
  filters: z.object({ limit: z.number().int() }),
  summary: z.object({ total: z.number().int(), by_outcome: z.record(z.string(), z.number().int()) }),
  items: z.array(
    auditListSchema.shape.items.element.extend({
      identity: z.object({ action_id: z.string(), runtime_id: z.string().nullable() }),
    }),
  ),
});
export type AuditDocument = z.infer<typeof auditDocumentSchema>;

const targetItemSchema = targetViewSchema.extend({ identity: z.object({ target: z.string() }) });
const targetListSchema = z.object({
  ...stamp,
  filters,
  summary: z.object({ total: z.number().int(), by_health: z.record(z.string(), z.number().int()) }),
  items: z.array(targetItemSchema),
});
export type TargetListDocument = z.infer<typeof targetListSchema>;

const targetSchema = z.object({ ...stamp, item: targetViewSchema });
export type TargetDocument = z.infer<typeof targetSchema>;

/** `problem`: why the first attempt to connect failed; null when it did not fail or was not awaited. */
const targetAddedSchema = targetSchema.extend({ problem: z.object(failureShape).nullable() });
export type TargetAddedDocument = z.infer<typeof targetAddedSchema>;

const targetRemovedSchema = z.object({ ...stamp, removed: z.string() });
export type TargetRemovedDocument = z.infer<typeof targetRemovedSchema>;

const adapterListDocumentSchema = adapterListSchema.extend({
  filters,
  summary: z.object({
    total: z.number().int(),
    by_source: z.record(z.string(), z.number().int()),
    problems: z.number().int(),
  }),
  items: z.array(
    adapterViewSchema.extend({
      identity: z.object({ agent_type: z.string() }),
      /** Of the agent on this machine; null: it is not there, or that cannot be known without starting it. */
      installed_version: z.string().nullable(),
    }),
  ),
});
export type AdapterListDocument = z.infer<typeof adapterListDocumentSchema>;

const adapterSwitchedDocumentSchema = adapterSwitchedSchema.extend(stamp);
export type AdapterSwitchedDocument = z.infer<typeof adapterSwitchedDocumentSchema>;

const adapterCheckedSchema = z.object({
  ...stamp,
  problems: z.array(adapterProblemSchema),
  summary: z.string(),
});
export type AdapterCheckedDocument = z.infer<typeof adapterCheckedSchema>;

/** Without an agent: how each of them is integrated. */
const integrationListSchema = z.object({
  ...stamp,
  action: z.literal("list"),
  items: z.array(
    z.object({
      agent: z.string(),
      name: z.string(),
      folder: z.string(),
      state: z.enum(["installed", "partial", "absent", "unclear"]),
      missing: z.array(z.string()),
      problems: z.array(z.string()),
      steps: z.array(personStepSchema),
      last_real_event_at: z.string().nullable(),
    }),
  ),
});

const integrationSchema = z.union([
  integrationListSchema,
  z.object({
    ...stamp,
    agent: z.string(),
    action: z.enum(["install", "repair", "uninstall", "notify"]),
    changes: z.array(z.object({ path: z.string(), diff: z.string() })),
    applied: z.boolean(),
    backups: z.array(z.string()),
  }),
  z.object({
    ...stamp,
    agent: z.string(),
    action: z.literal("verify"),
    entries_present: z.boolean(),
    missing: z.array(z.string()),
    problems: z.array(z.string()),
    steps: z.array(personStepSchema),
    delivery_works: z.boolean(),
    delivery_detail: z.string(),
    last_real_event_at: z.string().nullable(),
  }),
]);
export type IntegrationDocument = Exclude<z.infer<typeof integrationSchema>, { action: "list" }>;
export type IntegrationListDocument = z.infer<typeof integrationListSchema>;

/** `problem`: what is wrong with the file now; the last good settings are in force then. */
const configDocumentSchema = z.object({
  ...stamp,
  path: z.string(),
  problem: z.string().nullable(),
  items: z.array(z.object({ key: z.enum(SETTING_KEYS), value: z.unknown(), default: z.unknown() })),
});
export type ConfigDocument = z.infer<typeof configDocumentSchema>;

const changes = z.array(z.object({ path: z.string(), diff: z.string() }));
/** `setup`: what was found, and after an installation what is there then. `removed`: what `--remove` took out, or would. */
const setupSchema = z.discriminatedUnion("action", [
  z.object({
    ...stamp,
    action: z.literal("setup"),
    target: z.string(),
    tmux: z.object({
      path: z.string().nullable(),
      version: z.string().nullable(),
      problem: z.string().nullable(),
    }),
    items: z.array(
      z.object({
        identity: z.object({ agent: z.string() }),
        agent_name: z.string(),
        version: z.string().nullable(),
        state: z.enum(["installed", "partial", "absent", "unclear"]),
        running: z.number().int(),
        silent: z.number().int(),
        problems: z.array(z.string()),
        steps: z.array(personStepSchema),
        changes,
        /** Null: it does not notify by itself, as far as is known. */
        notifications: setupNotificationsSchema.nullable(),
      }),
    ),
    /** One for each agent that was to be installed; empty without an installation. `problem` null: it is installed. */
    outcomes: z.array(
      z.object({ agent: z.string(), problem: z.string().nullable(), backups: z.array(z.string()) }),
    ),
    /** With `--notify`: one for each agent that notifies by itself. `problem` null: it is as was asked. */
    notified: z.array(
      z.object({ agent: z.string(), problem: z.string().nullable(), backups: z.array(z.string()) }),
    ),
    /** What only the person can do now. */
    steps: z.array(personStepSchema),
  }),
  z.object({
    ...stamp,
    action: z.literal("remove"),
    targets: z.array(z.object({ target: z.string(), changes })),
    /** Files and folders of this machine beside settings. */
    paths: z.array(z.string()),
    login_item: z.boolean(),
    applied: z.boolean(),
    /** What is not taken out, with the reason or how to remove it. */
    left: z.array(z.string()),
  }),
]);
export type SetupDocument = z.infer<typeof setupSchema>;

const daemonStatusSchema = z.discriminatedUnion("running", [
  z.object({ ...stamp, running: z.literal(false), home: z.string() }),
  z.object({
    ...stamp,
    running: z.literal(true),
    home: z.string(),
    pid: z.number().int(),
    version: z.string(),
    protocol: z.number().int(),
    host: z.enum(["app", "headless", "test"]),
    is_on_demand: z.boolean(),
    started_at: z.string(),
  }),
]);
export type DaemonStatusDocument = z.infer<typeof daemonStatusSchema>;

const uiSchema = z.object({ ...stamp, url: z.string() });
export type UiDocument = z.infer<typeof uiSchema>;

const errorSchema = z.object({
  ...stamp,
  error: z.object({ ...failureShape, exit_code: z.number().int() }),
});
export type ErrorDocument = z.infer<typeof errorSchema>;

/** Here the time is a timestamp, as everywhere in JSON; the feed between daemon and surfaces uses milliseconds. */
const at = { version: z.number().int(), at: z.iso.datetime() };
const line = { ...stamp, filters, summary: countsSchema, ...at };
/**
 * One line of `watch --format jsonl`: an entry of the feed, or a row of the roll-up that is watched. `filters` repeats what was
 * asked; `summary` counts the agents that pass the filters, as the stream knows them at that line.
 */
export const watchLineSchema = z.union([
  ...feedEntrySchema.options.map((entry) => entry.extend(line)),
  z.object({ ...line, kind: z.literal("window"), window: windowViewSchema }),
  z.object({ ...line, kind: z.literal("session"), session: sessionViewSchema }),
  z.object({
    ...line,
    kind: z.literal("removed"),
    identity: z.union([windowViewSchema.shape.identity, sessionViewSchema.shape.identity]),
  }),
]);

/** `identity`: the pane that was acted on, as in `list panes`; null where a newer daemon names it in another way. */
const actionSchema = actionResultSchema.extend({ ...stamp, identity: paneIdentitySchema.nullable() });
export type ActionDocument = z.infer<typeof actionSchema>;

/** By the verb's words. `error` is printed on stderr; `watch` is printed once per line. */
export const DOCUMENTS: Readonly<Record<string, z.ZodType>> = {
  "list panes": paneListSchema,
  "list windows": windowListSchema,
  "list sessions": sessionListSchema,
  watch: watchLineSchema,
  wait: waitResultSchema,
  "view-output": paneOutputSchema,
  send: actionSchema,
  answer: actionSchema,
  interrupt: actionSchema,
  kill: actionSchema,
  dismiss: dismissedSchema,
  mute: mutedSchema,
  rename: renamedSchema,
  status: statusSchema,
  usage: z.union([HISTORY_DOCUMENTS["history usage"], limitListSchema]),
  explain: explanationSchema,
  audit: auditDocumentSchema,
  doctor: doctorReportSchema,
  "target add": targetAddedSchema,
  "target connect": targetSchema,
  "target list": targetListSchema,
  "target set": targetSchema,
  "target enable": targetSchema,
  "target disable": targetSchema,
  "target remove": targetRemovedSchema,
  setup: setupSchema,
  integrate: integrationSchema,
  "adapters list": adapterListDocumentSchema,
  "adapters enable": adapterSwitchedDocumentSchema,
  "adapters disable": adapterSwitchedDocumentSchema,
  "adapters check": adapterCheckedSchema,
  "adapters try": adapterTrySchema,
  ...PACK_DOCUMENTS,
  "config list": configDocumentSchema,
  "config get": configDocumentSchema,
  "config set": configDocumentSchema,
  tell: jobDocumentSchema,
  "jobs list": jobListSchema,
  "jobs show": jobDetailSchema,
  "jobs cancel": jobDocumentSchema,
  "jobs hold": jobDocumentSchema,
  "jobs release": jobDocumentSchema,
  "automation pause": automationSwitchSchema,
  "automation resume": automationSwitchSchema,
  ...RULE_DOCUMENTS,
  ...HISTORY_DOCUMENTS,
  "history resume": startedSchema,
  "channel list": channelListSchema,
  "channel resume": channelResumedSchema,
  "channel test": channelTestSchema,
  start: startedSchema,
  changes: treeDiffSchema,
  conflicts: conflictListSchema,
  pulls: pullRequestListSchema,
  loads: loadsSchema,
  "worktree list": worktreeListSchema,
  "worktree remove": worktreeRemovedSchema,
  restore: z.union([lostListSchema, restoredSchema]),
  "daemon status": daemonStatusSchema,
  ui: uiSchema,
  error: errorSchema,
};

/**
 * The JSON Schemas that are shipped: of `config.json` and of every document, by the name of the file without its ending. They
 * accept unknown keys, because any version may add one.
 */
export const documentSchemas = (): Map<string, object> => {
  const toSchema = (title: string, schema: z.ZodType) => ({
    title,
    ...z.toJSONSchema(schema, { io: "input" }),
  });
  return new Map([
    ["config", toSchema("agtmux config.json", writtenConfigSchema)],
    ...Object.entries(DOCUMENTS).map(([verb, schema]): [string, object] => [
      verb.replaceAll(" ", "_"),
      toSchema(`agtmux ${verb}`, schema),
    ]),
  ]);
};

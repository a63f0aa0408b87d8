// The one tRPC router. Every surface is a client of it; nothing here decides anything, it validates and forwards.
import { z } from "zod";
import {
  answerChoiceSchema,
  DEFAULT_OUTPUT_LINES,
  MAX_OUTPUT_LINES,
  MAX_TEXT,
  outputSourceSchema,
  killSignalSchema,
} from "../model/actionView.ts";
import { refNameSchema } from "../model/runtime.ts";
import { actionGuardsSchema } from "../model/snapshot.ts";
import { canonicalStateSchema } from "../model/state.ts";
import { makeRouter, procedure } from "./procedure.ts";
import type { ReachableService } from "./service.ts";

const oneOrMore = <T extends z.ZodType>(item: T) =>
  z.union([item, z.array(item).min(1).max(100).readonly()]).optional();
const filtersSchema = z
  .object({
    target: oneOrMore(z.string()),
    targetSession: oneOrMore(z.string()),
    session: oneOrMore(z.string()),
    state: oneOrMore(canonicalStateSchema),
    agent: oneOrMore(z.string()),
    needsAction: z.boolean().optional(),
    all: z.boolean().optional(),
  })
  .strict();

const refSchema = z.string().min(1).max(1_000);
const actionSchema = z.object({
  ref: refSchema,
  guards: actionGuardsSchema.prefault({}),
  surface: z.string().max(40),
});

const adapterFileSchema = z.object({ name: z.string().min(1).max(255), text: z.string().max(300_000) });

const transportSchema = z.enum(["auto", "ssh2", "openssh"]);
const targetSchema = z.object({
  name: refNameSchema,
  transport: transportSchema.optional(),
  tmux_path: z.string().startsWith("/").nullable().optional(),
});

export const createRouter = (service: ReachableService) =>
  makeRouter({
    hello: procedure.query(() => service.hello()),
    shutdown: procedure.mutation(() => service.shutdown()),
    panes: procedure.input(filtersSchema).query(({ input }) => service.listPanes(input)),
    windows: procedure.input(filtersSchema).query(({ input }) => service.listWindows(input)),
    sessions: procedure
      .input(filtersSchema.extend({ groupBy: z.enum(["target-session", "session-name"]).optional() }))
      .query(({ input }) => service.listSessions(input)),
    targets: procedure.query(() => service.listTargets()),
    targetAdd: procedure
      .input(targetSchema.extend({ ssh_target: z.string().max(255) }))
      .mutation(({ input }) => service.targetAdd(input)),
    sshAliases: procedure.query(() => service.sshAliases()),
    targetChange: procedure
      .input(
        z.object({
          name: refNameSchema,
          enabled: z.boolean().optional(),
          transport: transportSchema.optional(),
          tmuxPath: z.string().startsWith("/").nullable().optional(),
        }),
      )
      .mutation(({ input }) => service.targetChange(input)),
    targetConnect: procedure
      .input(z.object({ name: refNameSchema }))
      .mutation(({ input }) => service.targetConnect(input)),
    targetRemove: procedure
      .input(z.object({ name: refNameSchema, isConfirmed: z.boolean().default(false) }))
      .mutation(({ input }) => service.targetRemove(input)),
    feed: procedure
      .input(
        z.object({
          since: z.number().int().nullable().default(null),
          sinceTime: z.number().nullable().default(null),
          all: z.boolean().default(false),
          latest: z.boolean().default(false),
        }),
      )
      .subscription(({ input, signal }) => service.feed(input, signal ?? new AbortController().signal)),
    notices: procedure.subscription(({ signal }) => service.notices(signal ?? new AbortController().signal)),
    lookNow: procedure.mutation(() => service.lookNow()),
    explain: procedure.input(z.object({ ref: refSchema })).query(({ input }) => service.explain(input.ref)),
    prepareAttach: procedure
      .input(
        actionSchema.extend({
          insideTmux: z.string().nullable().default(null),
          mayFocus: z.boolean().default(false),
        }),
      )
      .mutation(({ input }) => service.prepareAttach(input)),
    openAttach: procedure.input(actionSchema).mutation(({ input }) => service.openAttach(input)),
    dismiss: procedure.input(actionSchema).mutation(({ input }) => service.dismiss(input)),
    viewOutput: procedure
      .input(
        actionSchema.extend({
          lines: z.number().int().min(1).max(MAX_OUTPUT_LINES).default(DEFAULT_OUTPUT_LINES),
          ansi: z.boolean().default(false),
          source: outputSourceSchema.default("screen"),
        }),
      )
      .mutation(({ input }) => service.viewOutput(input)),
    send: procedure
      .input(
        actionSchema.extend({
          text: z.string().max(MAX_TEXT),
          pressEnter: z.boolean().default(true),
          toShell: z.boolean().default(false),
          idempotencyKey: z.string().min(1).max(200).nullable().default(null),
        }),
      )
      .mutation(({ input }) => service.send(input)),
    answer: procedure
      .input(
        actionSchema.extend({
          choice: answerChoiceSchema,
          idempotencyKey: z.string().min(1).max(200).nullable().default(null),
        }),
      )
      .mutation(({ input }) => service.answer(input)),
    interrupt: procedure.input(actionSchema).mutation(({ input }) => service.interrupt(input)),
    kill: procedure
      .input(
        actionSchema.extend({
          signal: killSignalSchema.default("INT"),
          isConfirmed: z.boolean().default(false),
        }),
      )
      .mutation(({ input }) => service.kill(input)),
    audit: procedure
      .input(z.object({ limit: z.number().int().min(1).max(10_000).default(50) }))
      .query(({ input }) => service.listAudit(input)),
    adapters: procedure.query(() => service.adapters()),
    adapterCheck: procedure.input(adapterFileSchema).mutation(({ input }) => service.adapterCheck(input)),
    adapterSwitch: procedure
      .input(z.object({ agent: z.string().min(1).max(100), enabled: z.boolean() }))
      .mutation(({ input }) => service.adapterSwitch(input)),
    adapterTry: procedure
      .input(z.object({ ref: refSchema, file: adapterFileSchema.nullable().default(null) }))
      .mutation(({ input }) => service.adapterTry(input)),
    configGet: procedure.query(() => service.configGet()),
    configSet: procedure
      .input(z.object({ key: z.string().min(1).max(200), value: z.unknown() }))
      .mutation(({ input }) => service.configSet(input)),
    integrationList: procedure
      .input(z.object({ target: refNameSchema.optional() }))
      .query(({ input }) => service.integrationList(input)),
    integrationChange: procedure
      .input(
        z.object({
          agent: z.string(),
          target: refNameSchema.optional(),
          action: z.enum(["install", "repair", "uninstall"]),
          dryRun: z.boolean(),
        }),
      )
      .mutation(({ input }) => service.integrationChange(input)),
    integrationVerify: procedure
      .input(z.object({ agent: z.string(), target: refNameSchema.optional() }))
      .mutation(({ input }) => service.integrationVerify(input)),
    doctor: procedure
      .input(z.object({ target: z.string().max(64).nullable().default(null) }))
      .mutation(({ input }) => service.doctor(input)),
  });

export type AppRouter = ReturnType<typeof createRouter>;

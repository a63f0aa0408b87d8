// The tRPC routers, whose clients are all surfaces: the daemon's, and the desktop app's for the window's own choices. Nothing here
// decides anything: it validates and forwards, and errors go over the wire with the daemon's own words and codes.
import { initTRPC, TRPCError, type TRPCMutationProcedure, type TRPCQueryProcedure } from "@trpc/server";
import { AgtmuxError, ERROR_CODES, type ErrorCode } from "../model/errors.ts";
import type { CallContext, Caller, FeatureAnswers } from "../ports/feature.ts";
import { isRequestPage } from "../model/requestPage.ts";
import type { WireError } from "./protocol.ts";
import * as z from "zod";
import {
  acceleratorSchema,
  terminalChoiceSchema,
  type CommandLineState,
  type DesktopEvent,
  type DesktopState,
  type TerminalChoice,
} from "../model/desktop.ts";
import {
  CALLS,
  answerOf,
  feedSchema,
  type AnswerFrom,
  type Calls,
  type CallTable,
  type ReachableService,
  type SentTo,
} from "./calls.ts";

/** Requests that tRPC itself refuses, before our code ran. */
const codeOf = (code: TRPCError["code"]): ErrorCode => {
  if (code === "INTERNAL_SERVER_ERROR") return "E_INTERNAL";
  return code === "NOT_FOUND" || code === "METHOD_NOT_SUPPORTED" ? "E_UNSUPPORTED" : "E_USAGE";
};

const wireOf = (code: ErrorCode): WireError => ({
  agtmuxCode: code,
  remedy: ERROR_CODES[code].remedy,
  details: [],
});

const t = initTRPC.context<CallContext>().create({
  errorFormatter({ shape, error }) {
    const cause = error.cause;
    const wire: WireError =
      cause instanceof AgtmuxError
        ? { agtmuxCode: cause.code, remedy: cause.remedy, details: cause.details }
        : wireOf(codeOf(error.code));
    // Only the message is sent, because stacks name paths of the machine.
    return {
      ...shape,
      data: { code: shape.data.code, httpStatus: shape.data.httpStatus, path: shape.data.path, ...wire },
    };
  },
});

/** Turns our errors into tRPC's, keeping ours as the cause for the formatter. */
const mapErrors = t.middleware(async ({ next }) => {
  const result = await next();
  if (!result.ok && result.error.cause instanceof AgtmuxError) {
    const cause = result.error.cause;
    throw new TRPCError({ code: ERROR_CODES[cause.code].trpc, message: cause.message, cause });
  }
  return result;
});
/** The base of every procedure: our errors keep their codes. */
const procedure = t.procedure.use(mapErrors);
const makeRouter = t.router;

/** What the popover's page may ask of the app around it, on the daemon's port under `desktop.`; in a browser it is absent. */
export interface DesktopService {
  state(): DesktopState;
  /** @throws AgtmuxError E_UNSUPPORTED for a terminal that is not installed here. */
  setTerminal(choice: TerminalChoice): DesktopState;
  /** Null: none. A shortcut that another program holds leaves the present one in force, and `problem` says so. */
  setShortcut(accelerator: string | null): DesktopState;
  setLaunchAtLogin(isOn: boolean): DesktopState;
  /** Shows a notification now; if it cannot be shown, `problem` says why. */
  testNotification(): Promise<{ problem: string | null }>;
  commandLine(): Promise<CommandLineState>;
  /** Links the command into a folder of the person; replaces nothing. @throws AgtmuxError E_UNSUPPORTED. */
  installCommandLine(): Promise<CommandLineState>;
  /** Opens the folder of the logs in the system's file browser. @throws AgtmuxError E_UNSUPPORTED. */
  openLogs(): Promise<void>;
  /** Opens the page of a pull request in the person's browser. @throws AgtmuxError E_UNSUPPORTED. */
  openPage(page: string): Promise<void>;
  hide(): void;
  events(signal: AbortSignal): AsyncIterable<DesktopEvent>;
}

/** Paths that this router answers begin with it. */
export const DESKTOP_PREFIX = "desktop.";

export const createDesktopRouter = (service: DesktopService) =>
  makeRouter({
    desktop: makeRouter({
      state: procedure.query(() => service.state()),
      setTerminal: procedure.input(terminalChoiceSchema).mutation(({ input }) => service.setTerminal(input)),
      setShortcut: procedure
        .input(z.object({ accelerator: acceleratorSchema.nullable() }))
        .mutation(({ input }) => service.setShortcut(input.accelerator)),
      setLaunchAtLogin: procedure
        .input(z.object({ isOn: z.boolean() }))
        .mutation(({ input }) => service.setLaunchAtLogin(input.isOn)),
      testNotification: procedure.mutation(() => service.testNotification()),
      commandLine: procedure.query(() => service.commandLine()),
      installCommandLine: procedure.mutation(() => service.installCommandLine()),
      openLogs: procedure.mutation(() => service.openLogs()),
      openPage: procedure
        .input(
          z.object({
            page: z
              .string()
              .max(1_000)
              .refine((page) => isRequestPage(page, null)),
          }),
        )
        .mutation(({ input }) => service.openPage(input.page)),
      hide: procedure.mutation(() => service.hide()),
      events: procedure.subscription(({ signal }) => service.events(signal ?? new AbortController().signal)),
    }),
  });

export type DesktopRouter = ReturnType<typeof createDesktopRouter>;

// The daemon's router.

interface Definition<One> {
  input: SentTo<One>;
  output: AnswerFrom<One>;
  meta: object;
}
type ProceduresOf<Table extends CallTable> = {
  [Name in keyof Table]: Table[Name]["kind"] extends "query"
    ? TRPCQueryProcedure<Definition<Table[Name]>>
    : TRPCMutationProcedure<Definition<Table[Name]>>;
};

const UNKNOWN: Caller = { kind: "unknown" };

type AnswerCall = (name: string, input: unknown, context: CallContext) => unknown;

/** A procedure for each call of a table: it checks the input and passes it on. */
const proceduresOf = <Table extends CallTable>(table: FeatureAnswers["calls"], answer: AnswerCall) => {
  const made = Object.entries(table).map(([name, { kind, input }]) => {
    const checked = procedure.input(input);
    // Not every host makes a context.
    const forward = (call: { input: unknown; ctx: CallContext | undefined }): unknown =>
      answer(name, call.input, call.ctx ?? {});
    return [name, kind === "query" ? checked.query(forward) : checked.mutation(forward)];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one procedure for each name of the table
  return Object.fromEntries(made) as ProceduresOf<Table>;
};

/** The calls of features, each table under its feature's name. */
type FeatureProcedures<Features extends Readonly<Record<string, CallTable>>> = {
  [Name in keyof Features]: ProceduresOf<Features[Name]>;
};

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- of a daemon without features, that is what there is
type NoFeatures = Record<never, never>;

/** `Features`: the tables of `features`, for the types of a client (`features/index.ts` has those of every host). */
export const createRouter = <Features extends Readonly<Record<string, CallTable>> = NoFeatures>(
  service: ReachableService,
  features: readonly FeatureAnswers[] = [],
) =>
  makeRouter({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the host says which features it has
    ...(Object.fromEntries(
      features.map((one) => [
        one.name,
        proceduresOf(one.calls, (name, input, { caller = UNKNOWN }) => one.answer(name, input, caller)),
      ]),
    ) as FeatureProcedures<Features>),
    ...proceduresOf<Calls>(CALLS, (name, input, { caller = UNKNOWN }) =>
      answerOf(service, name)(input, caller),
    ),
    feed: procedure
      .input(feedSchema)
      .subscription(({ input, signal }) => service.feed(input, signal ?? new AbortController().signal)),
    notices: procedure.subscription(({ signal }) => service.notices(signal ?? new AbortController().signal)),
  });

/** The router of a daemon with these features. */
export type RouterOf<Features extends Readonly<Record<string, CallTable>>> = ReturnType<
  typeof createRouter<Features>
>;
/** The router of core's own calls. */
export type AppRouter = RouterOf<NoFeatures>;

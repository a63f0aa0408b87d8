// The one tRPC router. Every surface is a client of it; nothing here decides anything, it validates and forwards.
import { initTRPC, TRPCError, type TRPCMutationProcedure, type TRPCQueryProcedure } from "@trpc/server";
import { AgtmuxError, ERROR_CODES, type ErrorCode } from "../model/errors.ts";
import type { CallContext, FeatureAnswers } from "../ports/feature.ts";
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
  feedSchema,
  type AnswerOf,
  type CallName,
  type Calls,
  type ReachableService,
} from "./calls.ts";

// The building block of every router here: procedures whose errors go over the wire with the daemon's own words and codes.

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

// What the popover's page may ask of the app around it, beside the daemon: the window's own choices. Only the desktop app
// serves it; in a browser it is absent. Calls come on the same port as the daemon's, under `desktop.`.

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
      hide: procedure.mutation(() => service.hide()),
      events: procedure.subscription(({ signal }) => service.events(signal ?? new AbortController().signal)),
    }),
  });

export type DesktopRouter = ReturnType<typeof createDesktopRouter>;

interface Definition<Name extends CallName> {
  input: z.input<Calls[Name]["input"]>;
  output: AnswerOf<Name>;
  meta: object;
}
type Procedures = {
  [Name in CallName]: Calls[Name]["kind"] extends "query"
    ? TRPCQueryProcedure<Definition<Name>>
    : TRPCMutationProcedure<Definition<Name>>;
};

const proceduresOf = (service: ReachableService): Procedures => {
  const made = Object.entries(CALLS).map(([name, { kind, input }]) => {
    const checked = procedure.input(input);
    const forward = (call: { input: unknown }): unknown =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema beside the name has checked it
      service[name as CallName](call.input as never);
    return [name, kind === "query" ? checked.query(forward) : checked.mutation(forward)];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one procedure for each name of the table
  return Object.fromEntries(made) as Procedures;
};

/** The calls of a feature, under its name. */
const featureRouter = (feature: FeatureAnswers) =>
  makeRouter(
    Object.fromEntries(
      Object.entries(feature.calls).map(([name, { kind, input }]) => {
        const checked = procedure.input(input);
        const forward = ({ input: given, ctx }: { input: unknown; ctx: CallContext }): unknown =>
          feature.answer(name, given, ctx.caller ?? { kind: "unknown" });
        return [name, kind === "query" ? checked.query(forward) : checked.mutation(forward)];
      }),
    ),
  );

/** The type names core's own calls only: those of features are asked by their names. */
const routersOf = (features: readonly FeatureAnswers[]): object =>
  Object.fromEntries(features.map((feature) => [feature.name, featureRouter(feature)]));

export const createRouter = (service: ReachableService, features: readonly FeatureAnswers[] = []) =>
  makeRouter({
    ...routersOf(features),
    ...proceduresOf(service),
    feed: procedure
      .input(feedSchema)
      .subscription(({ input, signal }) => service.feed(input, signal ?? new AbortController().signal)),
    notices: procedure.subscription(({ signal }) => service.notices(signal ?? new AbortController().signal)),
  });

export type AppRouter = ReturnType<typeof createRouter>;

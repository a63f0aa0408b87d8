// The one tRPC router. Every surface is a client of it; nothing here decides anything, it validates and forwards.
import type { TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";
import type * as z from "zod";
import {
  CALLS,
  feedSchema,
  type AnswerOf,
  type CallName,
  type Calls,
  type ReachableService,
} from "./calls.ts";
import { makeRouter, procedure } from "./procedure.ts";
import type { CallContext } from "../ports/caller.ts";
import type { FeatureAnswers } from "../ports/feature.ts";

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

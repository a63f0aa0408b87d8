// What every router here is made of: procedures whose errors go over the wire in the daemon's own words and codes.
import { initTRPC, TRPCError } from "@trpc/server";
import { AgtmuxError, ERROR_CODES } from "../model/errors.ts";
import type { WireError } from "./service.ts";

const t = initTRPC.create({
  errorFormatter({ shape, error }) {
    const cause = error.cause;
    const wire: WireError =
      cause instanceof AgtmuxError
        ? { agtmuxCode: cause.code, remedy: cause.remedy, details: cause.details }
        : error.code === "BAD_REQUEST"
          ? { agtmuxCode: "E_USAGE", remedy: ERROR_CODES.E_USAGE.remedy, details: [] }
          : { agtmuxCode: "E_INTERNAL", remedy: ERROR_CODES.E_INTERNAL.remedy, details: [] };
    // Only the sentence leaves: stacks name paths of the machine.
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
/** Every procedure of every router: our errors come out as ours. */
export const procedure = t.procedure.use(mapErrors);
export const makeRouter = t.router;

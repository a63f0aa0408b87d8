// The building block of every router here: procedures whose errors go over the wire with the daemon's own words and codes.
import { initTRPC, TRPCError } from "@trpc/server";
import { AgtmuxError, ERROR_CODES, type ErrorCode } from "../model/errors.ts";
import type { CallContext } from "../ports/caller.ts";
import type { WireError } from "./service.ts";

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
export const procedure = t.procedure.use(mapErrors);
export const makeRouter = t.router;

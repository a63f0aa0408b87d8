// The server end of tRPC over a message port: answers calls, runs subscriptions one value at a time as the client takes them,
// and ends everything that it started when the port closes. The given router or client performs the calls.
import {
  callTRPCProcedure,
  getTRPCErrorFromUnknown,
  getTRPCErrorShape,
  type TRPCProcedureType,
} from "@trpc/server";
import type { DesktopRouter, AppRouter } from "../api/router.ts";
import type { CallContext } from "../ports/feature.ts";
import {
  clientMessageSchema,
  SUBSCRIPTION_WINDOW,
  type ClientMessage,
  type MessagePortPair,
  type ServerMessage,
} from "./messageLink.ts";

export interface ProcedureRequest {
  type: TRPCProcedureType;
  path: string;
  input: unknown;
  signal: AbortSignal;
}

/** Runs procedures: a subscription resolves to an async iterable, anything else to its result. */
export interface ProcedureCaller {
  call(request: ProcedureRequest): Promise<unknown>;
  /** The error as it goes over the wire; never carries a stack. */
  toErrorShape(error: unknown, request: ProcedureRequest): ErrorShape;
}
/** Only the app's own page speaks over a message port. */
const WINDOW: CallContext = { caller: { kind: "window" } };
export type ErrorShape = Extract<ServerMessage, { kind: "error" }>["shape"];

/** Calls the procedures of a router of this process, for its own window. */
export const createRouterCaller = (router: AppRouter | DesktopRouter): ProcedureCaller => ({
  call: ({ type, path, input, signal }) =>
    callTRPCProcedure({
      router,
      path,
      type,
      ctx: WINDOW,
      getRawInput: () => Promise.resolve(input),
      signal,
      batchIndex: 0,
    }),
  toErrorShape: (error, { type, path, input }) =>
    getTRPCErrorShape({
      config: router._def._config,
      error: getTRPCErrorFromUnknown(error),
      type,
      path,
      input,
      ctx: undefined,
    }),
});

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

/** Counts the values that the client has not yet taken; `take` waits until one more may be sent. */
class Credit {
  private free = SUBSCRIPTION_WINDOW;
  private wake: (() => void) | null = null;

  give(): void {
    this.free += 1;
    this.wake?.();
  }

  async take(signal: AbortSignal): Promise<void> {
    while (this.free <= 0 && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    this.free -= 1;
  }
}

interface OpenCall {
  aborter: AbortController;
  credit: Credit;
}

export interface MessageBridge {
  /** Calls under way, subscriptions included. */
  openCalls(): number;
  /** Aborts everything under way and stops listening; idempotent. */
  close(): void;
}

/** Serves one client on `port`. Messages that do not belong to the protocol are ignored. */
export const serveMessages = (options: { caller: ProcedureCaller; port: MessagePortPair }): MessageBridge => {
  const { caller, port } = options;
  const open = new Map<number, OpenCall>();

  const reply = (call: OpenCall, message: ServerMessage) => {
    if (!call.aborter.signal.aborted) port.send(message);
  };
  const runCall = async (id: number, call: OpenCall, request: ProcedureRequest) => {
    const result = await caller.call(request);
    if (request.type !== "subscription") {
      reply(call, { kind: "data", id, data: result });
      return;
    }
    if (!isAsyncIterable(result)) throw new Error(`subscription ${request.path} gave nothing to iterate`);
    for await (const data of result) {
      await call.credit.take(request.signal);
      if (request.signal.aborted) return;
      reply(call, { kind: "data", id, data });
    }
    reply(call, { kind: "end", id });
  };
  const start = (message: Extract<ClientMessage, { kind: "call" }>) => {
    const { id, type, path, input } = message;
    if (open.has(id)) return;
    const call: OpenCall = { aborter: new AbortController(), credit: new Credit() };
    open.set(id, call);
    const request: ProcedureRequest = { type, path, input, signal: call.aborter.signal };
    runCall(id, call, request)
      .catch((error: unknown) =>
        reply(call, { kind: "error", id, shape: caller.toErrorShape(error, request) }),
      )
      .finally(() => {
        if (open.get(id) === call) open.delete(id);
      });
  };
  const stopListening = port.onMessage((raw) => {
    const parsed = clientMessageSchema.safeParse(raw);
    if (!parsed.success) return;
    const message = parsed.data;
    switch (message.kind) {
      case "call":
        start(message);
        return;
      case "stop":
        open.get(message.id)?.aborter.abort();
        open.delete(message.id);
        return;
      case "ack":
        open.get(message.id)?.credit.give();
        return;
    }
  });

  return {
    openCalls: () => open.size,
    close: () => {
      stopListening();
      for (const call of open.values()) call.aborter.abort();
      open.clear();
    },
  };
};

// tRPC over fetch, for the popover in a browser. Subscriptions are read from a fetch body. An EventSource would reconnect by
// itself and hide the failures that the popover has to show.
import { TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "../../core/api/router.ts";
import { readEventStream } from "../../core/rpc/eventStream.ts";

interface Call {
  type: "query" | "mutation" | "subscription";
  path: string;
  input: unknown;
  signal: AbortSignal;
}

/** The bridge's status while there is no daemon behind it. */
const NO_DAEMON = 502;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const toClientError = (shape: unknown): TRPCClientError<AppRouter> => TRPCClientError.from({ error: shape });

const ask = ({ type, path, input, signal }: Call): Promise<Response> => {
  const body = input === undefined ? undefined : JSON.stringify(input);
  if (type === "mutation")
    return fetch(`./trpc/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      signal,
      ...(body === undefined ? {} : { body }),
    });
  const query = body === undefined ? "" : `?input=${encodeURIComponent(body)}`;
  const headers: Record<string, string> = type === "subscription" ? { accept: "text/event-stream" } : {};
  return fetch(`./trpc/${path}${query}`, { headers, signal });
};

const readAnswer = async (response: Response): Promise<unknown> => {
  if (response.status === NO_DAEMON) throw new Error("the daemon does not answer");
  if (!String(response.headers.get("content-type")).includes("json"))
    throw new Error((await response.text()).trim() || `the daemon answered ${response.status}`);
  const answer: unknown = await response.json();
  if (isRecord(answer) && "error" in answer) throw toClientError(answer["error"]);
  return isRecord(answer) && isRecord(answer["result"]) ? answer["result"]["data"] : undefined;
};

/** Not every browser iterates a ReadableStream. */
async function* readBody(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function* subscribe(call: Call): AsyncGenerator {
  const response = await ask(call);
  if (
    !String(response.headers.get("content-type")).startsWith("text/event-stream") ||
    response.body === null
  ) {
    await readAnswer(response);
    throw new Error("the daemon gave no stream");
  }
  for await (const event of readEventStream<unknown>(readBody(response.body), JSON.parse)) {
    if (event.kind === "data") yield event.value;
    else if (event.kind === "error") throw toClientError(event.shape);
    else return;
  }
  throw new Error("the daemon closed the connection");
}

/** Speaks to `./trpc/` of the page's own origin. */
export const fetchLink = (): TRPCLink<AppRouter> => () => (options) =>
  observable((observer) => {
    const { op } = options;
    const aborter = new AbortController();
    const signal = op.signal ? AbortSignal.any([op.signal, aborter.signal]) : aborter.signal;
    const call: Call = { type: op.type, path: op.path, input: op.input, signal };
    const run = async () => {
      if (op.type === "subscription")
        for await (const data of subscribe(call)) observer.next({ result: { type: "data", data } });
      else observer.next({ result: { type: "data", data: await readAnswer(await ask(call)) } });
      observer.complete();
    };
    run().catch((error: unknown) => {
      if (!aborter.signal.aborted)
        observer.error(
          TRPCClientError.from(error instanceof Error ? error : new Error("the request failed")),
        );
    });
    return () => aborter.abort();
  });

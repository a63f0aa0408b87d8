// Connects the popover to its host: the desktop app through the preload's port, or the browser bridge that served the page. It
// also passes on whether the window is visible and what the app's menu asks to open, and words the failures of calls.
import { TRPCClientError, type TRPCLink, createTRPCClient, type TRPCClient } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { DesktopRouter } from "../../core/api/router.ts";
import type { DaemonRouter } from "../../features/index.ts";
import { readEventStream } from "../../core/rpc/wire.ts";
import * as z from "zod";
import type { DesktopViewName } from "../../core/model/desktop.ts";
import { messageLinks, type MessagePortPair } from "../../core/rpc/messageLink.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { Store } from "./store.ts";

// Browser: tRPC over fetch. Subscriptions are read from a fetch body, because an EventSource would reconnect by itself and hide the
// failures that the popover has to show.

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

const toClientError = (shape: unknown): TRPCClientError<DaemonRouter> =>
  TRPCClientError.from({ error: shape });

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
const fetchLink = (): TRPCLink<DaemonRouter> => () => (options) =>
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

/** Whether somebody can see the popover. Clocks, requests and subscriptions stop while nobody can. */
export class Visibility extends Store<boolean> {
  readonly isVisible = this.getState;
}

/**
 * Requests of the app's menu to open a place. A request that comes before the page has drawn anything is kept for the first
 * listener.
 */
export class NavigationRequests {
  private waiting: DesktopViewName | null = null;
  private listener: ((view: DesktopViewName) => void) | null = null;

  put(view: DesktopViewName): void {
    if (this.listener === null) this.waiting = view;
    else this.listener(view);
  }

  /** Sets the only listener, which gets a waiting request at once. Returns the function that stops it. */
  follow(listener: (view: DesktopViewName) => void): () => void {
    this.listener = listener;
    const { waiting } = this;
    this.waiting = null;
    if (waiting !== null) listener(waiting);
    return () => {
      if (this.listener === listener) this.listener = null;
    };
  }
}

/** As long as the page exists. */
const followDocument = (document: Document, visibility: Visibility): void => {
  const look = () => visibility.set(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", look);
  look();
};

/**
 * Also takes the menu's requests. Used as long as the page exists; until the app reports visibility, the document's own is used.
 */
const followDesktop = (
  desktop: TRPCClient<DesktopRouter>,
  visibility: Visibility,
  navigation: NavigationRequests,
): void => {
  desktop.desktop.events.subscribe(undefined, {
    onData: (event) => {
      switch (event.kind) {
        case "visibility":
          visibility.set(event.isVisible);
          return;
        case "go":
          navigation.put(event.view);
          return;
      }
    },
    onError: () => followDocument(document, visibility),
    onComplete: () => followDocument(document, visibility),
  });
};

declare global {
  interface Window {
    /** Put there by preload/; absent in a browser. */
    readonly agtmux?: MessagePortPair;
  }
}

/** Who asks, for the audit and for jobs. */
export const SURFACE = "popover";

export type Api = TRPCClient<DaemonRouter>;
export type DesktopApi = TRPCClient<DesktopRouter>;

export interface Host {
  readonly kind: "app" | "browser";
  readonly api: Api;
  /** The app around the page; null in a browser. */
  readonly desktop: DesktopApi | null;
  readonly visibility: Visibility;
  /** Where the app's menu leads; silent in a browser. */
  readonly navigation: NavigationRequests;
}

export const connectHost = (window: Window): Host => {
  const visibility = new Visibility(false);
  const navigation = new NavigationRequests();
  if (window.agtmux === undefined) {
    followDocument(window.document, visibility);
    const api = createTRPCClient<DaemonRouter>({ links: [fetchLink()] });
    return { kind: "browser", api, desktop: null, visibility, navigation };
  }
  const link = messageLinks(window.agtmux);
  const desktop = createTRPCClient<DesktopRouter>({ links: [link<DesktopRouter>()] });
  followDesktop(desktop, visibility, navigation);
  const api = createTRPCClient<DaemonRouter>({ links: [link()] });
  return { kind: "app", api, desktop, visibility, navigation };
};

const wireErrorSchema = z.object({ agtmuxCode: z.string(), remedy: z.string() });

const issuesSchema = z
  .array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }))
  .min(1);

/** The reasons why an input was refused come as a list in JSON; this gives the first as a sentence. */
const readMessage = (message: string): string => {
  if (!message.startsWith("[")) return message;
  try {
    const [issue] = issuesSchema.parse(JSON.parse(message));
    return issue === undefined ? message : [...issue.path, issue.message].join(": ");
  } catch {
    // It only looked like a list.
    return message;
  }
};

/** A failed call as the sentence that a person reads. */
export const toFailure = (error: unknown): Failure => {
  const message =
    error instanceof Error && error.message !== "" ? readMessage(error.message) : "The request failed";
  const wire = wireErrorSchema.safeParse(error instanceof TRPCClientError ? error.data : undefined).data;
  return { message, remedy: wire?.remedy ?? null, code: wire?.agtmuxCode ?? null };
};

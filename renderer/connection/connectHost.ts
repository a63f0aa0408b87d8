// Connects the popover to its host: the desktop app through the preload's port, or the browser bridge that served the page. It
// also passes on what the app says of the window: whether it is visible, and what its menu asks to open.
import { TRPCClientError, createTRPCClient, getUntypedClient, type TRPCClient } from "@trpc/client";
import * as z from "zod";
import type { DesktopRouter } from "../../core/api/desktopRouter.ts";
import type { AppRouter } from "../../core/api/router.ts";
import type { DesktopViewName } from "../../core/model/desktop.ts";
import { messageLinks } from "../../core/rpc/messageLink.ts";
import type { MessagePortPair } from "../../core/rpc/messages.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { Store } from "../state/store.ts";
import { fetchLink } from "./fetchLink.ts";

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

/** For the life of the page. */
export const followDocument = (document: Document, visibility: Visibility): void => {
  const look = () => visibility.set(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", look);
  look();
};

/**
 * Also takes the menu's requests. Used for the life of the page; until the app reports visibility, the document's own is used.
 */
export const followDesktop = (
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

export type Api = TRPCClient<AppRouter>;
export type DesktopApi = TRPCClient<DesktopRouter>;

/** A mutation of a feature, by its name: the router's type has core's own calls only. */
export const callFeature = (api: Api, path: string, input: unknown): Promise<unknown> =>
  getUntypedClient(api).mutation(path, input);

export interface Host {
  readonly kind: "app" | "browser";
  readonly api: Api;
  /** The app around the page; null in a browser. */
  readonly desktop: DesktopApi | null;
  readonly visibility: Visibility;
  /** Where the app's menu leads; silent in a browser. */
  readonly navigation: NavigationRequests;
}

const connectBrowser = (window: Window): Host => {
  const visibility = new Visibility(false);
  followDocument(window.document, visibility);
  return {
    kind: "browser",
    api: createTRPCClient<AppRouter>({ links: [fetchLink()] }),
    desktop: null,
    visibility,
    navigation: new NavigationRequests(),
  };
};

export const connectHost = (window: Window): Host => {
  if (window.agtmux === undefined) return connectBrowser(window);
  const link = messageLinks(window.agtmux);
  const desktop = createTRPCClient<DesktopRouter>({ links: [link<DesktopRouter>()] });
  const visibility = new Visibility(false);
  const navigation = new NavigationRequests();
  followDesktop(desktop, visibility, navigation);
  return {
    kind: "app",
    api: createTRPCClient<AppRouter>({ links: [link()] }),
    desktop,
    visibility,
    navigation,
  };
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

// The popover's own address, the answers there (a fixed list of files, with the content policy as a real header), who may talk to
// the daemon over Electron IPC, which is decided from the event alone, and whether app or daemon answers a call.
import { DESKTOP_PREFIX } from "../core/api/router.ts";
import type { ProcedureCaller, ProcedureRequest } from "../core/rpc/messageBridge.ts";
import type { WebFile } from "../core/rpc/webBridge.ts";

export const SCHEME = "agtmux";
const ORIGIN = `${SCHEME}://popover`;
export const PAGE_URL = `${ORIGIN}/`;

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

export const isPageUrl = (url: string): boolean => URL.canParse(url) && url.startsWith(PAGE_URL);

export const answerPage = (files: ReadonlyMap<string, WebFile>, request: Request): Response => {
  const url = new URL(request.url);
  const file = request.method === "GET" && isPageUrl(request.url) ? files.get(url.pathname) : undefined;
  return file === undefined
    ? new Response("Not here.\n", { status: 404, headers: { ...HEADERS, "content-type": "text/plain" } })
    : new Response(new Uint8Array(file.body), {
        headers: { ...HEADERS, "content-type": file.contentType },
      });
};

/** The part of Electron's `IpcMainEvent` that is used here. */
interface SenderFacts {
  readonly sender: unknown;
  readonly senderFrame: { readonly url: string } | null;
}

/** True for a message that the main frame of `contents` sent while it showed the popover. */
export const isFromPage = (event: SenderFacts, contents: { readonly mainFrame: unknown }): boolean =>
  event.sender === contents &&
  event.senderFrame !== null &&
  event.senderFrame === contents.mainFrame &&
  isPageUrl(event.senderFrame.url);

/** Answers a call of the page: the app everything that belongs to the window, even without a daemon, and the daemon the rest. */
export const createPageCaller = (parts: {
  desktop: ProcedureCaller;
  daemon: ProcedureCaller;
}): ProcedureCaller => {
  const callerOf = ({ path }: ProcedureRequest): ProcedureCaller =>
    path.startsWith(DESKTOP_PREFIX) ? parts.desktop : parts.daemon;
  return {
    call: (request) => callerOf(request).call(request),
    toErrorShape: (error, request) => callerOf(request).toErrorShape(error, request),
  };
};

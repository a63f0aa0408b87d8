// `agtmux ui`: the popover in a browser. This process serves the page on 127.0.0.1 for as long as it runs; what the page shows
// comes from the daemon.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { startWebBridge, createSocketHandler } from "../../core/rpc/webBridge.ts";
import type { UiDocument } from "../../core/model/documents.ts";
import type { CliContext } from "../command/context.ts";
import { resumeFeed } from "../command/resumeFeed.ts";
import { printDocument } from "../command/document.ts";

const parsePort = (text: string): number => {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new AgtmuxError("E_USAGE", `--port '${text}' is not a port`, {
    remedy: "Use a number from 0 to 65535.",
  });
};

/** Runs until Ctrl-C. Fails with E_UNSUPPORTED where the page was not built, E_ADDRESS_REUSED once its address is opened again. */
export const runUi = async (
  context: CliContext,
  options: {
    port?: string;
    json?: boolean;
  },
): Promise<void> => {
  const port = options.port === undefined ? 0 : parsePort(options.port);
  const rendererDir = join(context.root, "dist", "renderer");
  if (!existsSync(join(rendererDir, "index.html")))
    throw new AgtmuxError("E_UNSUPPORTED", "the popover has not been built", {
      remedy: "Build it with 'npm run build', or use 'npm start'.",
    });
  const reused = new AbortController();
  const feed = resumeFeed(
    {
      connect: (how) => context.connect(how),
      signal: AbortSignal.any([context.signal, reused.signal]),
    },
    { since: { version: null, time: null }, all: false },
  );
  // Waits for the first event: then the daemon is there, and the page has something to show at once.
  await feed.next();
  const bridge = await startWebBridge({
    rpc: createSocketHandler(context.paths().socket),
    rendererDir,
    logger: SILENT_LOGGER,
    port,
    onReuse: () => reused.abort(),
  });
  try {
    if (options.json === true) printDocument<UiDocument>(context, { url: bridge.url });
    else context.print(`${bridge.url}\nThe address works once, in one browser. Ctrl-C ends it.\n`);
    // Following the feed keeps a daemon running for the page: one that ends is replaced.
    while ((await feed.next()).done !== true);
  } finally {
    await feed.return(undefined);
    await bridge.close();
  }
  if (reused.signal.aborted)
    throw new AgtmuxError(
      "E_ADDRESS_REUSED",
      "the address was opened a second time, by another browser or program: the session has ended",
    );
};

// The popover's sources in a browser with hot reload, on made-up panes: no daemon, no tmux, no build. For developing only.
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { createServer, type Plugin } from "vite";
import { createRouter } from "../../core/api/router.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createRouterHandler, RPC_PREFIX } from "../../core/rpc/webBridge.ts";
import type { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import { FAKE_FEATURES } from "../../test/fakes/fakeFeatures.ts";

export interface DevServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Calls go to the daemon of this process. */
const answerCalls = (daemon: FakeDaemon): Plugin => ({
  name: "agtmux-calls",
  configureServer: (server) => {
    const handle = createRouterHandler(createRouter(daemon, FAKE_FEATURES), SILENT_LOGGER);
    server.middlewares.use((request, response, next) => {
      if (request.url?.startsWith(RPC_PREFIX) === true) handle(request, response);
      else next();
    });
  },
});

/** Hot reload runs scripts and styles inside of the page, which its policy forbids everywhere else. */
const withoutPolicy: Plugin = {
  name: "agtmux-without-policy",
  transformIndexHtml: {
    order: "pre",
    handler: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ""),
  },
};

/** `root`: a checkout. Listens on the loopback interface only; port 0 takes a free one. */
export const startDevServer = async (options: {
  root: string;
  daemon: FakeDaemon;
  port: number;
}): Promise<DevServer> => {
  const server = await createServer({
    configFile: false,
    root: join(options.root, "renderer"),
    cacheDir: join(options.root, ".tsbuild", "vite"),
    plugins: [answerCalls(options.daemon), withoutPolicy, react()],
    server: { host: "127.0.0.1", port: options.port, fs: { allow: [options.root] } },
    optimizeDeps: { include: ["react", "react-dom/client", "react/jsx-dev-runtime", "@trpc/client", "zod"] },
    logLevel: "warn",
    clearScreen: false,
  });
  await server.listen();
  const [url] = server.resolvedUrls?.local ?? [];
  if (url === undefined) throw new Error("the development server has no address");
  return { url, close: () => server.close() };
};

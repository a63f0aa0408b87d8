// A real daemon for targets that ask it over its socket, in a temporary home without a tmux server. What would start programs
// or wait for other machines is answered by a fake.
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRouter } from "../../core/api/router.ts";
import type { ReachableService } from "../../core/api/calls.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { tryOwn } from "../../core/rpc/ownership.ts";
import { ensureHome, runtimePaths } from "../../core/rpc/paths.ts";
import { startSocketServer } from "../../core/rpc/socketServer.ts";
import { FakeDaemon } from "../fakes/fakeDaemon.ts";
import { makePane } from "../factories/view.ts";
import { startTestDaemon } from "../harness/daemon.ts";

/** They start programs, wait for other machines, or end the daemon. */
const FAKED = new Set<string | symbol>([
  "shutdown",
  "targetAdd",
  "targetChange",
  "targetConnect",
  "targetRemove",
  "doctor",
  "integrationVerify",
  "openAttach",
]);

export const MAX_ANSWER = 4 * 1024 * 1024;

/** The daemon's own service behind a socket of its own; the fake takes what must not run. */
const openDaemon = async () => {
  const test = await startTestDaemon({ sockets: [] });
  const fake = new FakeDaemon([makePane()]);
  const service = new Proxy<ReachableService>(test.daemon.service, {
    get: (real, name) => {
      const owner: object = FAKED.has(name) ? fake : real;
      const member: unknown = Reflect.get(owner, name);
      return typeof member === "function" ? member.bind(owner) : member;
    },
  });
  // Connections are used again, as clients do; without that they would be most of the cost.
  const agent = new Agent({ keepAlive: true });
  const root = mkdtempSync(join(tmpdir(), "agtmux-fuzz-"));
  const paths = runtimePaths(join(root, "a"));
  ensureHome(paths);
  const owner = tryOwn(paths.home);
  if (owner === null) throw new Error("the home of a fuzz target is taken");
  const server = await startSocketServer({
    paths,
    owner,
    router: createRouter(service),
    version: "test",
    logger: SILENT_LOGGER,
  });
  return {
    agent,
    service,
    socketPath: paths.socket,
    close: async (): Promise<void> => {
      agent.destroy();
      await server.close();
      owner.release();
      await test.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
};

export type OpenDaemon = Awaited<ReturnType<typeof openDaemon>>;

/** One daemon serves all targets of a thread, until the last of them closes. */
export const createSharedDaemon = () => {
  let daemon: Promise<OpenDaemon> | null = null;
  let users = 0;
  return {
    open: (): Promise<OpenDaemon> => {
      users += 1;
      return (daemon ??= openDaemon());
    },
    close: async (): Promise<void> => {
      users -= 1;
      if (users > 0 || daemon === null) return;
      const last = daemon;
      daemon = null;
      await (await last).close();
    },
  };
};

export type SharedDaemon = ReturnType<typeof createSharedDaemon>;

export interface Answer {
  status: number;
  body: string;
}
export const ask = (
  { socketPath, agent }: OpenDaemon,
  method: string,
  path: string,
  body: string | null,
  accept?: string,
) =>
  new Promise<Answer>((resolve, reject) => {
    const outgoing = request({
      socketPath,
      method,
      path,
      agent: accept === undefined ? agent : false,
      headers: {
        host: "agtmux",
        ...(accept === undefined ? {} : { accept }),
        ...(body === null ? {} : { "content-type": "application/json" }),
      },
    });
    outgoing.once("error", reject);
    outgoing.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        // A stream does not end by itself.
        if (accept !== undefined || text.length > MAX_ANSWER) {
          response.destroy();
          resolve({ status: response.statusCode ?? 0, body: text });
        }
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.once("error", reject);
    });
    outgoing.end(body ?? undefined);
  });

// A daemon process for tests: real ownership and a real socket around a fake daemon. Exit code 0 when another one owns
// the home, like the real daemon.
import { writeFileSync } from "node:fs";
import { createRouter } from "../../core/api/router.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { tryOwn } from "../../core/rpc/ownership.ts";
import { ensureHome, runtimePaths } from "../../core/rpc/paths.ts";
import { startSocketServer } from "../../core/rpc/socketServer.ts";
import { makePane } from "../factories/view.ts";
import { FakeDaemon } from "./fakeDaemon.ts";

const failWith = process.env["FAKE_DAEMON_FAILURE"];
if (failWith !== undefined) {
  process.stderr.write(`${failWith}\n`);
  process.exit(12);
}
const paths = runtimePaths(process.env["AGTMUX_HOME"] ?? "");
ensureHome(paths);
const owner = tryOwn(paths.home);
if (owner === null) {
  const mark = process.env["FAKE_DAEMON_LEFT"];
  if (mark !== undefined) writeFileSync(mark, "");
  process.exit(0);
}
const service = new FakeDaemon([makePane()]);
const greeting = process.env["FAKE_DAEMON_GREETING"];
if (greeting !== undefined) Object.assign(service.greeting, JSON.parse(greeting));
const server = await startSocketServer({
  paths,
  owner,
  router: createRouter(service),
  version: service.greeting.version,
  logger: SILENT_LOGGER,
});
const stop = async () => {
  await server.close();
  owner.release();
  process.exit(0);
};
process.once("SIGTERM", () => void stop());
await service.stopped;
await stop();

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePane } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import { createRouter } from "../core/api/router.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import { tryOwn } from "../core/rpc/ownership.ts";
import { ensureHome, runtimePaths } from "../core/rpc/paths.ts";
import { createRemoteService } from "./compose.ts";
import { connectSocket } from "../core/rpc/socketClient.ts";
import { startSocketServer } from "../core/rpc/socketServer.ts";

test("a router over another process's daemon answers, streams and fails as that daemon does", async () => {
  const paths = runtimePaths(mkdtempSync(join(tmpdir(), "agtmux-remote-")));
  ensureHome(paths);
  const owner = tryOwn(paths.home);
  if (owner === null) throw new Error("the home is taken");
  const daemon = new AnsweringDaemon([makePane()], { now: () => 0 });
  const server = await startSocketServer({
    paths,
    owner,
    router: createRouter(daemon),
    version: "test",
    logger: SILENT_LOGGER,
  });
  const client = await connectSocket({ paths, version: "1", checkVersion: true, helloTimeoutMs: 5_000 });
  try {
    const remote = createRouter(createRemoteService(client)).createCaller({});
    expect(await remote.hello()).toEqual(daemon.greeting);
    expect(await remote.panes({})).toEqual(daemon.panes({}));
    expect(await remote.sessions({ groupBy: "target-session" })).toEqual(
      daemon.sessions({ groupBy: "target-session" }),
    );
    expect(await remote.adapters()).toEqual(daemon.adapters());
    expect(await remote.adapterCheck({ name: "x.json", text: "bad" })).toMatchObject({ agent_type: null });
    expect(await remote.adapterTry({ ref: "runtime:rt1" })).toMatchObject({ agent: "one" });
    await remote.dismiss({ ref: "runtime:rt1", guards: {}, surface: "app" });
    expect(daemon.asked).toMatchObject([{ action: "dismiss", input: { surface: "app" } }]);
    for await (const entry of await remote.feed({})) {
      expect(entry.kind).toBe("snapshot");
      break;
    }
    const failure: unknown = await remote.explain({ ref: "runtime:none" }).catch((error: unknown) => error);
    const cause = failure instanceof Error ? failure.cause : undefined;
    expect(cause instanceof AgtmuxError && cause.code).toBe("E_REF_NOT_FOUND");
  } finally {
    client.close();
    await server.close();
    owner.release();
  }
});

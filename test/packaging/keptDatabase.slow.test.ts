// A daemon of today on the database that 1.0 left: it starts, says what it found, and goes on with it (docs/compatibility.md). That every
// row comes back is in core/store/keptDatabases.test.ts.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { connectSocket } from "../../core/rpc/socketClient.ts";
import type { DaemonRouter } from "../../features/index.ts";
import { spawnDaemon } from "../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

const FOLDER = join(import.meta.dirname, "..", "fixtures", "databases");

let folder: string;
let tmux: PrivateTmux;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-kept-"));
  tmux = createPrivateTmux();
});
afterEach(async () => {
  await tmux.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it.each(readdirSync(FOLDER).filter((file) => file.endsWith(".db.gz")))("starts on %s", async (file) => {
  await tmux.newSession("work");
  const home = join(folder, "home");
  const { stateDb: database } = runtimePaths(home);
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
  writeFileSync(database, gunzipSync(readFileSync(join(FOLDER, file))), { mode: 0o600 });
  const env = { HOME: folder, AGTMUX_TMUX_SOCKETS: tmux.socketPath };
  const daemon = await spawnDaemon({ home, env });
  try {
    const client = await connectSocket<DaemonRouter>({
      paths: runtimePaths(home),
      version: "test",
      checkVersion: false,
      helloTimeoutMs: 5_000,
    });
    const { items } = await client.call((api) => api.panes.query({ all: true }));
    expect(items.map(({ identity }) => identity.session_name)).toEqual(["work"]);
    // What a person armed and paused there is armed and paused here.
    const jobs = await client.call((api) => api.automation.jobs.query({}));
    expect(jobs.items.map(({ job_id }) => job_id)).toContain("watch");
    expect(jobs.paused_at).not.toBeNull();
    client.close();
  } finally {
    await daemon.stop();
  }
  // Nothing of it was set aside as damaged.
  expect(readdirSync(dirname(database)).filter((name) => name.includes("damaged"))).toEqual([]);
});

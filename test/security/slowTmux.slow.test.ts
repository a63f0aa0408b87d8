// A tmux server that hardly answers: of another user, who wants everybody to wait, or the person's own that stands still.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { chownSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { isRoot, NOBODY } from "./otherUser.ts";

let root: string;
let tmux: PrivateTmux;
let daemon: TestDaemon | null;
let mute: Server;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-slow-"));
  tmux = createPrivateTmux();
  daemon = null;
  await tmux.newSession("mine");
  // It takes what comes and says nothing.
  mute = createServer((socket) => void socket.on("error", () => {}).resume());
  await new Promise<void>((done) => mute.listen(join(root, "mute"), done));
});
afterEach(async () => {
  await daemon?.close();
  await new Promise((done) => mute.close(done));
  await tmux.close();
  rmSync(root, { recursive: true, force: true });
});

const serverOf = (name: string) =>
  daemon?.daemon.service.targets()[0]?.servers.find(({ tmux_server: server }) => server === name);

const OWNERS = isRoot ? ["another user", "the person"] : ["the person"];
it.each(OWNERS)("of %s keeps the rows of others waiting neither at the start nor later", async (owner) => {
  if (owner === "another user") chownSync(join(root, "mute"), NOBODY, NOBODY);
  const startedAt = performance.now();
  daemon = await startTestDaemon({ sockets: [join(root, "mute"), tmux.socketPath] });
  const tookMs = performance.now() - startedAt;
  expect(daemon.rows().map(({ identity }) => identity.pane_id)).toEqual(["%0"]);
  expect(tookMs).toBeLessThan(4_000);
  expect(serverOf("mute")).toMatchObject({ status: "error" });
  const paneId = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "exec cat");
  await daemon.until(paneId, () => true, 4_000);
  await until(
    () => /did not answer|has not answered|less often/.test(serverOf("mute")?.problem ?? ""),
    "it says so",
  );
});

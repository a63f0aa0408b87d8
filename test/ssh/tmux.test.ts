// A real tmux behind a real OpenSSH server: found outside of PATH, with UTF-8 whatever the far locale says, over both
// transports.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createRemoteExecutor } from "../../core/targets/executors/createRemoteExecutor.ts";
import { findTmux } from "../../core/tmux/findTmux.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createSshServer, type SshServer } from "./sshServer.ts";

let server: SshServer;
let tmux: PrivateTmux;
beforeAll(async () => {
  server = await createSshServer({ env: { LC_ALL: "POSIX", LANG: "tlh_KX", PATH: "/nowhere" } });
  tmux = createPrivateTmux();
  await tmux.newSession("größe 😀");
});
afterAll(async () => {
  await tmux.close();
  await server.close();
});

it.each(["ssh2", "openssh"] as const)("is found and listed over %s", async (transport) => {
  const executor = createRemoteExecutor({
    targetId: "vm1",
    alias: server.alias,
    env: process.env,
    logger: SILENT_LOGGER,
    controlDir: join(server.folder, "cm"),
    transport,
    configFile: server.configFile,
  });
  await executor.connect();
  const { path, version } = await findTmux({ executor, configuredPath: null, pathVariable: undefined });
  expect(version.major).toBeGreaterThan(1);
  const list = ["-S", tmux.socketPath, "list-sessions", "-F", "#{session_name}"];
  expect(await executor.run([path, "-u", ...list], { timeoutMs: 10_000 })).toMatchObject({
    exitCode: 0,
    stdout: "größe 😀\n",
  });

  await executor.close();
});

it("is found by name where a non-interactive PATH does not lead", async () => {
  const bin = join(server.remoteHome, ".local", "bin");
  mkdirSync(bin, { recursive: true });
  const real = execFileSync("sh", ["-c", "command -v tmux"], { encoding: "utf8" }).trim();
  symlinkSync(real, join(bin, "tmux-of-mine"));
  const executor = createRemoteExecutor({
    targetId: "vm1",
    alias: server.alias,
    env: process.env,
    logger: SILENT_LOGGER,
    controlDir: join(server.folder, "cm"),
    transport: "ssh2",
    configFile: server.configFile,
  });
  await executor.connect();
  expect(await executor.run(["tmux-of-mine", "-V"], { timeoutMs: 10_000 })).toMatchObject({ exitCode: 0 });
  await executor.close();
});

// Whom a connection trusts, over both transports: host keys and keys.
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openConnectionHarness, type ConnectionHarness } from "./connectionHarness.ts";
import type { SshServer } from "./sshServer.ts";

let harness: ConnectionHarness;
let server: SshServer;
let at: ConnectionHarness["at"];
let executorFor: ConnectionHarness["executorFor"];
beforeAll(async () => {
  harness = await openConnectionHarness();
  ({ server, at, executorFor } = harness);
});
afterEach(() => harness.closeExecutors());
afterAll(() => harness.close());

describe.each(["ssh2", "openssh"] as const)("a connection over %s", (transport) => {
  it("refuses a host that known_hosts does not name, and says what to run", async () => {
    await writeFile(at("empty"), "");
    const alias = await server.addHost(`unknown-${transport}`, [`UserKnownHostsFile ${at("empty")}`]);
    await expect(executorFor(alias, { transport }).connect()).rejects.toMatchObject({
      code: "E_TARGET_HOST_KEY",
      message: expect.stringContaining("is unknown"),
      remedy: expect.stringContaining(`ssh ${alias}`),
    });
    expect(readFileSync(at("empty"), "utf8")).toBe("");
    await harness.nothingIsLeft();
  });

  it("refuses a changed host key, with the name to remove", async () => {
    const other = harness.makeKey(`other-${transport}`);
    await writeFile(at("changed"), `[127.0.0.1]:${server.port} ${other}\n`);
    const alias = await server.addHost(`changed-${transport}`, [
      `UserKnownHostsFile ${at("changed")}`,
      "StrictHostKeyChecking no",
    ]);
    await expect(executorFor(alias, { transport }).connect()).rejects.toMatchObject({
      code: "E_TARGET_HOST_KEY",
      message: expect.stringContaining("CHANGED"),
      remedy: expect.stringContaining(`ssh-keygen -R "[127.0.0.1]:${server.port}" -f "${at("changed")}"`),
    });
  });

  it("refuses a revoked host key", async () => {
    await writeFile(
      at("revoked"),
      `${server.hostKeyLine}\n@revoked * ${server.hostKeyLine.split(" ").slice(1).join(" ")}\n`,
    );
    const alias = await server.addHost(`revoked-${transport}`, [`UserKnownHostsFile ${at("revoked")}`]);
    await expect(executorFor(alias, { transport }).connect()).rejects.toMatchObject({
      code: "E_TARGET_HOST_KEY",
      message: expect.stringContaining("revoked"),
    });
  });

  it("says that no key is accepted, once, without asking anything", async () => {
    harness.makeKey(`stranger-${transport}`);
    const alias = await server.addHost(`stranger-${transport}`, [
      `IdentityFile ${at(`stranger-${transport}`)}`,
    ]);
    const executor = executorFor(alias, {
      transport,
      env: { PATH: process.env["PATH"], HOME: server.folder },
    });
    await expect(executor.connect()).rejects.toMatchObject({
      code: "E_TARGET_AUTH",
      remedy: expect.stringContaining("ssh-add"),
    });
    await executor.close();
    await harness.nothingIsLeft();
  });
});

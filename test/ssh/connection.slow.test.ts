// How a connection begins, fails and ends, over both transports: dead and silent servers, and what is left afterwards.
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { until } from "../setup/realClock.ts";
import { openConnectionHarness, type ConnectionHarness } from "./connectionHarness.ts";
import { createProxy } from "./proxy.ts";
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
  it("shares one attempt among callers and can be opened again after close of the other side", async () => {
    const executor = executorFor("vm1", { transport });
    const downs: string[] = [];
    executor.onDown((error) => downs.push(error.message));
    const [first, second] = await Promise.all([executor.connect(), executor.connect()]);
    expect(second).toBe(first);
    expect(server.connectionPids()).toHaveLength(1);
    const running = executor.run(["tail", "-f", "/dev/null"], { timeoutMs: 20_000 });
    const channel = executor.openChannel(["cat"]);
    const end = new Promise<string>((done) => channel.onClose(done));
    await until(() => server.remoteProcesses().length > 3, "both run");
    for (const pid of server.sessionPids()) process.kill(pid, "SIGKILL");
    await expect(running).rejects.toMatchObject({ code: "E_TARGET_UNREACHABLE" });
    expect(await end).toBeTypeOf("string");
    await until(() => downs.length > 0, "the loss is told");
    expect(downs).toHaveLength(1);
    expect(executor.isConnected).toBe(false);
    await executor.connect();
    expect(await executor.run(["echo", "again"], { timeoutMs: 10_000 })).toMatchObject({ stdout: "again\n" });
    await executor.close();
    await harness.nothingIsLeft();
  });

  it("finds hashed names, patterns and aliases of the host key", async () => {
    await copyFile(server.knownHosts, at(`hashed-${transport}`));
    execFileSync("ssh-keygen", ["-q", "-H", "-f", at(`hashed-${transport}`)], { stdio: "ignore" });
    expect(readFileSync(at(`hashed-${transport}`), "utf8")).toMatch(/^\|1\|/);
    const key = server.hostKeyLine.split(" ").slice(1).join(" ");
    await writeFile(at("pattern"), `[127.0.0.*]:${server.port} ${key}\n`);
    await writeFile(at("aliased"), `the-name ${key}\n`);
    await writeFile(at("bare"), `127.0.0.1 ${key}\n`);
    const lines = {
      hashed: [`UserKnownHostsFile ${at(`hashed-${transport}`)}`],
      pattern: [`UserKnownHostsFile ${at("pattern")}`],
      aliased: [`UserKnownHostsFile ${at("aliased")}`, "HostKeyAlias the-name"],
      bare: [`UserKnownHostsFile ${at("bare")}`],
      global: [`UserKnownHostsFile ${at("empty")}`, `GlobalKnownHostsFile ${server.knownHosts}`],
    };
    for (const [name, own] of Object.entries(lines)) {
      const executor = executorFor(await server.addHost(`${name}-known-${transport}`, own), { transport });
      await executor.connect();
    }
  });

  it("names a refused connection, an unknown host and a server that says nothing", async () => {
    const silent = await createProxy(server.port);
    silent.stall();
    const aliases = await Promise.all([
      server.addHost(`refused-${transport}`, ["Port 1"]),
      server.addHost(`nowhere-${transport}`, ["HostName no-such-host.invalid"]),
      server.addHost(`silent-${transport}`, [`Port ${silent.port}`]),
    ]);
    const messages = await Promise.all(
      aliases.map((alias) =>
        executorFor(alias, { transport, connectTimeoutMs: 3_000 })
          .connect()
          .then(
            () => "connected",
            (error: Error & { code: string }) => `${error.code} ${error.message}`,
          ),
      ),
    );
    expect(messages).toEqual([
      expect.stringMatching(/^E_TARGET_UNREACHABLE .*the connection was refused/),
      expect.stringMatching(/^E_TARGET_UNREACHABLE .*(cannot be resolved|does not answer)/),
      expect.stringMatching(/^E_TARGET_UNREACHABLE .*(does not answer|no connection within)/),
    ]);
    await silent.close();
  });

  it("notices a server that falls silent, and closes at once all the same", async () => {
    const { proxy, alias } = await harness.behindProxy(`stalls-${transport}`);
    const executor = executorFor(alias, { transport, keepAliveMs: 3_000 });
    const down = new Promise<Error>((done) => executor.onDown(done));
    await executor.connect();
    proxy.stall();
    const asked = executor.run(["true"], { timeoutMs: 500 });
    expect(await asked).toMatchObject({ timedOut: true });
    expect(await down).toMatchObject({ code: "E_TARGET_UNREACHABLE" });
    await executor.close();
    await proxy.close();
    await harness.nothingIsLeft();
  });

  it("tells a connection that was cut, and leaves nothing on either side", async () => {
    const { proxy, alias } = await harness.behindProxy(`cut-${transport}`);
    const executor = executorFor(alias, { transport });
    const down = new Promise<Error>((done) => executor.onDown(done));
    await executor.connect();
    const hanging = executor.run(["tail", "-f", "/dev/null"], { timeoutMs: 20_000 });
    executor.openChannel(["cat"]);
    await until(() => server.remoteProcesses().length > 3, "both run");
    proxy.cut();
    await expect(hanging).rejects.toMatchObject({ code: "E_TARGET_UNREACHABLE" });
    expect(await down).toMatchObject({ code: "E_TARGET_UNREACHABLE" });
    await executor.close();
    await proxy.close();
    await harness.nothingIsLeft();
  });

  it("does not put half a file in place when the connection is cut while it is written", async () => {
    const { proxy, alias } = await harness.behindProxy(`half-${transport}`);
    const executor = executorFor(alias, { transport });
    await executor.connect();
    const folder = at(`half-${transport}`);
    await mkdir(folder);
    await writeFile(join(folder, "settings"), "old");
    proxy.setDelay(20);
    const write = executor.files.writeText(join(folder, "settings"), "new".repeat(2_000_000));
    const failed = expect(write).rejects.toThrow();
    await until(() => readdirSync(folder).length > 1, "the temporary file is there");
    proxy.cut();
    await failed;
    await until(() => readdirSync(folder).length === 1, "the temporary file is gone");
    expect(readFileSync(join(folder, "settings"), "utf8")).toBe("old");
    await executor.close();
    await proxy.close();
    await rm(folder, { recursive: true });
  });

  it("survives connections that come and go, without a leftover", async () => {
    const executor = executorFor("vm1", { transport });
    for (let round = 0; round < 6; round++) {
      await executor.connect();
      const lost = new Promise((done) => executor.onDown(done));
      executor.openChannel(["cat"]);
      for (const pid of server.sessionPids()) process.kill(pid, "SIGKILL");
      await lost;
    }
    await executor.close();
    await harness.nothingIsLeft();
  });
});

describe.each(["ssh2", "openssh"] as const)(
  "a process that is killed while connected over %s",
  (transport) => {
    it("leaves no ssh here and no program there", async () => {
      const controlDir = at(`killed-${transport}`);
      const script = join(import.meta.dirname, "fixtures", "holdScript.ts");
      const holder = spawn(process.execPath, [script, transport, "vm1", server.configFile, controlDir], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const gone = new Promise((done) => holder.once("exit", done));
      await new Promise((up) => holder.stdout.once("data", up));
      await until(() => server.remoteProcesses().length > 3, "both programs run");
      holder.kill("SIGKILL");
      await gone;
      await harness.nothingIsLeft();
      const ours = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
      expect(ours.split("\n").filter((line) => line.includes(controlDir))).toEqual([]);
    });
  },
);

describe("the control socket", () => {
  it("is elsewhere when its folder's path is too long", async () => {
    const controlDir = join(server.folder, "x".repeat(100));
    const executor = executorFor("vm1", { transport: "openssh", controlDir });
    await executor.connect();
    expect(await executor.run(["echo", "ok"], { timeoutMs: 10_000 })).toMatchObject({ stdout: "ok\n" });
    await executor.close();
    await harness.nothingIsLeft();
  });
});

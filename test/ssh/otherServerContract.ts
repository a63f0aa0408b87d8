// What an SSH server may do that OpenSSH's does not: refuse channels, break off, speak no common algorithm, write without
// end, or stop answering. The server is the ssh2 library's own; each transport meets it (`protocol.test.ts` and its slow one).
import { generateKeyPairSync } from "node:crypto";
import { createServer as createTcpServer } from "node:net";
import { mkdtempSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ssh2, { type Connection, type ServerChannel } from "ssh2";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import {
  type TransportName,
  createRemoteExecutor,
  resolveTarget,
} from "../../core/targets/executors/createRemoteExecutor.ts";
import { createOpenSshTransport } from "../../core/targets/executors/openSshTransport.ts";
import { createSsh2Transport } from "../../core/targets/executors/ssh2Transport.ts";
import type { SshTransport } from "../../core/targets/sshTransport.ts";

const { Server, utils } = ssh2;

let folder: string;
let closers: (() => unknown)[];

interface FakeServer {
  /** What to do with a session's command. */
  onExec?: (accept: () => ServerChannel, reject: () => void, connection: Connection) => void;
  acceptsKeys?: boolean;
  acceptsSessions?: boolean;
  kex?: "curve25519-sha256" | "diffie-hellman-group1-sha1";
}

const makeRsaKey = () =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "pkcs1", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });

/** RSA host key: both ends know it in PEM. */
const HOST_KEY = makeRsaKey();

/** Starts it and gives the configuration file of an alias `fake`. */
const startServer = async (
  fake: FakeServer,
): Promise<{ configFile: string; connections: Set<Connection> }> => {
  const connections = new Set<Connection>();
  const server = new Server(
    { hostKeys: [HOST_KEY.privateKey], algorithms: { kex: [fake.kex ?? "curve25519-sha256"] } },
    (connection) => {
      connections.add(connection);
      connection.on("error", () => {});
      connection.on("close", () => connections.delete(connection));
      connection.on("authentication", (context) => {
        if (fake.acceptsKeys !== false && context.method === "publickey") context.accept();
        else context.reject(["publickey"]);
      });
      connection.on("session", (accept, reject) => {
        if (fake.acceptsSessions === false) {
          reject();
          return;
        }
        accept().on("exec", (acceptExec, rejectExec) => fake.onExec?.(acceptExec, rejectExec, connection));
      });
    },
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  closers.push(() => {
    for (const connection of connections) connection.end();
    return new Promise<void>((done) => server.close(() => done()));
  });
  const { port } = server.address() as { port: number };
  return { configFile: await writeConfig(port), connections };
};

const writeConfig = async (port: number): Promise<string> => {
  const key = utils.parseKey(HOST_KEY.privateKey);
  if (key instanceof Error) throw key;
  const user = makeRsaKey();
  const at = (name: string): string => join(folder, name);
  await writeFile(at("user_key"), user.privateKey, { mode: 0o600 });
  const known = key.getPublicSSH().toString("base64");
  await writeFile(at("known_hosts"), `[127.0.0.1]:${port} ssh-rsa ${known}\n`);
  const lines = [
    "Host fake",
    "HostName 127.0.0.1",
    `Port ${port}`,
    "User someone",
    `IdentityFile ${at("user_key")}`,
    "IdentitiesOnly yes",
    `UserKnownHostsFile ${at("known_hosts")}`,
    "GlobalKnownHostsFile /dev/null",
  ];
  await writeFile(at("config"), `${lines.join("\n")}\n`);
  return at("config");
};

const transportFor = async (name: TransportName, configFile: string): Promise<SshTransport> => {
  const env = { PATH: process.env["PATH"], HOME: folder };
  const controlDir = join(folder, "cm");
  await mkdir(controlDir);
  const transport =
    name === "openssh"
      ? createOpenSshTransport({ alias: "fake", env, controlDir, configFile, keepAliveMs: 3_000 })
      : createSsh2Transport({
          alias: "fake",
          plan: await resolveTarget({ alias: "fake", env, configFile, transport: null }),
          keepAliveMs: 3_000,
        });
  closers.push(() => transport.disconnect());
  return transport;
};

/** The same, connected. */
const connectedFor = async (name: TransportName, configFile: string): Promise<SshTransport> => {
  const transport = await transportFor(name, configFile);
  await transport.connect(10_000);
  return transport;
};
/** The end of a command whose output nobody reads. */
const endOf = async (transport: SshTransport) => {
  const { ended, stdout, stderr } = await transport.open("true");
  stdout.resume();
  stderr.resume();
  return ended;
};

export const describeOtherServer = (name: TransportName): void => {
  describe(`${name} and a server of another kind`, () => {
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "agtmux-proto-"));
      closers = [];
    });
    afterEach(async () => {
      for (const close of closers.toReversed()) await close();
      await rm(folder, { recursive: true, force: true });
    });

    it("reports refused keys", async () => {
      const { configFile } = await startServer({ acceptsKeys: false });
      const transport = await transportFor(name, configFile);
      await expect(transport.connect(10_000)).rejects.toMatchObject({ code: "E_TARGET_AUTH" });
    });

    it("reports that there is no common algorithm", async () => {
      const { configFile } = await startServer({ kex: "diffie-hellman-group1-sha1" });
      const transport = await transportFor(name, configFile);
      await expect(transport.connect(10_000)).rejects.toMatchObject({
        code: "E_TARGET_UNREACHABLE",
        message: expect.stringContaining("no common algorithm"),
      });
    });

    it("reports a server that is none of SSH", async () => {
      const server = createTcpServer((socket) => {
        socket.on("error", () => {});
        socket.resume();
        socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      closers.push(() => new Promise<void>((done) => server.close(() => done())));
      const configFile = await writeConfig((server.address() as { port: number }).port);
      const transport = await transportFor(name, configFile);
      await expect(transport.connect(10_000)).rejects.toMatchObject({ code: "E_TARGET_UNREACHABLE" });
    });

    it("ends a channel that the server refuses, and keeps the connection", async () => {
      const { configFile, connections } = await startServer({ acceptsSessions: false });
      const transport = await connectedFor(name, configFile);
      const outcome: unknown = await endOf(transport).catch((error: unknown) => error);
      expect(outcome).toSatisfy((found) => found instanceof Error || found !== null);
      if (!(outcome instanceof Error)) expect(outcome).toMatchObject({ exitCode: null });
      expect(connections.size).toBe(1);
    });

    it("tells a server that breaks off in the middle of a command", async () => {
      const { configFile } = await startServer({
        onExec: (accept, _reject, connection) => {
          accept().write("half of it");
          connection.end();
        },
      });
      const transport = await transportFor(name, configFile);
      const down = new Promise((done) => transport.onDown(done));
      await transport.connect(10_000);
      expect(await endOf(transport)).toMatchObject({ exitCode: null });
      expect(await down).toMatchObject({ code: "E_TARGET_UNREACHABLE" });
    });

    it("tells the exit status, and a signal as none", async () => {
      let execs = 0;
      const { configFile } = await startServer({
        onExec: (accept) => {
          const stream = accept();
          execs += 1;
          if (execs === 1) stream.exit(7);
          else stream.exit("KILL", false, "");
          stream.end();
        },
      });
      const transport = await connectedFor(name, configFile);
      for (const exitCode of [7, null]) {
        expect(await endOf(transport)).toMatchObject({ exitCode });
      }
    });

    it("does not wait for ever for a channel that the server never closes", async () => {
      const { configFile } = await startServer({
        onExec: (accept) => {
          accept().write("no end");
        },
      });
      const transport = await connectedFor(name, configFile);
      const { ended, stdout, destroy } = await transport.open("true");
      await new Promise((done) => stdout.once("data", done));
      destroy();
      expect(await ended).toMatchObject({ exitCode: null });
      await transport.disconnect();
    });

    it("gives up on a login shell that starts no sh", async () => {
      const { configFile, connections } = await startServer({
        onExec: (accept) => {
          const stream = accept();
          stream.stderr.write("This account is currently not available.\n");
          stream.exit(1);
          stream.end();
        },
      });
      const executor = createRemoteExecutor({
        targetId: "fake",
        alias: "fake",
        env: { PATH: process.env["PATH"], HOME: folder },
        logger: SILENT_LOGGER,
        controlDir: join(folder, "cm"),
        transport: name,
        configFile,
        connectTimeoutMs: 10_000,
      });
      await expect(executor.connect()).rejects.toMatchObject({
        code: "E_TARGET_UNREACHABLE",
        message: expect.stringContaining("not available"),
      });
      await executor.close();
      await expect.poll(() => connections.size).toBe(0);
    });
  });
};

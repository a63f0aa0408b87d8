// A password in the address of a target is taken from nowhere: neither from the command line nor from config.json, and no
// refusal repeats it. What a connection says of why it failed is kept without secrets.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LogFile, openLogFile } from "../../core/daemon/logFile.ts";
import { type CommandLine, openCommandLine, serveDaemon } from "../harness/commandLine.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { until } from "../setup/realClock.ts";
import { findSecrets, readAll } from "./secretsHarness.ts";

const PASSWORD = "hunter2-correct-horse-battery";
const SECRET = { kind: "the password", value: PASSWORD, line: PASSWORD };
const ADDRESSES = [
  `me:${PASSWORD}@host.example`,
  `ssh://me:${PASSWORD}@host.example`,
  `ssh://me:${PASSWORD}@host.example:2222`,
  `ssh://me%3A${PASSWORD}@host.example`,
  `me:${PASSWORD}@host@host.example`,
  `:${PASSWORD}@host.example`,
  `me:$${PASSWORD}@host.example`,
  `me:${PASSWORD} x@host.example`,
  `me:${PASSWORD}${"x".repeat(300)}@host.example`,
];

let root: string;
let log: LogFile;
let daemon: TestDaemon;
let line: CommandLine;
let stopServing: () => Promise<void>;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-pw-"));
  log = await openLogFile({ path: join(root, "log"), level: "debug", maxBytes: 10_000_000 });
  daemon = await startTestDaemon({ sockets: [join(root, "none")], logger: log.logger });
  stopServing = await serveDaemon(daemon);
  line = openCommandLine(daemon.paths.home);
});
afterAll(async () => {
  await line.close();
  await stopServing();
  await daemon.close();
  rmSync(root, { recursive: true, force: true });
});

/** Everything that is kept, but for what a person wrote. */
const found = (except: readonly string[] = []): string[] => {
  log.flush();
  return findSecrets(new Map([...readAll(daemon.paths.home, except), ...readAll(root)]), [SECRET]);
};
const readLog = (): string => {
  log.flush();
  return readFileSync(join(root, "log"), "utf8");
};
const listed = (): string => JSON.stringify(daemon.daemon.service.targets());

it.each(ADDRESSES)("target add refuses %s without a word of it", async (address) => {
  const { code, stdout, stderr } = await line.run([
    "target",
    "add",
    "vm1",
    "--no-wait",
    "--ssh-target",
    address,
  ]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/password/);
  expect(stderr).toMatch(/user@host/);
  expect(stderr).not.toContain(PASSWORD);
  const asked = daemon.daemon.service.targetAdd({ name: "vm1", sshTarget: address });
  await expect(asked).rejects.toThrow(/password/);
  await asked.catch((error: unknown) => expect(inspect(error)).not.toContain(PASSWORD));
  expect(listed()).not.toContain("vm1");
  expect(found()).toEqual([]);
});

it("a name that is one is refused without a word of it as well", async () => {
  const { code, stdout, stderr } = await line.run(["target", "add", ADDRESSES[0] ?? ""]);
  expect(code).toBe(2);
  expect(stdout + stderr).not.toContain(PASSWORD);
  const set = await line.run(["target", "set", ADDRESSES[0] ?? "", "--transport", "ssh2"]);
  expect(set.code).not.toBe(0);
  expect(set.stdout + set.stderr).not.toContain(PASSWORD);
  expect(found()).toEqual([]);
});

it.each(ADDRESSES.slice(0, 2))(
  "config.json with %s is not in force, and says why without it",
  async (address) => {
    const targets = [
      { name: "good", ssh_target: "host.invalid", enabled: false },
      { name: "vm1", ssh_target: address },
    ];
    await daemon.configure({ targets });
    await until(() => readLog().includes("config.json is not valid"), "the log says why");
    expect(listed()).not.toContain("vm1");
    expect(listed()).not.toContain(PASSWORD);
    const added = await line.run(["target", "add", "other", "--no-wait"]);
    expect(added.stderr).toMatch(/targets\.1\.ssh_target.*password/);
    expect(added.stderr).not.toContain(PASSWORD);
    const doctor = await line.run(["doctor", "--json"]);
    expect(doctor.stdout + doctor.stderr).not.toContain(PASSWORD);
    expect(found(["config.json"])).toEqual([]);
  },
);

it("an address without a password is still one", async () => {
  const addresses = ["me@host.invalid", "host.invalid", "ssh://me@host.invalid:2222", "me@fe80::1"];
  const targets = addresses.map((address, index) => ({
    name: `vm${index}`,
    ssh_target: address,
    enabled: false,
  }));
  await daemon.configure({ targets });
  for (const address of addresses) expect(listed()).toContain(`"${address}"`);
});

// `agtmux doctor` as a person runs it: the real command line, a daemon of its own and real tmux, whole and with one link of
// the chain broken after the other.
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { doctorReportSchema, type DoctorReport, type Finding } from "../../core/model/doctor.ts";
import { runtimePaths, type RuntimePaths } from "../../core/rpc/paths.ts";
import { spawnDaemon, type DaemonProcess } from "../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

let root: string;
let paths: RuntimePaths;
let env: Record<string, string>;

const makeHome = (): void => {
  root = mkdtempSync(join(tmpdir(), "agtmux-doc-"));
  paths = runtimePaths(join(root, "a"));
  mkdirSync(join(root, "home"));
  mkdirSync(join(root, "bin"));
  symlinkSync(join(ROOT, "bin", "agtmux"), join(root, "bin", "agtmux"));
  env = {
    HOME: join(root, "home"),
    PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
    AGTMUX_HOME: paths.home,
    AGTMUX_NO_START: "1",
    TMUX_TMPDIR: root,
  };
};

const run = (args: readonly string[], extra: Record<string, string> = {}): Promise<Ran> =>
  new Promise((resolve) => {
    const { NO_COLOR: _no, FORCE_COLOR: _force, ...outer } = process.env;
    execFile(
      process.execPath,
      [CLI_ENTRY, ...args],
      { env: { ...outer, ...env, ...extra } },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });

const examine = async (
  args: readonly string[] = [],
  extra: Record<string, string> = {},
): Promise<{ code: number; report: DoctorReport }> => {
  const { code, stdout } = await run(["doctor", "--json", ...args], extra);
  return { code, report: doctorReportSchema.parse(JSON.parse(stdout)) };
};
const find = ({ report }: { report: DoctorReport }, check: string, status: string): Finding | undefined =>
  report.findings.find((finding) => finding.check === check && finding.status === status);

describe("with a daemon", () => {
  let tmux: PrivateTmux;
  let daemon: DaemonProcess;
  beforeAll(async () => {
    makeHome();
    tmux = createPrivateTmux();
    await tmux.newSession("work");
    env = { ...env, AGTMUX_TMUX_SOCKETS: tmux.socketPath };
    daemon = await spawnDaemon({ home: paths.home, env });
  });
  afterAll(async () => {
    await daemon.stop();
    await tmux.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  it("finds no problem where there is none, and looks at every link", async () => {
    const found = await examine();
    // How full the disk is, is not the test's to say.
    const wrong = found.report.findings.filter(
      ({ status, check }) => check !== "home.disk" && (status === "problem" || status === "warning"),
    );
    expect([found.code, wrong]).toEqual([0, []]);
    const checks = found.report.findings.map(({ check }) => check);
    expect(checks).toEqual(
      expect.arrayContaining(
        ["client.node", "client.path", "home.folder", "home.socket", "home.config", "home.database"].concat(
          ["home.spool", "home.disk", "home.log", "daemon.running", "daemon.version", "daemon.notifications"],
          ["target.health", "target.tmux", "target.processes", "target.clock", "target.delivery"],
          ["server.watch", "server.keys", "agent.integration", "agent.verified"],
        ),
      ),
    );
    expect(find(found, "target.delivery", "ok")?.evidence).toMatch(/^a test event arrived after \d+ ms$/);
    expect(find(found, "server.keys", "ok")).toMatchObject({ target: "host", tmux_server: "sock" });
    const { ok, warning, problem, skipped } = found.report.summary;
    expect(ok + warning + problem + skipped).toBe(checks.length);
  });

  it("types nothing and leaves no event behind", async () => {
    const before = await tmux.run("capture-pane", "-p", "-t", "work");
    await examine();
    expect(await tmux.run("capture-pane", "-p", "-t", "work")).toBe(before);
    expect([readdirSync(paths.spoolNew), readdirSync(paths.spoolBad)]).toEqual([[], []]);
    expect(readdirSync(join(root, "home"))).toEqual([]);
  });

  it("is a readable list for a person, without colours into a pipe", async () => {
    const { code, stdout } = await run(["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toContain("✓ ok       Events travel from the hook to the daemon.");
    expect(stdout).toMatch(/No hooks and in no pane: .*gjc \(unverified\)/);
    expect(stdout).toMatch(/\n0 problems, 0 warnings, \d+ ok, \d+ skipped\n$/);
    expect(stdout).not.toContain("\u001b");
  });

  it("takes one target, and refuses one that is not known", async () => {
    const { report } = await examine(["--target", "host"]);
    expect(report.filters).toEqual({ target: "host" });
    const { code, stderr } = await run(["doctor", "--target", "nowhere"]);
    expect([code, stderr]).toEqual([
      18,
      "agtmux: there is no machine 'nowhere' [E_TARGET_UNKNOWN]. Known machines: host.\n",
    ]);
  });

  it("tells a warning from a problem, and --strict makes them one", async () => {
    chmodSync(paths.home, 0o755);
    const [plain, strict] = [await examine(), await examine(["--strict"])];
    chmodSync(paths.home, 0o700);
    expect(find(plain, "home.folder", "warning")?.remedy).toBe(`Run 'chmod 700 ${paths.home}'.`);
    expect([plain.code, strict.code]).toEqual([0, 1]);
  });

  it("notices a socket that others may use", async () => {
    chmodSync(paths.socket, 0o666);
    const found = await examine();
    chmodSync(paths.socket, 0o600);
    expect(found.code).toBe(1);
    expect(find(found, "home.socket", "problem")).toMatchObject({
      evidence: expect.stringContaining("mode 0666"),
      remedy: `Run 'chmod 600 ${paths.socket}'.`,
    });
  });

  it("names the line of config.json that is wrong", async () => {
    writeFileSync(paths.config, '{\n  "retention": {\n    "max_age_days": "two"\n  }\n}\n');
    const found = await examine();
    rmSync(paths.config);
    expect(found.code).toBe(1);
    expect(find(found, "home.config", "problem")?.evidence).toContain(
      "config.json:3: retention.max_age_days:",
    );
  });

  it("names the line of an adapter file that is wrong", async () => {
    mkdirSync(paths.adaptersDir, { recursive: true });
    writeFileSync(join(paths.adaptersDir, "mine.json"), '{\n  "agent_type": 3\n}\n');
    let found = await examine();
    await until(async () => {
      found = await examine();
      return find(found, "daemon.adapters", "problem") !== undefined;
    }, "the file is reported");
    rmSync(join(paths.adaptersDir, "mine.json"));
    expect(found.code).toBe(1);
    expect(find(found, "daemon.adapters", "problem")?.evidence).toContain("mine.json:2: agent_type:");
  });

  it("notices files in the spool that are no events", async () => {
    for (let index = 0; index < 120; index++) writeFileSync(join(paths.spoolNew, `bad-${index}`), "no event");
    await until(() => readdirSync(paths.spoolNew).length === 0, "the daemon put them aside");
    const found = await examine();
    rmSync(paths.spoolBad, { recursive: true });
    mkdirSync(paths.spoolBad);
    expect(found.code).toBe(0);
    expect(find(found, "home.spool", "warning")).toMatchObject({
      summary: expect.stringMatching(/^\d+ files in the spool weren't valid events/),
      remedy: expect.stringContaining(paths.spoolBad),
    });
  });

  it("notices that a shell finds another agtmux, or none", async () => {
    const other = join(root, "other");
    mkdirSync(other);
    writeFileSync(join(other, "agtmux"), "#!/bin/sh\n", { mode: 0o755 });
    const another = await examine([], { PATH: `${other}:${env["PATH"] ?? ""}` });
    const none = await examine([], { PATH: other.replace("other", "nothing") });
    expect(find(another, "client.path", "warning")?.evidence).toContain(join(other, "agtmux"));
    expect(find(none, "client.path", "warning")?.remedy).toContain("ln -s");
  });
});

describe("without", () => {
  beforeAll(makeHome);
  afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

  it("a daemon it says so, and checks what it can without making anything", async () => {
    const found = await examine();
    expect(found.code).toBe(1);
    expect(find(found, "daemon.running", "problem")?.remedy).toContain("agtmux daemon run");
    expect(find(found, "client.node", "ok")).toBeDefined();
    expect(find(found, "home.database", "skipped")).toBeDefined();
    expect(readdirSync(root)).not.toContain("a");
  });

  it("a readable database it names the file, and what became of it once a daemon starts", async () => {
    rmSync(paths.home, { recursive: true, force: true });
    mkdirSync(paths.home, { mode: 0o700 });
    writeFileSync(paths.stateDb, "not a database at all".repeat(100));
    const found = await examine();
    expect(found.code).toBe(1);
    expect(find(found, "home.database", "problem")).toMatchObject({
      evidence: expect.stringContaining("file is not a database"),
      remedy: expect.stringContaining("Start the daemon"),
    });
    const daemon = await spawnDaemon({ home: paths.home, env });
    const rebuilt = await examine();
    await daemon.stop();
    expect(find(rebuilt, "home.database", "ok")).toBeDefined();
    expect(find(rebuilt, "daemon.history", "warning")?.evidence).toContain(`${paths.stateDb}.damaged-`);
  });

  it("tmux it still looks at everything else", async () => {
    rmSync(paths.home, { recursive: true, force: true });
    mkdirSync(paths.home, { mode: 0o700 });
    writeFileSync(paths.config, '{"tmux_path": "/nonexistent/tmux"}');
    const daemon = await spawnDaemon({ home: paths.home, env });
    const found = await examine();
    await daemon.stop();
    expect(found.code).toBe(1);
    expect(find(found, "target.tmux", "problem")).toMatchObject({
      evidence: "tried /nonexistent/tmux",
      remedy: expect.stringContaining("Install tmux"),
    });
    expect(find(found, "target.health", "problem")).toBeDefined();
    expect(find(found, "target.delivery", "ok")).toBeDefined();
  });

  it("a home whose socket could have a name it says how long that may be", async () => {
    const found = await examine([], { AGTMUX_HOME: join(root, "x".repeat(120)) });
    expect(found.code).toBe(1);
    expect(find(found, "home.path", "problem")?.evidence).toContain("more than the 100");
  });
});

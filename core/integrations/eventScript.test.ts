import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { until } from "../../test/setup/realClock.ts";

const SOURCE = join(import.meta.dirname, "../../resources/hooks/agtmux-event");
const SHELLS = ["dash", "bash", "bash --posix", "busybox sh"].flatMap((name): [string, string[]][] => {
  const [program = "", ...flags] = name.split(" ");
  const found = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" });
  return found.status === 0 ? [[name, [found.stdout.trim(), ...flags]]] : [];
});

let home: string;
let script: string;
const newDir = (): string => join(home, "spool", "new");
const dropped = (): string[] => readdirSync(newDir()).toSorted();
const onlyFile = (): string => {
  expect(dropped()).toHaveLength(1);
  return readFileSync(join(newDir(), dropped()[0] ?? ""), "utf8");
};

beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), "agtmux hook ")), "-é home");
  for (const folder of ["bin", "spool/tmp", "spool/new"]) mkdirSync(join(home, folder), { recursive: true });
  script = join(home, "bin", "agtmux-event");
  copyFileSync(SOURCE, script);
  chmodSync(script, 0o755);
});

describe.each(SHELLS)("agtmux-event under %s", (shellName, shell) => {
  const run = (options: { args?: string[]; input?: string | Buffer; env?: Record<string, string> } = {}) => {
    const [program = "", ...flags] = shell;
    const result = spawnSync(program, [...flags, script, ...(options.args ?? ["claude", "Stop"])], {
      input: options.input ?? "",
      env: { PATH: process.env["PATH"], ...options.env },
      timeout: 20_000,
    });
    // Whatever happens, the agent must not notice.
    expect([result.status, result.stdout.toString(), result.stderr.toString()]).toEqual([0, "", ""]);
  };

  /** The script in the middle of reading an event. */
  const startHalf = async (event: string, half: string) => {
    const [program = "", ...flags] = shell;
    const child = spawn(program, [...flags, script, "claude", event], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    const gone = new Promise((done) => child.once("exit", done));
    child.stdin.write(half);
    const temp = join(home, "spool", "tmp");
    await until(
      () => readdirSync(temp).some((name) => statSync(join(temp, name)).size > 60),
      "half an event",
    );
    return { child, gone, signal: (name: NodeJS.Signals) => process.kill(-(child.pid ?? 0), name) };
  };

  it("drops the fields and the payload untouched, for the owner only", () => {
    const payload = Buffer.from([...Buffer.from('{"a": "\\n é"}\n\n'), 0, 0xff, 0x0a]);
    run({ input: payload, env: { TMUX: "/tmp/ü/default,77,0", TMUX_PANE: "%5" } });
    const [file = ""] = dropped();
    const bytes = readFileSync(join(newDir(), file));
    const head = `agtmux-event 1\nagent=claude\nevent=Stop\ntmux=/tmp/ü/default,77,0\npane=%5\nppid=${process.pid}\n\n`;
    expect(bytes).toEqual(Buffer.concat([Buffer.from(head), payload]));
    expect(statSync(join(newDir(), file)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, "spool", "tmp"))).toEqual([]);
  });

  it("writes empty fields outside tmux and without an event name", () => {
    run({ args: ["codex"] });
    expect(onlyFile()).toBe(`agtmux-event 1\nagent=codex\nevent=\ntmux=\npane=\nppid=${process.pid}\n\n`);
  });

  it("leaves out values that could forge a line, and expands none", () => {
    run({
      args: ["claude", "$(id)`id` %s \\n"],
      env: { TMUX: "/tmp/x,1,0\npane=%9", TMUX_PANE: "%1\u001b" },
    });
    expect(onlyFile()).toBe(
      `agtmux-event 1\nagent=claude\nevent=$(id)\`id\` %s \\n\ntmux=\npane=\nppid=${process.pid}\n\n`,
    );
  });

  it("delivers with stdin closed", () => {
    const command = '"$@" <&-';
    const result = spawnSync("sh", ["-c", command, "sh", ...shell, script, "claude", "Stop"], {
      encoding: "utf8",
    });
    expect([result.status, result.stdout, result.stderr]).toEqual([0, "", ""]);
    expect(onlyFile()).toContain("event=Stop\n");
  });

  it("says nothing when the spool is missing", () => {
    rmSync(join(home, "spool"), { recursive: true });
    run();
    expect(existsSync(join(home, "spool"))).toBe(false);
  });

  it("says nothing when it cannot write", () => {
    // A file in the place of the folder stops root as well, whom modes do not stop.
    rmSync(join(home, "spool", "tmp"), { recursive: true });
    writeFileSync(join(home, "spool", "tmp"), "");
    run({ input: "x".repeat(100_000) });
    expect(dropped()).toEqual([]);
  });

  it("delivers nothing rather than half of an event when the disk is full", () => {
    const full = join(home, "full");
    mkdirSync(full);
    const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", full]).status === 0;
    try {
      if (!isMounted) return;
      for (const folder of ["bin", "spool/tmp", "spool/new"])
        mkdirSync(join(full, folder), { recursive: true });
      script = join(full, "bin", "agtmux-event");
      copyFileSync(SOURCE, script);
      run({ input: "x".repeat(200_000) });
      expect(readdirSync(join(full, "spool", "new"))).toEqual([]);
      run({ input: "small" });
      expect(readdirSync(join(full, "spool", "new"))).toHaveLength(1);
    } finally {
      if (isMounted) execFileSync("umount", [full]);
    }
  });

  it("never takes a name that is used, in new or in tmp", () => {
    const [program = "", ...flags] = shell;
    // The pid of the hook is that of this shell, which the exec keeps.
    const inner =
      'p=0000000$$; p=${p#"${p%???????}"}; echo one >"$D/new/$p-0"; echo half >"$D/tmp/$p-1"; exec "$@" claude Stop';
    spawnSync("sh", ["-c", inner, "sh", program, ...flags, script], {
      env: { ...process.env, D: join(home, "spool") },
      input: "{}",
    });
    const names = dropped();
    expect(names.map((name) => name.slice(-2))).toEqual(["-0", "-2"]);
    expect(readFileSync(join(newDir(), names[0] ?? ""), "utf8")).toBe("one\n");
    expect(readdirSync(join(home, "spool", "tmp")).map((name) => name.slice(-2))).toEqual(["-1"]);
  });

  it("leaves what is killed half-way in tmp", async () => {
    const { gone, signal } = await startHalf("Stop", "the first half");
    signal("SIGKILL");
    await gone;
    expect([dropped(), readdirSync(join(home, "spool", "tmp")).length]).toEqual([[], 1]);
  });

  it("survives the hang-up of its terminal", async () => {
    const { child, gone, signal } = await startHalf("SessionEnd", "{");
    signal("SIGHUP");
    child.stdin.end("}");
    await gone;
    expect(onlyFile()).toMatch(/event=SessionEnd\n[^]*\{\}$/);
  });

  it("finds only cat and mv on PATH and needs no other program", () => {
    const log = join(home, "programs");
    mkdirSync(join(home, "path"));
    for (const name of ["cat", "mv"])
      writeFileSync(
        join(home, "path", name),
        `#!/bin/sh\necho ${name} >>'${log}'\nexec /bin/${name} "$@"\n`,
        {
          mode: 0o755,
        },
      );
    run({ input: "{}", env: { PATH: join(home, "path") } });
    // Busybox runs its own applets without looking at PATH.
    if (!shellName.startsWith("busybox")) expect(readFileSync(log, "utf8")).toBe("cat\nmv\n");
    expect(dropped()).toHaveLength(1);
  });
});

describe("names", () => {
  it("sort in the order of the events of one agent", () => {
    for (let index = 0; index < 20; index++)
      execFileSync(script, ["pi", `e${String(index).padStart(2, "0")}`], { input: "" });
    const inOrder = dropped().map(
      (file) => /event=(\w+)/.exec(readFileSync(join(newDir(), file), "utf8"))?.[1] ?? "",
    );
    expect(inOrder.join()).toBe(inOrder.toSorted().join());
  });
});

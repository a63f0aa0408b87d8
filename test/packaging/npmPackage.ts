// A machine on which a person installs agtmux with npm: a home, a prefix and a tmux server of its own, Node 24 and npm on the
// path, and no registry. Whatever npm would start to compile something is a stand-in that leaves a mark.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { isBuilt, ROOT } from "./packageApp.ts";

const execFileAsync = promisify(execFile);
const COMPILERS = ["cc", "gcc", "g++", "c++", "make", "node-gyp", "python3"];
/** Nothing listens there: an installation that asks a registry fails. */
const NO_REGISTRY = "http://127.0.0.1:9/";

/** Path of the package of what is built. */
export const packForNpm = async (output: string): Promise<string> => {
  if (!isBuilt()) throw new Error("dist/ is missing or older than the sources: run 'npm run build' first");
  const script = join(ROOT, "scripts", "pack.mjs");
  const { stdout } = await execFileAsync(process.execPath, [script, "--no-build", "--output", output]);
  return stdout.trim();
};

/** The same package under another version, as the next release would be. */
export const repackAs = async (file: string, version: string): Promise<string> => {
  const folder = mkdtempSync(join(dirname(file), "repack-"));
  await execFileAsync("tar", ["-xzf", file, "-C", folder]);
  const manifest = join(folder, "package", "package.json");
  const content = JSON.parse(readFileSync(manifest, "utf8")) as object;
  writeFileSync(manifest, JSON.stringify({ ...content, version }));
  const made = join(dirname(file), `agtmux-${version}.tgz`);
  await execFileAsync("tar", ["-czf", made, "-C", folder, "package"]);
  return made;
};

export const openMachine = () => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-m-"));
  const [home, prefix, stubs, mark] = ["home", "prefix", "stubs", "compiled"].map((name) =>
    join(root, name),
  ) as [string, string, string, string];
  for (const folder of [home, prefix, stubs]) mkdirSync(folder);
  for (const name of COMPILERS) {
    writeFileSync(join(stubs, name), `#!/bin/sh\necho ${name} >>'${mark}'\nexit 1\n`);
    chmodSync(join(stubs, name), 0o755);
  }
  const tmux = createPrivateTmux();
  const systemPath = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((one) => !one.includes("node_modules"));
  const env = {
    HOME: home,
    // Where it is without being told, but a test's own environment names another one.
    AGTMUX_HOME: join(home, ".agtmux"),
    PATH: [stubs, join(prefix, "bin"), dirname(process.execPath), ...systemPath].join(delimiter),
    AGTMUX_TMUX_SOCKETS: tmux.socketPath,
    LC_ALL: "C.UTF-8",
    npm_config_registry: NO_REGISTRY,
    npm_config_update_notifier: "false",
  };
  const run = async (file: string, args: readonly string[]): Promise<string> =>
    (await execFileAsync(file, args, { env, cwd: home, maxBuffer: 1 << 24 })).stdout;
  return {
    home,
    prefix,
    tmux,
    /** What every program on it sees. */
    env,
    /** `npm …` on this prefix. */
    npm: (...args: readonly string[]): Promise<string> =>
      run("npm", ["--global", "--prefix", prefix, ...args]),
    /** The installed command; gives what it printed, and fails when it ends with another status than 0. */
    agtmux: (...args: readonly string[]): Promise<string> => run(join(prefix, "bin", "agtmux"), args),
    /** What was started to compile something. */
    compiled: (): string[] => (existsSync(mark) ? readFileSync(mark, "utf8").trim().split("\n") : []),
    close: async (): Promise<void> => {
      if (existsSync(join(prefix, "bin", "agtmux")))
        await run(join(prefix, "bin", "agtmux"), ["daemon", "stop"]);
      await tmux.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

export type Machine = ReturnType<typeof openMachine>;

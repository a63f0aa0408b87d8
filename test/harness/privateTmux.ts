// A real tmux server of a test's own: private socket in a temporary folder, no configuration of a person, ended by its socket
// only.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execFileAsync = promisify(execFile);

/** tmux 3.2 gives detached windows the size of the client that asks, which has none: -x and -y count for it only like this. */
const CONFIG = `%if "#{m:3.2*,#{version}}"
set-option -g window-size manual
%endif
`;

/** `program`: another tmux than that of the PATH. */
export const createPrivateTmux = (program = "tmux") => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-tmux-"));
  const socketPath = join(folder, "sock");
  const configPath = join(folder, "conf");
  writeFileSync(configPath, CONFIG);
  const socketArgs = ["-S", socketPath, "-f", configPath];
  const env = { ...process.env, TMUX_TMPDIR: folder, TERM: "xterm-256color", LC_ALL: "C.UTF-8" };
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execFileAsync(program, ["-u", ...socketArgs, ...args], {
      env,
      maxBuffer: 1 << 26,
    });
    return stdout.replace(/\n$/, "");
  };
  const serverPid = async (): Promise<number> => Number(await run("display-message", "-p", "#{pid}"));
  return {
    program,
    folder,
    socketPath,
    /** Arguments that make any tmux command talk to it. */
    socketArgs,
    /** Runs a tmux command and gives its output without the last newline. The server starts with the first session. */
    run,
    /** A detached session of one pane that shows nothing and waits; gives the pane's id. */
    newSession: (name: string, command: string = "exec cat"): Promise<string> =>
      run("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "100", "-y", "30", "-s", name, command),
    serverPid,
    /** Pids of clients that are attached. */
    clientPids: async (): Promise<number[]> =>
      (await run("list-clients", "-F", "#{client_pid}"))
        .split("\n")
        .filter((line) => line !== "")
        .map(Number),
    /** CPU time of the server so far, in ms. Linux only. */
    cpuMs: async (): Promise<number> =>
      Number(readFileSync(`/proc/${await serverPid()}/schedstat`, "utf8").split(" ")[0]) / 1e6,
    /** Ends the server and removes its folder. */
    close: async (): Promise<void> => {
      // A server that went with its last session leaves nothing to end.
      if (existsSync(socketPath)) await run("kill-server").catch(() => "");
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

export type PrivateTmux = ReturnType<typeof createPrivateTmux>;

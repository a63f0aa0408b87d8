// The packaged command line as a person has it: found through a link, in a home of its own, with a tmux server of its own and
// no Node on its path but the one in the app.
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createPrivateTmux } from "../harness/privateTmux.ts";

const execFileAsync = promisify(execFile);

export interface PackagedCommand {
  /** Gives what it printed; fails when it ends with another status than 0. */
  run(...args: readonly string[]): Promise<string>;
  /** ELECTRON_RUN_AS_NODE as every tmux client saw it that was started so far, "unset" where it was not there. */
  seenByTmux(): string[];
  close(): Promise<void>;
}

/** `command`: the packaged `bin/agtmux`. One session named `work` is there. */
export const openPackagedCommand = async (command: string): Promise<PackagedCommand> => {
  const tmux = createPrivateTmux();
  const root = mkdtempSync(join(tmpdir(), "agtmux-packaged-"));
  await tmux.newSession("work");
  const bin = join(root, "path");
  const seen = join(root, "seen");
  mkdirSync(bin);
  symlinkSync(command, join(bin, "agtmux"));
  const { stdout: realTmux } = await execFileAsync("sh", ["-c", "command -v tmux"]);
  const script = `#!/bin/sh
echo "\${ELECTRON_RUN_AS_NODE-unset}" >>'${seen}'
exec '${realTmux.trim()}' "$@"
`;
  writeFileSync(join(bin, "tmux"), script);
  chmodSync(join(bin, "tmux"), 0o755);
  const env = {
    HOME: root,
    PATH: `${bin}:/usr/bin:/bin`,
    AGTMUX_HOME: join(root, "agtmux-home"),
    AGTMUX_TMUX_SOCKETS: tmux.socketPath,
    LC_ALL: "C.UTF-8",
  };
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execFileAsync("agtmux", args, { env, cwd: root });
    return stdout;
  };
  return {
    run,
    seenByTmux: () => (existsSync(seen) ? readFileSync(seen, "utf8").trim().split("\n") : []),
    close: async () => {
      await run("daemon", "stop");
      await tmux.close();
      await rm(root, { recursive: true, force: true });
    },
  };
};

// A shell of this machine as a channel: what a remote shell does can be seen without a connection.
import { spawn, type ChildProcess } from "node:child_process";
import type { ByteChannel } from "../../core/targets/sshTransport.ts";

export interface ShellChannel extends ByteChannel {
  readonly child: ChildProcess;
}

/** Starts `argv` (a shell that reads its script from its input) with `env` and nothing else. */
export const openShellChannel = (argv: readonly string[], env: NodeJS.ProcessEnv): ShellChannel => {
  const [file = "sh", ...args] = argv;
  const child = spawn(file, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  const gone = Promise.withResolvers<string>();
  child.on("close", (code, signal) => gone.resolve(`ended with ${signal ?? code}`));
  child.on("error", (error) => gone.resolve(error.message));
  child.stdin.on("error", () => {});
  return {
    child,
    write: (text) => {
      if (child.stdin.writable) child.stdin.write(text);
    },
    onStdout: (listener) => child.stdout.on("data", listener),
    onStderr: (listener) => child.stderr.on("data", listener),
    onClose: (listener) => void gone.promise.then(listener),
    destroy: () => {
      child.kill("SIGKILL");
    },
    close: async () => {
      child.stdin.end();
      await gone.promise;
    },
  };
};

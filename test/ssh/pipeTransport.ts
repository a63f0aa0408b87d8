// A transport without SSH: the remote shell is a child of this process, so that the scripts meet shells and tools that the
// machine's own /bin/sh is not.
import { spawn } from "node:child_process";
import type { SshTransport, TransportChannel } from "../../core/targets/sshTransport.ts";

/** @param shell stands for /bin/sh. */
export const createPipeTransport = (shell: readonly string[], env: NodeJS.ProcessEnv): SshTransport => {
  const channels = new Set<TransportChannel>();
  return {
    name: "openssh",
    connect: () => Promise.resolve(),
    open: (command) => {
      const script = /^exec \/bin\/sh -c '(.*)'$/.exec(command)?.[1];
      if (script === undefined) throw new Error(`not a login command: ${command}`);
      const [file = "", ...args] = shell;
      const child = spawn(file, [...args, "-c", script], { env, stdio: ["pipe", "pipe", "pipe"] });
      child.stdin.on("error", () => {});
      const channel: TransportChannel = {
        stdin: child.stdin,
        stdout: child.stdout,
        stderr: child.stderr,
        ended: new Promise((done) => {
          child.on("close", (code) => done({ exitCode: code, reason: `exit status ${code}` }));
        }),
        destroy: () => {
          child.stdin.destroy();
          child.stdout.destroy();
          child.stderr.destroy();
        },
      };
      channels.add(channel);
      void channel.ended.then(() => channels.delete(channel));
      return Promise.resolve(channel);
    },
    onDown: () => {},
    disconnect: async () => {
      for (const channel of channels) channel.destroy();
      await Promise.all([...channels].map(({ ended }) => ended));
    },
  };
};

// A network of its own with nothing but loopback, held open by the scripted model that listens in it. What an agent sends can
// reach that model and nothing else. Linux only: as root a network namespace, else one inside of a user namespace.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SERVE = fileURLToPath(new URL("../model/serve.ts", import.meta.url));
const PORT = 8787;
const START_LIMIT_MS = 15_000;

const isRoot = process.getuid?.() === 0;

/** `folder`: of the run, which is cleared when this process is gone. @throws Error when the system has no namespaces for us, with what it said. */
export const openLoopback = async (logPath: string, folder: string) => {
  if (process.platform !== "linux")
    throw new Error("live agents are driven on Linux only: it has network namespaces");
  const script = 'ip link set lo up && exec "$@"';
  const child = spawn(
    "unshare",
    [
      ...(isRoot ? ["-n"] : ["-r", "-n"]),
      "sh",
      "-c",
      script,
      "sh",
      process.execPath,
      SERVE,
      String(PORT),
      logPath,
      folder,
    ],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(child, "exit");
  const limit = AbortSignal.timeout(START_LIMIT_MS);
  const hasStarted = await Promise.race([
    once(child.stdout, "data", { signal: limit }).then(() => true),
    ended.then(() => false),
  ]);
  if (!hasStarted || child.pid === undefined)
    throw new Error(
      `no loopback of its own: ${said.trim()} (root, or user namespaces, and iproute2 are needed)`,
    );
  const enter = [
    "nsenter",
    "-t",
    String(child.pid),
    ...(isRoot ? [] : ["-U", "--preserve-credentials"]),
    "-n",
    "--",
  ];
  return {
    modelUrl: `http://127.0.0.1:${PORT}`,
    /** The command that runs another one inside. */
    inside: (...command: readonly string[]): readonly string[] => [...enter, ...command],
    close: async (): Promise<void> => {
      child.kill();
      await ended;
      child.stdin.destroy();
    },
  };
};

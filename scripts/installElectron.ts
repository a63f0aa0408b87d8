// Runs Electron's own installer, which downloads the binary and checks it against the sums in the package. The progress is read
// from the growing file, because the installer's own bar comes only after half a minute and only on a terminal.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 200;

export interface InstallElectronOptions {
  /** The package `electron`. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** How long the download may stand still, in milliseconds. */
  readonly silenceMs: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  /** Called with each progress: how much of the file has come, or that it is being unpacked. */
  readonly onProgress: (progress: { readonly bytes: number } | "unpacking") => void;
}

/** The bytes of the running download; 0 before and after it. */
const downloadedIn = (folder: string): number => {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".zip")) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
};

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** The first line of what the installer said, without its stack. */
const reasonOf = (stderr: string, status: number | null): string => {
  const line = stderr.split("\n").find((one) => /^\w*Error\b/.test(one)) ?? "";
  const reason = line.replace(/^\w*Error: /, "").trim();
  return reason === "" ? `its installer ended with ${status ?? "a signal"}` : reason;
};

/** Resolves with null once the binary is there, else with the reason why it is not; then a partial download is removed. */
export const installElectron = async (options: InstallElectronOptions): Promise<string | null> => {
  const { folder, env, silenceMs, now, onProgress } = options;
  const unpacked = join(folder, "dist");
  // Left by an interrupted installation; the installer would unpack over it.
  rmSync(unpacked, { recursive: true, force: true });
  const temporary = mkdtempSync(join(tmpdir(), "agtmux-electron-"));
  const child = spawn(process.execPath, [join(folder, "install.js")], {
    env: { ...env, TMPDIR: temporary, ELECTRON_GET_NO_PROGRESS: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const leave = (signal: NodeJS.Signals): void => {
    child.kill("SIGKILL");
    rmSync(temporary, { recursive: true, force: true });
    process.kill(process.pid, signal);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, leave);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(() => "ended" as const);
  try {
    let bytes = 0;
    let movedAt = now();
    while ((await Promise.race([delay(POLL_MS), ended])) !== "ended") {
      const progress = isThere(unpacked) ? "unpacking" : downloadedIn(temporary);
      if (progress === "unpacking") onProgress(progress);
      else if (progress > bytes) onProgress({ bytes: progress });
      if (progress === "unpacking" || progress > bytes) movedAt = now();
      if (typeof progress === "number") bytes = progress;
      if (now() - movedAt > silenceMs) return `nothing came for ${Math.round(silenceMs / 1_000)} seconds`;
    }
    return child.exitCode === 0 ? null : reasonOf(stderr, child.exitCode);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, leave);
    child.kill("SIGKILL");
    await ended;
    rmSync(temporary, { recursive: true, force: true });
  }
};

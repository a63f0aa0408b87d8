// The far scripts under shells and tools other than this machine's: the same contract with busybox alone, with bash as
// `sh` (as on macOS), and with a Korn shell that has no `printf` of its own (as on OpenBSD).
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createSshExecutor } from "../../core/targets/executors/sshExecutor.ts";
import { describeExecutor } from "./executorContract.ts";
import { createPipeTransport } from "./pipeTransport.ts";

const root = mkdtempSync(join(tmpdir(), "agtmux-shells-"));
const isThere = (program: string): boolean =>
  spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], { stdio: "ignore" }).status === 0;

/** A folder in which every program is busybox. */
const busyboxFolder = (): string => {
  const folder = join(root, "busybox");
  mkdirSync(folder);
  const busybox = execFileSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" }).trim();
  for (const applet of execFileSync(busybox, ["--list"], { encoding: "utf8" }).trim().split("\n"))
    symlinkSync(busybox, join(folder, applet));
  return folder;
};
/** A folder whose `sh` is another shell. */
const folderOf = (shell: string): string => {
  const folder = join(root, shell);
  mkdirSync(folder);
  const path = execFileSync("sh", ["-c", 'command -v "$1"', "sh", shell], { encoding: "utf8" }).trim();
  symlinkSync(path, join(folder, "sh"));
  return folder;
};

const SHELLS: readonly (readonly [string, () => string])[] = [
  ["busybox", busyboxFolder],
  ["bash", () => folderOf("bash")],
  ["mksh", () => folderOf("mksh")],
];

describe.each(SHELLS.filter(([name]) => isThere(name)))("far scripts under %s", (name, folderFor) => {
  describeExecutor(`an executor whose remote shell is ${name}`, async () => {
    const folder = folderFor();
    const homeDir = mkdtempSync(join(root, "home-"));
    const env = { HOME: homeDir, PATH: name === "busybox" ? folder : `${folder}:/usr/bin:/bin` };
    const executor = createSshExecutor({
      targetId: name,
      alias: name,
      choose: () => Promise.resolve(createPipeTransport([join(folder, "sh")], env)),
      logger: SILENT_LOGGER,
    });
    await executor.connect();
    return { executor, homeDir, close: () => executor.close() };
  });
});

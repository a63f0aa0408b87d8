// The two commands of the README in a fresh clone, as the system's ordinary user.
import { execFileSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../../e2e/launchers/chromium.ts";
import type { DebianSystem } from "./system.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLONE = "agtmux";
const START_LIMIT_MS = 180_000;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/open\?token=[0-9a-f]{64}/;

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** Both outputs go into a file, which is named when something fails. */
const keep = (child: ChildProcess, log: string): { output: () => string; ended: Promise<Ended> } => {
  mkdirSync(join(log, ".."), { recursive: true });
  const file = createWriteStream(log);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      file.write(text);
    });
  const ended = once(child, "close").then(() => {
    file.end();
    return { status: child.exitCode, output };
  });
  return { output: () => output, ended };
};

/** A folder of the user's, as seen from inside. */
const inHome = (system: DebianSystem, folder: string): string =>
  `${system.home.slice(system.folder.length)}/${folder}`;
const inClone = (system: DebianSystem): string => inHome(system, CLONE);

/** In a folder of the user's home; `name` is in that of the log. Gives what was printed, and fails with the end of it. */
export const runAsUser = async (
  system: DebianSystem,
  folder: string,
  name: string,
  command: readonly string[],
): Promise<string> => {
  const log = `${system.folder}.${name}.log`;
  const child = system.start({ as: "user", cwd: inHome(system, folder) }, command);
  const { status, output } = await keep(child, log).ended;
  if (status === 0) return output;
  throw new Error(`'${command.join(" ")}' ended with ${status}, see ${log}:\n${output.slice(-2_000)}`);
};

/** What is committed here, in the user's home, without the objects of this repository. */
export const clone = (system: DebianSystem): void => {
  const folder = join(system.home, CLONE);
  rmSync(folder, { recursive: true, force: true });
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", "--depth", "1", `file://${ROOT}`, folder]);
  // Only root may say whose it is, and the name is known inside alone.
  execFileSync("chown", ["-R", `--reference=${system.home}`, folder]);
};

export const install = (system: DebianSystem): Promise<string> =>
  runAsUser(system, CLONE, "install", ["npm", "ci"]);

/** What a browser sees at an address that works once; fails on an error in its console. */
const lookAt = async (address: string, picture: string): Promise<string> => {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 420, height: 600 } });
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    await page.goto(address);
    await page.getByRole("button").first().waitFor({ timeout: 20_000 });
    await page.screenshot({ path: picture });
    if (errors.length > 0) throw new Error(`the popover has errors: ${errors.join("; ")}`);
    return (await page.locator("body").innerText()).replaceAll(/\s+/g, " ");
  } finally {
    await browser.close();
  }
};

/** `npm start` beside a tmux session; resolves with what a browser sees at its address. */
export const start = async (system: DebianSystem): Promise<string> => {
  const log = `${system.folder}.start.log`;
  const script = "tmux new-session -d -s work && exec npm start";
  const child = system.start({ as: "user", cwd: inClone(system) }, ["sh", "-c", script]);
  const { output, ended } = keep(child, log);
  try {
    const deadline = performance.now() + START_LIMIT_MS;
    while (!ADDRESS.test(output())) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`'npm start' gave no address, see ${log}:\n${output().slice(-2_000)}`);
      await Promise.race([once(child.stdout ?? child, "data"), ended]);
    }
    return await lookAt(ADDRESS.exec(output())?.[0] ?? "", `${system.folder}.png`);
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
};

/** What only root may install, by the project's own list. */
const installSystemPackages = async (system: DebianSystem): Promise<void> => {
  const code = 'import("./scripts/systemPackages.mjs").then((list) => list.ensureSystemPackages())';
  const child = system.start({ as: "root", cwd: inClone(system) }, ["sh", "scripts/withNode.sh", "-e", code]);
  await keep(child, `${system.folder}.packages.log`).ended;
};

/** The long suites, after `npm test`; resolves with the line of totals of both. */
export const testRest = async (system: DebianSystem): Promise<string> => {
  const output = await runAsUser(system, CLONE, "rest", ["npm", "run", "test:all", "--", "--rest"]);
  return /^\d+ passed, .*$/m.exec(output)?.[0] ?? "no totals";
};

/** `npm test`, or only what `paths` name of the suites; resolves with the line of totals. */
export const test = async (system: DebianSystem, paths: readonly string[]): Promise<string> => {
  if (!existsSync(join(system.folder, "usr/bin/chromium-headless-shell")))
    await installSystemPackages(system);
  const command =
    paths.length === 0 ? ["npm", "test"] : ["sh", "scripts/withNode.sh", "vitest", "run", ...paths];
  const output = await runAsUser(system, CLONE, "test", command);
  return /^\d+ passed, .*$|^.*Tests .*$/m.exec(output)?.[0].trim() ?? "no totals";
};

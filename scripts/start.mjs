// `npm start`: the desktop app where an Electron binary is at hand, else the same popover in a browser. On macOS, and elsewhere
// with AGTMUX_UI=app, the binary is downloaded first; AGTMUX_UI=browser always uses the browser. It builds what is missing or
// older than its sources, and says how long it took until the first rows were there.
import "./checkNode.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

const ROOT = join(import.meta.dirname, "..");
const LAUNCHER = join(ROOT, "bin", "agtmux");
const APP_START_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
const startedAt = performance.now();

/** A failure with a sentence for the person; any other error is a bug of this script. */
class StartError extends Error {}

const newestIn = (folder) => {
  let newest = 0;
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    if (entry.isFile() && !entry.name.includes(".test."))
      newest = Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs);
  return newest;
};

/** True when `built` is missing or older than a source it is made of. */
const isStale = (built, folders) => {
  const path = join(ROOT, built);
  if (!existsSync(path)) return true;
  const builtAt = statSync(path).mtimeMs;
  return folders.some((folder) => existsSync(join(ROOT, folder)) && newestIn(folder) > builtAt);
};

/** Runs to the end; resolves with exit code and output, shown or not. */
const run = async (file, args, env = {}) => {
  const child = spawn(file, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
};

const build = async (part) => {
  if (!existsSync(join(ROOT, "node_modules", "vite")))
    throw new StartError("The dependencies are missing: run 'npm ci'.");
  process.stdout.write(`Building (${part})…\n`);
  const { code } = await run(process.execPath, [join(ROOT, "scripts", "build.mjs"), part]);
  if (code !== 0) throw new StartError("The build failed: run 'npm run build' to see why.");
};

const RENDERER_SOURCES = ["renderer", "ui", "core/model", "core/api", "core/rpc"];

/** Seconds since the start, for people. */
const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;

/** Asks for the rows until a daemon answers; resolves with their number, or null when `isOver()` is true first. */
const waitForRows = async (env, timeoutMs, isOver = () => false) => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { code, stdout, stderr } = await run(LAUNCHER, ["list", "panes", "--json"], env);
    if (code === 0) return JSON.parse(stdout).items.length;
    if (isOver()) return null;
    if (performance.now() > deadline) throw new StartError(failureOf(stderr));
    await delay(POLL_MS);
  }
};

/** The sentence of a failed `agtmux … --json`. */
const failureOf = (stderr) => {
  try {
    const { message, remedy } = JSON.parse(stderr).error;
    return `${message}. ${remedy}`;
  } catch {
    return "agtmux did not start: run 'bin/agtmux daemon run --foreground' to see why.";
  }
};

/** An extra sentence is no reason to fail. */
const hintAtCommand = async () => {
  const { commandHint } = await import("./commandHint.ts");
  const places = { command: LAUNCHER, env: process.env, homeDir: homedir(), platform: process.platform };
  return commandHint(places).catch(() => null);
};

const reportRows = async (count) => {
  const rows = count === 1 ? "1 pane with an agent" : `${count} panes with an agent`;
  process.stdout.write(`First rows after ${elapsed()}: ${rows}.\n`);
  const hint = await hintAtCommand();
  if (hint !== null) process.stdout.write(`${hint}\n`);
};

/** Ctrl-C also reaches the child; we wait until it has cleaned up. */
const follow = async (child) => {
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const [code, signal] = child.exitCode === null ? await once(child, "exit") : [child.exitCode, null];
  return signal !== null || code === 130 ? 0 : (code ?? 0);
};

const startApp = async (electron) => {
  const main = "dist/main/index.js";
  if (
    isStale(main, ["main", "core", "adapters", "features"]) ||
    isStale("dist/preload/index.cjs", ["preload"]) ||
    isStale("dist/renderer/index.html", RENDERER_SOURCES)
  )
    await build("app");
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const child = spawn(electron, [manifest.main === undefined ? join(ROOT, main) : ROOT], {
    cwd: ROOT,
    stdio: "inherit",
  });
  const failed = once(child, "error").then(([error]) => {
    throw new StartError(`Electron could not be started (${error.code ?? error.message}).`);
  });
  let isOver = false;
  const ended = follow(child).finally(() => (isOver = true));
  // The app brings its own daemon, so the question must not start another one. If the app shows nothing, this is said, but the
  // app is not ended.
  const rows = waitForRows({ AGTMUX_NO_START: "1" }, APP_START_TIMEOUT_MS, () => isOver).then(
    (count) => count === null || reportRows(count),
    (error) => process.stderr.write(`agtmux: ${error.message}\n`),
  );
  const code = await Promise.race([ended, failed]);
  await rows;
  if (code !== 0) throw new StartError(`The desktop app ended with exit code ${code}.`);
  return code;
};

const hasDesktop = () =>
  process.platform === "darwin" || Boolean(process.env.DISPLAY) || Boolean(process.env.WAYLAND_DISPLAY);

/** True when a browser was asked to open it; the address is printed in any case. */
const openBrowser = async (address) => {
  if (!hasDesktop()) return false;
  try {
    const { openAddress } = await import("./openAddress.ts");
    const opener = process.platform === "darwin" ? "open" : "xdg-open";
    return openAddress({ address, folder: homedir(), opener });
  } catch {
    return false;
  }
};

const startBrowser = async () => {
  if (isStale("dist/renderer/index.html", RENDERER_SOURCES)) await build("renderer");
  const child = spawn(LAUNCHER, ["ui", "--json"], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const ended = follow(child);
  const line = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  if (!Array.isArray(line)) throw new StartError(failureOf(stderr));
  const { url } = JSON.parse(line[0]);
  await reportRows(await waitForRows({}, 0));
  const hint = (await openBrowser(url)) ? "" : "Open it in your browser. ";
  process.stdout.write(`${url}\n${hint}The address works once, in one browser. Ctrl-C ends it.\n`);
  const code = await ended;
  if (code !== 0) throw new StartError(failureOf(stderr));
  return code;
};

try {
  const wanted = process.env.AGTMUX_UI || undefined;
  if (wanted !== undefined && wanted !== "app" && wanted !== "browser")
    throw new StartError(`AGTMUX_UI is '${wanted}': use 'app' or 'browser'.`);
  const { findApp } = await import("./findApp.ts");
  const executable = await findApp({
    root: ROOT,
    env: process.env,
    wanted,
    isTerminal: process.stdout.isTTY,
    print: (text) => process.stdout.write(text),
  });
  process.exitCode = executable === null ? await startBrowser() : await startApp(executable);
} catch (error) {
  const text = error instanceof StartError ? error.message : `npm start failed: ${error.message}`;
  process.stderr.write(`agtmux: ${text}\n`);
  process.exitCode = 1;
}

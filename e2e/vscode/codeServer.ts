// code-server with the extension in it, and Chromium in front of it: a real VS Code, as a person has it open.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { launchChromium } from "../launchers/chromium.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const VERSION = "4.139.1";
const REBUILT = [
  "node-pty",
  "@parcel/watcher",
  "@vscode/spdlog",
  "@vscode/native-watchdog",
  "@vscode/fs-copyfile",
];

export const codeServerHome =
  process.env["AGTMUX_CODE_SERVER"] ?? join(homedir(), ".cache", "agtmux-code-server");
const server = join(codeServerHome, "node_modules", "code-server");
export const isInstalled = (): boolean => existsSync(server);

/** From the npm registry. */
export const installCodeServer = (): void => {
  mkdirSync(codeServerHome, { recursive: true });
  writeFileSync(join(codeServerHome, "package.json"), '{"private":true}\n');
  const npm = (cwd: string, ...args: string[]) => execFileSync("npm", args, { cwd, stdio: "ignore" });
  npm(codeServerHome, "install", "--ignore-scripts", `code-server@${VERSION}`);
  const inner = join(server, "lib", "vscode");
  for (const folder of [inner, join(inner, "extensions")]) npm(folder, "install", "--ignore-scripts");
  npm(inner, "rebuild", ...REBUILT);
  npm(codeServerHome, "rebuild", "argon2");
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });

const SETTINGS = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.wordBasedSuggestions": "off",
  "editor.autoClosingBrackets": "never",
  "files.autoSave": "off",
  "telemetry.telemetryLevel": "off",
};

export interface Editor {
  /** With the document in front. */
  readonly page: Page;
  close(): Promise<void>;
}

const openDocument = async (page: Page, address: string, project: string): Promise<void> => {
  for (let tried = 0; ; tried += 1)
    try {
      await page.goto(address);
      break;
    } catch (error) {
      if (tried > 100) throw error;
      await delay(200);
    }
  await page.waitForSelector(".monaco-workbench", { timeout: 60_000 });
  for (let tried = 0; !existsSync(join(project, ".agent-doc", "patches")); tried += 1) {
    if (tried > 300) throw new Error("the extension did not start");
    await delay(200);
  }
  await page.keyboard.press("Control+p");
  await page.waitForSelector(".quick-input-widget input");
  await page.keyboard.type("plan.md");
  await delay(1_000);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".monaco-editor .view-lines");
  await page.click(".monaco-editor .view-lines");
};

/** `root`: an empty folder for everything that it writes; `project` has `plan.md`. */
export const openEditor = async (root: string, project: string): Promise<Editor> => {
  mkdirSync(join(root, "data", "User"), { recursive: true });
  writeFileSync(join(root, "data", "User", "settings.json"), JSON.stringify(SETTINGS));
  const env = {
    ...process.env,
    HOME: root,
    XDG_CONFIG_HOME: join(root, "config"),
    XDG_DATA_HOME: join(root, "share"),
  };
  const entry = join(server, "out", "node", "entry.js");
  const folders = ["--user-data-dir", join(root, "data"), "--extensions-dir", join(root, "extensions")];
  execFileSync(process.execPath, [join(ROOT, "scripts", "packVsix.mjs")], { stdio: "ignore" });
  const vsix = join(root, "extension.vsix");
  cpSync(join(ROOT, "release", "agtmux-documents.vsix"), vsix);
  const installed = spawnSync(process.execPath, [entry, ...folders, "--install-extension", vsix], {
    env,
    encoding: "utf8",
  });
  if (installed.status !== 0)
    throw new Error(`the extension cannot be installed: ${installed.stdout}${installed.stderr}`);
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const quiet = ["--disable-telemetry", "--disable-update-check"];
  const words = [entry, ...folders, "--auth", "none", "--bind-addr", address, ...quiet, project];
  const child = spawn(process.execPath, words, { env, stdio: "ignore" });
  const browser = await launchChromium();
  const close = async (): Promise<void> => {
    await browser.close();
    child.kill();
  };
  try {
    const page = await browser.newPage({ viewport: { width: 1_200, height: 800 } });
    await openDocument(page, `http://${address}/?folder=${encodeURIComponent(project)}`, project);
    return { page, close };
  } catch (error) {
    await close();
    throw error;
  }
};

// `npm run e2e:vscode`: the extension in a real VS Code (code-server in Chromium), while somebody types. `-- --install` fetches
// code-server from the npm registry (616 MB, about a minute) into ~/.cache/agtmux-code-server; AGTMUX_CODE_SERVER names another
// folder that has it. `--patches N` (60 for each speed), `--keys 0,10,50` a second. Fails on any lost key or answer. The times are
// those of an editor that has been open for a while: the first answers, while its own extensions still start, are not in them.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "playwright";
import { locateDocument } from "../../features/documents/files/documentPaths.ts";
import { writeResponse } from "../../features/documents/flow/writeResponse.ts";
import { mergeByLines } from "../../features/documents/git/mergeByLines.ts";
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

const { values } = parseArgs({
  options: {
    install: { type: "boolean", default: false },
    patches: { type: "string", default: "60" },
    keys: { type: "string", default: "0,10,50" },
  },
});
const patches = Number(values.patches);
const speeds = values.keys.split(",").map(Number);

const home = process.env["AGTMUX_CODE_SERVER"] ?? join(homedir(), ".cache", "agtmux-code-server");
const server = join(home, "node_modules", "code-server");

const install = (): void => {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), '{"private":true}\n');
  const npm = (cwd: string, ...args: string[]) => execFileSync("npm", args, { cwd, stdio: "ignore" });
  npm(home, "install", "--ignore-scripts", `code-server@${VERSION}`);
  const inner = join(server, "lib", "vscode");
  for (const folder of [inner, join(inner, "extensions")]) npm(folder, "install", "--ignore-scripts");
  npm(inner, "rebuild", ...REBUILT);
  npm(home, "rebuild", "argon2");
};

if (values.install && !existsSync(server)) install();
if (!existsSync(server)) {
  console.log(
    `code-server is not in ${home}: nothing was tried. Fetch it with 'npm run e2e:vscode -- --install'.`,
  );
  process.exit(1);
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });

const DOC = `<!-- agent:status -->
typed:
<!-- /agent:status -->

<!-- agent:exchange mode=append -->
Which way shall we go?
<!-- /agent:exchange -->
`;

const root = mkdtempSync(join(tmpdir(), "agtmux-vscode-"));
const project = join(root, "project");
const file = join(project, "plan.md");
mkdirSync(join(project, ".agent-doc"), { recursive: true });
mkdirSync(join(root, "data", "User"), { recursive: true });
writeFileSync(file, DOC);
writeFileSync(
  join(root, "data", "User", "settings.json"),
  JSON.stringify({
    "security.workspace.trust.enabled": false,
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": false,
    "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
    "editor.wordBasedSuggestions": "off",
    "editor.autoClosingBrackets": "never",
    "files.autoSave": "off",
    "telemetry.telemetryLevel": "off",
  }),
);

const environment = {
  ...process.env,
  HOME: root,
  XDG_CONFIG_HOME: join(root, "config"),
  XDG_DATA_HOME: join(root, "share"),
};
const entry = join(server, "out", "node", "entry.js");
const folders = ["--user-data-dir", join(root, "data"), "--extensions-dir", join(root, "extensions")];

const installExtension = (): void => {
  execFileSync(process.execPath, [join(ROOT, "scripts", "packVsix.mjs")], { stdio: "ignore" });
  const vsix = join(root, "extension.vsix");
  cpSync(join(ROOT, "release", "agtmux-documents.vsix"), vsix);
  const installed = spawnSync(process.execPath, [entry, ...folders, "--install-extension", vsix], {
    env: environment,
    encoding: "utf8",
  });
  if (installed.status !== 0)
    throw new Error(`the extension cannot be installed: ${installed.stdout}${installed.stderr}`);
};

const percentile = (times: readonly number[], share: number): number =>
  Math.round(times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0);

const faults: string[] = [];
const paths = () => locateDocument(file, project);

/** Puts the cursor behind `typed:` and whatever was typed there. */
const goToTyped = async (page: Page): Promise<void> => {
  // A start takes the keys away now and then, for a message of its own.
  await page.click(".monaco-editor .view-lines");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
};

const letters = "abcdefghijklmnopqrstuvwxyz";
let typed = "";
let answers = 0;

/** How long one answer took. `busy`: so often the editor did not take it in time, and it was handed over again. */
interface Put {
  readonly wholeMs: number;
  readonly ackMs: number;
  readonly busy: number;
}

const putAnswer = async (limit: number): Promise<Put> => {
  const baseline = readFileSync(file, "utf8");
  const response = `Answer number ${(answers += 1)}, in full.\n`;
  for (let busy = 0; ; busy += 1) {
    const at = performance.now();
    const steps = new Map<string, number>();
    try {
      await writeResponse({
        paths: await paths(),
        response,
        baseline,
        mergeByLines: mergeByLines(project, process.env),
        way: "editor",
        now: Date.now(),
        onStep: (step) => steps.set(step, performance.now()),
      });
      const ackMs = (steps.get("acknowledged") ?? 0) - (steps.get("handed over") ?? 0);
      return { wholeMs: performance.now() - at, ackMs, busy };
    } catch (error) {
      const isBusy = error instanceof Error && "code" in error && error.code === "E_DOCUMENT_BUSY";
      if (!isBusy || busy >= limit) throw error;
    }
  }
};

const WARM_UP = 5;

/** Until VS Code's own extensions have started. */
const warmUp = async (): Promise<void> => {
  for (let made = 0; made < WARM_UP; made += 1) {
    await putAnswer(patches);
    await delay(500);
  }
};

const runSpeed = async (page: Page, keysPerSecond: number): Promise<void> => {
  await goToTyped(page);
  const ended = new AbortController();
  const type = async () => {
    if (keysPerSecond === 0) return;
    while (!ended.signal.aborted) {
      const key = letters[typed.length % letters.length] ?? "a";
      typed += key;
      await page.keyboard.type(key);
      await delay(1_000 / keysPerSecond);
    }
  };
  const typing = type();
  const puts: Put[] = [];
  for (let made = 0; made < patches; made += 1) puts.push(await putAnswer(patches));
  const acks = puts.map(({ ackMs }) => ackMs);
  const times = puts.map(({ wholeMs }) => wholeMs);
  const busy = puts.reduce((sum, put) => sum + put.busy, 0);
  ended.abort();
  await typing;
  await page.keyboard.press("Control+s");
  await delay(500);
  const text = readFileSync(file, "utf8");
  const found = [...text.matchAll(/^Answer number (\d+), in full\.$/gm)].map(([, number]) => Number(number));
  const isWhole = found.length === answers && found.every((number, index) => number === index + 1);
  const keys = /^typed:([a-z]*)$/m.exec(text)?.[1] ?? "";
  if (!isWhole)
    faults.push(`${keysPerSecond} keys a second: ${found.length} of ${answers} answers, or not in order`);
  if (keys !== typed && process.env["AGTMUX_SHOW"] !== undefined) {
    console.log(text.slice(0, 400));
    await page.screenshot({ path: "/tmp/vs.png" });
  }
  if (keys !== typed)
    faults.push(`${keysPerSecond} keys a second: ${keys.length} of ${typed.length} keys in their place`);
  console.log(
    `| ${keysPerSecond} | ${patches} | ${percentile(acks, 0.5)} | ${percentile(acks, 0.95)} | ${percentile(times, 0.95)} | ${busy} | ${found.length}/${answers} | ${keys.length}/${typed.length} |`,
  );
};

/** One undo takes the last answer back, and nothing else. */
const checkUndo = async (page: Page): Promise<void> => {
  const before = readFileSync(file, "utf8");
  const merge = mergeByLines(project, process.env);
  await writeResponse({
    paths: await paths(),
    response: "To be undone, all of it.\n",
    baseline: before,
    mergeByLines: merge,
    way: "editor",
    now: Date.now(),
  });
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+s");
  await delay(500);
  const isUndone = readFileSync(file, "utf8") === before;
  if (!isUndone) faults.push("one undo does not take an answer back");
  console.log(`\none undo takes an answer back: ${isUndone ? "yes" : "no"}`);
};

installExtension();
const port = await freePort();
const child = spawn(
  process.execPath,
  [
    entry,
    ...folders,
    "--auth",
    "none",
    "--bind-addr",
    `127.0.0.1:${port}`,
    "--disable-telemetry",
    "--disable-update-check",
    project,
  ],
  { env: environment, stdio: "ignore" },
);
const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: { width: 1_200, height: 800 } });
  for (let tried = 0; ; tried += 1)
    try {
      await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(project)}`);
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
  console.log(
    "| keys a second | answers | ACK median ms | ACK p95 ms | whole write p95 ms | busy (75) | answers in the file | keys |",
  );
  console.log("| --: | --: | --: | --: | --: | --: | --: | --: |");
  await warmUp();
  for (const speed of speeds) await runSpeed(page, speed);
  await checkUndo(page);
} finally {
  await browser.close();
  child.kill();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}
for (const fault of faults) console.log(`✗ ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);

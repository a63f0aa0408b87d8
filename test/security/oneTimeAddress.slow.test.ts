// The one-time address of the browser's page, as `npm start` hands it to the browser: another user reads every argument of
// every process meanwhile, and looks for it in the person's home. What is used a second time opens nothing and ends the session.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { serveDaemon, startProgram, type Running } from "../harness/commandLine.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { until } from "../setup/realClock.ts";
import { spyOnArguments } from "./argumentSpy.ts";
import { asNobody, isRoot } from "./otherUser.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";

const START = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));
/** The page is built first where it is missing, on machines that are busy with others. */
const LIMIT_MS = 120_000;
vi.setConfig({ testTimeout: 2 * LIMIT_MS, hookTimeout: LIMIT_MS });

let place: string;
let home: string;
let daemon: TestDaemon;
let stopServing: () => Promise<void>;
let running: Running | null;

beforeEach(async () => {
  // Not the run's own temporary folder: others must be able to come as far as the home.
  place = mkdtempSync("/tmp/agtmux-ota-");
  chmodSync(place, 0o755);
  home = join(place, "person");
  mkdirSync(home, { mode: 0o755 });
  running = null;
  daemon = await startTestDaemon({ sockets: [join(place, "none")] });
  stopServing = await serveDaemon(daemon);
});
afterEach(async () => {
  running?.child.kill("SIGTERM");
  await running?.finished;
  await stopServing();
  await daemon.close();
  rmSync(place, { recursive: true });
});

const env = (): Record<string, string> => ({
  HOME: home,
  AGTMUX_HOME: daemon.paths.home,
  AGTMUX_NO_START: "1",
  DISPLAY: ":99",
  AGTMUX_UI: "browser",
});
const addressIn = (text: string): string =>
  /http:\/\/127\.0\.0\.1:\d+\/open\?token=[0-9a-f]{64}/.exec(text)?.[0] ?? "";

describe("npm start", () => {
  let openerPid: number | null;
  /** What opens a browser: writes down its arguments and stays, as a browser does. */
  const installOpener = (): string => {
    const bin = join(place, "bin");
    mkdirSync(bin);
    for (const name of ["xdg-open", "open"]) {
      const log = join(place, "opened");
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\necho $$ >'${place}/pid'\nprintf '%s\\n' "$@" >'${log}.part'\nmv '${log}.part' '${log}'\nsleep 300\n`,
      );
      chmodSync(join(bin, name), 0o755);
    }
    return `${bin}:${process.env["PATH"]}`;
  };
  const start = async (): Promise<string> => {
    const started = startProgram(process.execPath, [START], { ...env(), PATH: installOpener() });
    running = started;
    await Promise.race([
      until(() => existsSync(join(place, "opened")), "the opener", LIMIT_MS),
      started.finished,
    ]);
    openerPid = Number(readFileSync(join(place, "pid"), "utf8"));
    return readFileSync(join(place, "opened"), "utf8").trimEnd();
  };
  beforeEach(() => {
    openerPid = null;
  });
  afterEach(() => {
    // The shell leaves its sleep behind: both are in the group that it leads.
    if (openerPid !== null) process.kill(-openerPid, "SIGKILL");
  });

  it.runIf(process.platform === "linux")("shows the address to no other user in any argument", async () => {
    const spy = await spyOnArguments(["token="]);
    const opened = await start();
    const { seen, rounds } = await spy.stop();
    // Other tests have processes with other tokens.
    await until(() => addressIn(running?.stdout() ?? "") !== "", "the address is printed");
    const token = addressIn(running?.stdout() ?? "").slice(-64);
    expect([seen.filter((line) => line.includes(token)), rounds > 10]).toEqual([[], true]);
    expect(opened).not.toContain(token);
  });

  it("hands it over in a page that nobody else can read, and takes that away at the end", async () => {
    const path = await start();
    await until(() => addressIn(running?.stdout() ?? "") !== "", "the address is printed");
    const address = addressIn(running?.stdout() ?? "");
    expect(readFileSync(path, "utf8")).toContain(`content="0;url=${address}"`);
    // Browsers in a sandbox of their own read neither hidden folders nor the temporary one.
    expect(path).toMatch(new RegExp(`^${home}/agtmux-[0-9a-f]+\\.html$`));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    if (isRoot)
      expect(
        await asNobody(
          `return fs.readdirSync(words[0]).length + " " + fs.readFileSync(words[1]);`,
          home,
          path,
        ),
      ).toBe("error EACCES");
    running?.child.kill("SIGTERM");
    await running?.finished;
    expect(readdirSync(home).filter((name) => name.endsWith(".html"))).toEqual([]);
  });

  it("only prints it where others can put something else in the place of that page", async () => {
    chmodSync(home, 0o777);
    const started = startProgram(process.execPath, [START], { ...env(), PATH: installOpener() });
    running = started;
    await until(() => started.stdout().includes("Open it in your browser"), "what to do", LIMIT_MS);
    expect(addressIn(started.stdout())).not.toBe("");
    expect([existsSync(join(place, "opened")), readdirSync(home)]).toEqual([false, []]);
  });
});

describe("agtmux ui", () => {
  const get = (address: string, cookie = ""): Promise<Response> => fetch(address, { headers: { cookie } });

  it("ends, and says why, when somebody without its session uses the address again", async () => {
    const started = startProgram(process.execPath, [CLI_ENTRY, "ui"], env());
    running = started;
    await until(() => addressIn(started.stdout()) !== "", "the address", LIMIT_MS);
    const address = addressIn(started.stdout());
    const first = await get(address);
    const [session = "", path = ""] =
      /^([^;]+);.*Path=([^;]+)/.exec(first.headers.getSetCookie()[0] ?? "")?.slice(1) ?? [];
    const page = new URL(path, address).href;
    expect((await get(page, session)).status).toBe(200);
    const second = isRoot
      ? await asNobody(
          `const answer = await fetch(words[0]); return answer.status + " " + answer.headers.getSetCookie().length;`,
          address,
        )
      : await get(address).then((answer) => `${answer.status} ${answer.headers.getSetCookie().length}`);
    expect(second).toBe("403 0");
    const { code, stderr } = await started.finished;
    expect([code, stderr]).toEqual([25, expect.stringContaining("[E_ADDRESS_REUSED]")]);
    await expect(get(page, session)).rejects.toThrow();
  });
});

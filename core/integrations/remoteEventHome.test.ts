// The remote side's event home on real files: the scripts run here under the local `sh`, as they would over there.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { createRemoteEventHome, type EventHome } from "./remoteEventHome.ts";

const SCRIPT = "#!/bin/sh\nexit 0\n";
let homeDir: string;
let home: string;
let eventHome: EventHome;
let close: () => Promise<void>;

beforeEach(() => {
  // A name that a shell would take apart.
  homeDir = mkdtempSync(join(tmpdir(), "agtmux far 'h$(id)-"));
  home = join(homeDir, ".agtmux");
  const executor = createLocalExecutor({
    targetId: "vm1",
    env: { ...process.env, HOME: homeDir },
  });
  eventHome = createRemoteEventHome({ executor, homeDir, scriptText: SCRIPT });
  close = () => executor.close();
});
afterEach(async () => {
  await close();
});

const install = async () => (await eventHome.planInstall()).apply();
const modeOf = (path: string): number => statSync(join(home, path)).mode & 0o777;

it("shows what comes before it does, then has nothing more to do", async () => {
  const plan = await eventHome.planInstall();
  expect(plan.shown.map(({ path, before }) => [path, before])).toEqual([
    [join(home, "bin/agtmux-event"), null],
    [join(home, "spool"), null],
  ]);
  expect(existsSync(home)).toBe(false);
  await plan.apply();
  expect([".", "spool", "spool/tmp", "spool/new", "spool/bad", "bin/agtmux-event"].map(modeOf)).toEqual([
    0o700, 0o700, 0o700, 0o700, 0o700, 0o755,
  ]);
  expect((await eventHome.planInstall()).shown).toEqual([]);
  expect([await eventHome.problems(), await eventHome.isPresent()]).toEqual([[], true]);
});

it("names each thing that is not as it should be, and mends it", async () => {
  expect(await eventHome.problems()).toContain(`${home}/bin/agtmux-event is missing`);
  await install();
  writeFileSync(join(home, "bin/agtmux-event"), "#!/bin/sh\necho old\n");
  chmodSync(join(home, "bin/agtmux-event"), 0o644);
  rmSync(join(home, "spool/bad"), { recursive: true });
  expect(await eventHome.problems()).toEqual([
    `${home}/bin/agtmux-event is not the one of this version`,
    `${home}/bin/agtmux-event cannot be executed`,
    `${home}/spool/bad is missing`,
  ]);
  await install();
  expect(await eventHome.problems()).toEqual([]);
  expect(readFileSync(join(home, "bin/agtmux-event"), "utf8")).toBe(SCRIPT);
});

it("goes without a trace, and says how many events nobody took", async () => {
  await install();
  writeFileSync(join(home, "spool/new/0000001-0"), "x");
  const plan = await eventHome.planRemoval();
  expect(plan.shown[1]?.before).toBe("folders for events\n1 event that nobody took\n");
  await plan.apply();
  expect(existsSync(home)).toBe(false);
  expect((await eventHome.planRemoval()).shown).toEqual([]);
});

it("leaves what it did not bring", async () => {
  await install();
  writeFileSync(join(home, "notes"), "mine");
  await (await eventHome.planRemoval()).apply();
  expect(existsSync(join(home, "notes"))).toBe(true);
  expect(existsSync(join(home, "bin"))).toBe(false);
});

it.each([
  ["another agtmux lives there", () => writeFileSync(join(home, "owner.db"), ""), "of its own"],
  ["others can write to it", () => chmodSync(home, 0o777), "can be written by others"],
])("is refused where %s", async (_what, prepare, says) => {
  mkdirSync(home, { mode: 0o700 });
  prepare();
  await expect(eventHome.planInstall()).rejects.toMatchObject({
    code: "E_INTEGRATION_REFUSED",
    message: expect.stringContaining(says) as string,
  });
  expect(existsSync(join(home, "spool"))).toBe(false);
});

it("never takes away the script and spool of another agtmux", async () => {
  await install();
  writeFileSync(join(home, "owner.db"), "");
  expect((await eventHome.planRemoval()).shown).toEqual([]);
  expect(await eventHome.problems()).toEqual([
    `an agtmux of its own lives in ${home} and takes the events there`,
  ]);
});

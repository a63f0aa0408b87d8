import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgtmuxError } from "../model/errors.ts";
import { tryOwn } from "./ownership.ts";

const makeHome = () => mkdtempSync(join(tmpdir(), "agtmux-own-"));
const MODULE = new URL("ownership.ts", import.meta.url).href;

test("a home has one owner at a time, also within one process", () => {
  const home = makeHome();
  const first = tryOwn(home);
  expect(first?.home).toBe(home);
  expect(tryOwn(home)).toBeNull();
  first?.release();
  first?.release();
  const second = tryOwn(home);
  expect(second).not.toBeNull();
  second?.release();
});

test("kill -9 frees the home", async () => {
  const home = makeHome();
  const script = `import { tryOwn } from ${JSON.stringify(MODULE)};
    process.stdout.write(tryOwn(${JSON.stringify(home)}) === null ? "taken" : "owned");
    setInterval(() => {}, 1000);`;
  const child = spawn("node", ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [said] = await once(child.stdout, "data");
  expect(String(said)).toBe("owned");
  expect(tryOwn(home)).toBeNull();
  child.kill("SIGKILL");
  await exited;
  const owner = tryOwn(home);
  expect(owner).not.toBeNull();
  owner?.release();
});

test("a file that is no database is named, not overwritten", () => {
  const home = makeHome();
  writeFileSync(join(home, "owner.db"), "x".repeat(2_000));
  let code = "none";
  try {
    tryOwn(home);
  } catch (error) {
    if (error instanceof AgtmuxError) code = error.code;
  }
  expect(code).toBe("E_DATABASE_DAMAGED");
});

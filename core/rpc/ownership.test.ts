import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
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
    globalThis.owner = tryOwn(${JSON.stringify(home)});
    process.stdout.write(globalThis.owner === null ? "taken" : "owned");
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

test("a file that is no database is emptied, with a copy of it kept, and locks as before", () => {
  const home = makeHome();
  const path = join(home, "owner.db");
  const text = "x".repeat(2_000);
  writeFileSync(path, text);
  const owner = tryOwn(home);
  expect(owner).not.toBeNull();
  expect(readFileSync(`${path}.damaged`, "utf8")).toBe(text);
  expect(tryOwn(home)).toBeNull();
  owner?.release();
});

// The program that opens a browser gets one address as one argument, and only one that may be opened.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { openPage } from "./openPage.ts";

const PAGE = "https://github.com/acme/shop/pull/12";
const folder = mkdtempSync(join(tmpdir(), "agtmux-open-"));
const said = join(folder, "said");
const env = { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ":99" };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const play = (status: number): void => {
  // A Mac has `open`.
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s|' "$#" "$@" >'${said}'\nexit ${status}\n`);
    chmodSync(join(folder, name), 0o755);
  }
};
beforeEach(() => {
  rmSync(said, { force: true });
  play(0);
});

it("opens a page, and says where it could not", async () => {
  expect(await openPage(PAGE, env)).toBe(true);
  expect(readFileSync(said, "utf8")).toBe(`1|${PAGE}|`);
  play(3);
  expect(await openPage(PAGE, env)).toBe(false);
  expect(await openPage(PAGE, { ...env, PATH: "/nowhere" })).toBe(false);
});

it.skipIf(process.platform === "darwin")(
  "starts no browser of the terminal where there is no desktop",
  async () => {
    expect(await openPage(PAGE, { PATH: env.PATH, DISPLAY: "" })).toBe(false);
    expect(existsSync(said)).toBe(false);
  },
);

it("opens no other address", async () => {
  for (const address of ["javascript:alert(1)", "file:///etc/passwd", "--help", `${PAGE}; id`])
    expect(await openPage(address, env)).toBe(false);
  expect(existsSync(said)).toBe(false);
});

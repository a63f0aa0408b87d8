import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findCallers, openCallerProof } from "./callerProof.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agtmux-proof-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const nameOf = (header: string): string => header.split(" ", 1)[0] ?? "";

it("this process is found by its proof as long as that is open, and nothing is left", async () => {
  const proof = await openCallerProof(home);
  expect(statSync(join(home, nameOf(proof.header))).mode & 0o777).toBe(0o600);
  expect(await findCallers(home, proof.header)).toEqual([process.pid]);
  proof.close();
  expect(await findCallers(home, proof.header)).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
});

it("another secret, another form and another place prove nothing", async () => {
  const proof = await openCallerProof(home);
  const name = nameOf(proof.header);
  const other = mkdtempSync(join(tmpdir(), "agtmux-proof-"));
  for (const header of [
    undefined,
    1,
    "",
    name,
    `${name} `,
    `../${name} ${"0".repeat(32)}`,
    `${proof.header} x`,
  ])
    expect(await findCallers(home, header), String(header)).toEqual([]);
  expect(await findCallers(other, proof.header)).toEqual([]);
  expect(await findCallers(home, `${name} ${"0".repeat(32)}`)).toEqual([]);
  proof.close();
  rmSync(other, { recursive: true });
});

it("whoever holds a socket of that name is named, too", async () => {
  const proof = await openCallerProof(home);
  const other = mkdtempSync(join(tmpdir(), "agtmux-proof-"));
  const path = join(other, nameOf(proof.header));
  const child = spawn(
    process.execPath,
    ["-e", `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(child.stdout, "data");
  const found = await findCallers(home, proof.header);
  expect(new Set(found)).toEqual(new Set([process.pid, child.pid]));
  child.kill();
  await once(child, "close");
  proof.close();
  rmSync(other, { recursive: true });
});

it("a socket that never answers, or answers without end, proves nothing in time", async () => {
  const header = (name: string): string => `${name} ${"0".repeat(32)}`;
  const silent = createServer(() => {}).listen(join(home, "00000001.sk"));
  const loud = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.write("mine".repeat(100_000));
  }).listen(join(home, "00000002.sk"));
  await Promise.all([once(silent, "listening"), once(loud, "listening")]);
  expect(
    await Promise.all(["00000001.sk", "00000002.sk"].map((name) => findCallers(home, header(name)))),
  ).toEqual([[], []]);
  silent.close();
  loud.close();
});

// A database over there, asked by the programs that may be there; the far side is this machine's shell. What lies in the database
// is hostile, and nothing beside it may change.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { localTarget } from "../../test/workspaces/localTarget.ts";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import { withRemoteDb } from "./remoteDb.ts";

let folder: string;
let file: string;
let db: BetterSqlite3.Database;
beforeEach(() => {
  folder = join(realpathSync(mkdtempSync(join(tmpdir(), "agtmux-remote-db-"))), "a b?#%'$(x)");
  mkdirSync(folder);
  file = join(folder, "opencode.db");
  db = new BetterSqlite3(file);
  db.pragma("journal_mode = WAL");
  db.exec("CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER, data TEXT)");
});
afterEach(() => {
  db.close();
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

const programs = (...names: string[]): string => {
  const bin = join(folder, "..", names.join("-") || "none");
  mkdirSync(bin);
  for (const name of ["sh", "uname", ...names]) {
    const path = execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    const real =
      name === "python3"
        ? execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim()
        : path;
    symlinkSync(real, join(bin, name));
  }
  return bin;
};
const far = (...names: string[]): FeatureTarget => localTarget("/nowhere", { PATH: programs(...names) });
const put = (id: string, n: number, data: string): void => {
  db.prepare("INSERT INTO t VALUES (?, ?, ?)").run(id, n, data);
};
/** Everything that lies beside the database, with its content. */
const lies = (): string[] =>
  readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return `${name} ${statSync(path).mtimeMs} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
  });
const ALL = "SELECT id, n, data FROM t ORDER BY n";

const runs = (command: string): boolean => spawnSync("sh", ["-c", command]).status === 0;
/** Of a Mac only its own program is asked. */
const PROGRAMS = [
  { program: "sqlite3", isThere: runs("sqlite3 -json :memory: 'SELECT 1'") },
  {
    program: "python3",
    isThere: process.platform !== "darwin" && runs("python3 -c 'import sqlite3'"),
  },
];

for (const { program, isThere } of PROGRAMS)
  describe.runIf(isThere)(`by ${program}`, () => {
    it("gives rows as they are, asks again with what came, and changes nothing", async () => {
      const target = far(program);
      const hostile = `'); DROP TABLE t; --\n.shell touch mark\u0000\u202e "x" [{"done":1}]\n`;
      put("a", 1, hostile.replace("\u0000", ""));
      put("b\n'\"", 2, "é\u{1f600}");
      const before = lies();
      const found = await withRemoteDb({ target, file }, ["t"], (rows) =>
        rows(ALL).map((row) => [
          row["n"],
          row["data"],
          rows("SELECT n FROM t WHERE id = ? AND n >= ?", String(row["id"]), 0).map(({ n }) => n),
        ]),
      );
      expect(found).toEqual([
        [1, hostile.replace("\u0000", ""), [1]],
        [2, "é\u{1f600}", [2]],
      ]);
      expect(lies()).toEqual(before);
      expect(readdirSync(folder)).not.toContain("mark");
    });

    it("reads one that nobody has open, and one that is written at this moment, and writes no file beside either", async () => {
      const target = far(program);
      put("a", 1, "x");
      db.exec("BEGIN IMMEDIATE; UPDATE t SET data = 'half'");
      const read = () => withRemoteDb({ target, file }, ["t"], (rows) => rows(ALL).map(({ data }) => data));
      expect(await read()).toEqual(["x"]);
      db.exec("COMMIT");
      db.close();
      expect(readdirSync(folder)).toEqual(["opencode.db"]);
      expect(await read()).toEqual(["half"]);
      expect(readdirSync(folder)).toEqual(["opencode.db"]);
    });

    it("asks no view and no computed column", async () => {
      const target = far(program);
      db.exec(`CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n;
      CREATE TABLE c (id TEXT, long TEXT AS (hex(zeroblob(1000))))`);
      for (const table of ["v", "c", "missing"])
        expect(
          await withRemoteDb({ target, file }, ["t", table], (rows) => rows(`SELECT id FROM ${table}`)),
        ).toBeNull();
    });

    it("says so where it answers too much, is noise, or was left by a crash", async () => {
      const target = far(program);
      const read = (path = file) => withRemoteDb({ target, file: path }, ["t"], (rows) => rows(ALL));
      for (let n = 0; n < 12; n += 1) put(`${n}`, n, "x".repeat(900_000));
      await expect(read()).rejects.toThrow("its database answers too much");
      const left = join(folder, "left.db");
      copyFileSync(file, left);
      copyFileSync(`${file}-wal`, `${left}-wal`);
      await expect(read(left)).rejects.toThrow("left open by a crash");
      unlinkSync(`${left}-wal`);
      copyFileSync(process.execPath, left);
      await expect(read(left)).rejects.toThrow("cannot be read now");
      symlinkSync(file, join(folder, "link.db"));
      expect(await read(join(folder, "link.db"))).toBeNull();
      execFileSync("mkfifo", [join(folder, "pipe.db")]);
      expect(await read(join(folder, "pipe.db"))).toBeNull();
    });
  });

it("says so where there is no program for it", async () => {
  await expect(withRemoteDb({ target: far(), file }, ["t"], (rows) => rows(ALL))).rejects.toThrow(
    "no program there can read its database",
  );
});

it.runIf(PROGRAMS.some(({ isThere }) => isThere))("ends where a work asks without end", async () => {
  let count = 0;
  const target = far(PROGRAMS.find(({ isThere }) => isThere)?.program ?? "");
  const endless = withRemoteDb({ target, file }, ["t"], (rows) =>
    rows("SELECT id FROM t WHERE n = ?", (count += 1)),
  );
  await expect(endless).rejects.toThrow("asks for more");
});

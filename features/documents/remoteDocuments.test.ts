// The scripts for documents of another machine, run by a shell of this one: only the named document is read, and nothing replaces a
// file that is no longer what was read, or with less than what was sent.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import type { RemotePut } from "./calls.ts";
import { putRemoteFile, readRemoteFiles } from "./remoteDocuments.ts";

/** `cut`: so much of what is sent arrives. `programs`: a folder whose programs come first. */
const targetWith = ({ cut, programs }: { cut?: number; programs?: string } = {}): FeatureTarget => {
  const run: FeatureTarget["run"] = ([file = "", ...args], { stdin }) =>
    new Promise((resolve) => {
      const path = `${programs === undefined ? "" : `${programs}:`}${process.env["PATH"]}`;
      const child = spawn(file, args, { env: { ...process.env, PATH: path } });
      let stdout = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stdin.on("error", () => {});
      child.stdin.end((stdin ?? "").slice(0, cut));
      child.once("close", (exitCode) => resolve({ exitCode, stdout, stderr: "", timedOut: false }));
    });
  const unused = () => {
    throw new Error("not used");
  };
  return {
    kind: "ssh",
    run,
    homeDir: unused,
    tmux: unused,
    accounts: unused,
    files: {} as FeatureTarget["files"],
  };
};
const target = targetWith();

let folder: string;
let file: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "agtmux far '$(touch x)-")));
  mkdirSync(join(folder, ".agent-doc"));
  file = join(folder, "a plan.md");
  writeFileSync(file, "# Plan\n\nGröße\n");
});

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const read = (): string => readFileSync(file, "utf8");
const putting = (
  text: string,
  expected: string | null | undefined,
  more: Partial<RemotePut> = {},
): RemotePut => ({
  target: "vm1",
  root: folder,
  file,
  what: "document",
  gzip: gzipSync(text).toString("base64"),
  ...(expected === undefined ? {} : { expected: expected === null ? null : hash(expected) }),
  ...more,
});
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: unknown) => String(error),
  );

describe("reading", () => {
  it("gives the document with what lies beside it", async () => {
    const own = join(folder, ".agent-doc");
    mkdirSync(join(own, "snapshots"));
    mkdirSync(join(own, "pending"));
    writeFileSync(join(own, "snapshots", `${hash(file)}.md`), "seen\n\n");
    writeFileSync(join(own, "sessions.json"), "{}\n");
    writeFileSync(join(own, "pending", `${hash(file)}-0123456789abcdef.json`), "kept");
    writeFileSync(join(own, "pending", `${hash("other")}-0123456789abcdef.json`), "not its own");
    expect(await readRemoteFiles(target, file)).toEqual({
      file,
      root: folder,
      hasEditor: false,
      text: read(),
      snapshot: "seen\n\n",
      components: null,
      sessions: "{}\n",
      own: null,
      answered: null,
      pending: [{ name: `${hash(file)}-0123456789abcdef.json`, text: "kept" }],
    });
  });

  it("finds the file behind '..' and links, also one whose name looks like an option", async () => {
    mkdirSync(join(folder, "sub"));
    symlinkSync("../a plan.md", join(folder, "sub", "link.md"));
    symlinkSync("sub/link.md", join(folder, "twice.md"));
    for (const path of ["sub/../a plan.md", "sub/link.md", "twice.md"])
      expect([path, (await readRemoteFiles(target, `${folder}/${path}`)).file]).toEqual([path, file]);
    writeFileSync(join(folder, "-n.md"), "option\n");
    expect((await readRemoteFiles(target, join(folder, "-n.md"))).text).toBe("option\n");
  });

  it("refuses what is no document, and what cannot be read whole", async () => {
    symlinkSync("loop.md", join(folder, "loop.md"));
    symlinkSync("gone.md", join(folder, "dangling.md"));
    // A shell's substitution drops the line end, and would name the other file.
    writeFileSync(join(folder, "end.md"), "not meant\n");
    writeFileSync(join(folder, "end.md\n"), "meant\n");
    symlinkSync("end.md\n", join(folder, "to-end.md"));
    writeFileSync(join(folder, "huge.md"), "x".repeat(1024 * 1024 + 1));
    writeFileSync(join(folder, "latin.md"), Buffer.from([0x47, 0xf6]));
    const refused: Record<string, string> = {
      "gone.md": "no such file",
      "loop.md": "no such file",
      "dangling.md": "no such file",
      "to-end.md": "no such file",
      ".agent-doc": "not a file",
      "huge.md": "larger than 1 MB",
      "latin.md": "isn't UTF-8 text",
    };
    for (const [name, reason] of Object.entries(refused))
      expect([name, await refusal(readRemoteFiles(target, join(folder, name)))]).toEqual([
        name,
        expect.stringContaining(reason),
      ]);
  });

  it("follows no link that a project brings along, and waits for no pipe", async () => {
    const own = join(folder, ".agent-doc");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(folder, "secret"), "a private key\n");
    symlinkSync(join(folder, "secret"), join(own, "sessions.json"));
    execFileSync("mkfifo", [join(own, "components.toml")]);
    expect(await readRemoteFiles(target, file)).toMatchObject({ sessions: null, components: null });
    for (const name of ["snapshots", "answered", "pending", "patches"]) {
      symlinkSync(folder, join(own, name));
      await expect(readRemoteFiles(target, file), name).rejects.toThrow("is a link");
      rmSync(join(own, name));
    }
    symlinkSync(folder, join(own, "snapshots"));
    const text = gzipSync("x").toString("base64");
    const put = { target: "vm1", root: folder, file, what: "snapshot" as const, gzip: text };
    await expect(putRemoteFile(target, put)).rejects.toThrow("is a link");
  });

  it("sees an editor that lives, and not one that ended", async () => {
    const own = join(folder, ".agent-doc");
    mkdirSync(join(own, "patches"));
    // Where a plugin once made its folder, nothing says that it lives.
    expect((await readRemoteFiles(target, file)).hasEditor).toBe(false);
    writeFileSync(join(own, "agtmux-seen.json"), "{}");
    expect((await readRemoteFiles(target, file)).hasEditor).toBe(true);
    utimesSync(join(own, "agtmux-seen.json"), new Date(0), new Date(0));
    writeFileSync(join(own, "editor-999999999.json"), "{}");
    expect((await readRemoteFiles(target, file)).hasEditor).toBe(false);
    writeFileSync(join(own, `editor-${process.pid}.json`), "{}");
    expect((await readRemoteFiles(target, file)).hasEditor).toBe(true);
  });

  it("without a project above it takes the document's own folder", async () => {
    const alone = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-alone-")));
    writeFileSync(join(alone, "plan.md"), "");
    expect(await readRemoteFiles(target, join(alone, "plan.md"))).toMatchObject({ root: alone, text: "" });
  });

  it("believes no '.agent-doc' that is a plain file", async () => {
    const alone = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-alone-")));
    writeFileSync(join(alone, "plan.md"), "");
    writeFileSync(join(alone, ".agent-doc"), "");
    expect(await refusal(readRemoteFiles(target, join(alone, "plan.md")))).toContain("another user's");
  });

  it.runIf(process.getuid?.() === 0)("believes no '.agent-doc' of another user", async () => {
    const own = join(folder, ".agent-doc");
    mkdirSync(join(own, "pending"));
    writeFileSync(join(own, "pending", `${hash(file)}-0123456789abcdef.json`), "planted");
    chownSync(own, 65_534, 65_534);
    expect(await refusal(readRemoteFiles(target, file))).toContain("another user's");
  });
});

describe("putting", () => {
  it("replaces what was read, with its mode, and leaves nothing beside it", async () => {
    const before = read();
    chmodSync(file, 0o640);
    expect(await putRemoteFile(target, putting("new\n\n", before))).toEqual({ outcome: "ok" });
    expect([read(), statSync(file).mode & 0o777]).toEqual(["new\n\n", 0o640]);
    expect(readdirSync(folder).toSorted()).toEqual([".agent-doc", "a plan.md"]);
  });

  it("changes nothing where the file is another one by now, is there already, or is gone", async () => {
    const before = read();
    expect(await putRemoteFile(target, putting("new", "older"))).toEqual({ outcome: "changed" });
    expect(await putRemoteFile(target, putting("new", null))).toEqual({ outcome: "changed" });
    expect(read()).toBe(before);
    const gone = putting("new", before, { file: join(folder, "gone.md") });
    expect(await putRemoteFile(target, gone)).toEqual({ outcome: "changed" });
    expect(existsSync(join(folder, "gone.md"))).toBe(false);
  });

  it("changes nothing where the connection ends in the middle of the text", async () => {
    const before = read();
    for (const cut of [0, 3]) {
      const refused = await refusal(putRemoteFile(targetWith({ cut }), putting("the whole text", before)));
      expect([cut, refused]).toEqual([cut, expect.stringContaining("could not be written")]);
    }
    expect(read()).toBe(before);
    expect(readdirSync(folder).toSorted()).toEqual([".agent-doc", "a plan.md"]);
  });

  it("changes nothing that is read-only, or a link", async () => {
    const before = read();
    chmodSync(file, 0o444);
    expect(await refusal(putRemoteFile(target, putting("new", before)))).toContain("read-only");
    symlinkSync(file, join(folder, "link.md"));
    const linked = putting("new", before, { file: join(folder, "link.md") });
    expect(await refusal(putRemoteFile(target, linked))).toContain("is a link");
    expect(read()).toBe(before);
  });

  it("gives back what an editor wrote into the old file at the moment of the rename", async () => {
    const programs = mkdtempSync(join(tmpdir(), "agtmux-mv-"));
    const slow = '#!/bin/sh\nfor last; do :; done\nprintf "typed\\n" >>"$last"\nexec /bin/mv "$@"\n';
    writeFileSync(join(programs, "mv"), slow, { mode: 0o755 });
    const before = read();
    const put = await putRemoteFile(targetWith({ programs }), putting("new\n", before));
    expect(put).toEqual({ outcome: "late", text: `${before}typed\n` });
    expect(read()).toBe("new\n");
  });

  it("changes nothing where a writer of that machine renames over the file after it was compared", async () => {
    const programs = mkdtempSync(join(tmpdir(), "agtmux-sum-"));
    const [count, theirs] = [join(programs, "count"), join(folder, ".agent-doc", "theirs")];
    writeFileSync(theirs, "theirs\n");
    // The second sum is that of the file which is about to be replaced.
    const racing = `#!${process.execPath}
const { createHash } = require("node:crypto");
const { appendFileSync, readFileSync, renameSync } = require("node:fs");
console.log(createHash("sha256").update(readFileSync(0)).digest("hex"));
appendFileSync(${JSON.stringify(count)}, "x");
if (readFileSync(${JSON.stringify(count)}).length === 2) renameSync(${JSON.stringify(theirs)}, ${JSON.stringify(file)});
`;
    writeFileSync(join(programs, "sha256sum"), racing, { mode: 0o755 });
    const put = await putRemoteFile(targetWith({ programs }), putting("new\n", read()));
    expect([put, read()]).toEqual([{ outcome: "changed" }, "theirs\n"]);
    expect(readdirSync(folder).toSorted()).toEqual([".agent-doc", "a plan.md"]);
  });

  it("takes kept responses away only where the document is as it was put", async () => {
    const kept = join(folder, ".agent-doc", "pending", `${hash(file)}-0123456789abcdef.json`);
    await putRemoteFile(target, putting("kept", null, { what: { pending: "0123456789abcdef" } }));
    expect(readFileSync(kept, "utf8")).toBe("kept");
    const settling = (document: string): RemotePut =>
      putting("seen", undefined, {
        what: "snapshot",
        settles: { document: hash(document), pending: ["0123456789abcdef"] },
      });
    expect(await putRemoteFile(target, settling("another text"))).toEqual({ outcome: "later" });
    expect(existsSync(kept)).toBe(true);
    expect(await putRemoteFile(target, settling(read()))).toEqual({ outcome: "ok" });
    expect(existsSync(kept)).toBe(false);
    expect(readFileSync(join(folder, ".agent-doc", "snapshots", `${hash(file)}.md`), "utf8")).toBe("seen");
  });
});

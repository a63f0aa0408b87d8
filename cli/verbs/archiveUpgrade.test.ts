// What is taken out of an archive, and where one may be upgraded. Whole upgrades: test/packaging/upgradeCommand.slow.test.ts.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listFiles } from "../../test/packaging/packageApp.ts";
import { smallEntries, SYSTEM, tarOf, type TarEntry } from "../../test/packaging/releaseMirror.ts";
import { checkPlace, unpackArchive } from "./archiveUpgrade.ts";

const NAME = `agtmux-1.0.0-${SYSTEM}`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-u-"));
  mkdirSync(join(root, "into"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const unpack = (content: Buffer): Promise<void> => {
  writeFileSync(join(root, "archive"), content);
  return unpackArchive(join(root, "archive"), join(root, "into"), NAME);
};
const withEntries = (...entries: TarEntry[]): Buffer => tarOf([...smallEntries("1.0.0"), ...entries]);

describe("an archive", () => {
  it("is unpacked as it is, without the rights and owners that it names", async () => {
    const long = `${NAME}/bin/${"f".repeat(70)}`;
    await unpack(withEntries({ name: long, text: "x".repeat(2_000), mode: 0o4666 }));
    expect(readFileSync(join(root, "into", long), "utf8")).toBe("x".repeat(2_000));
    const modeOf = (path: string) => statSync(join(root, "into", path)).mode & 0o7777 & ~0o022;
    expect([modeOf(long), modeOf(`${NAME}/bin/agtmux`), modeOf(NAME)]).toEqual([0o644, 0o755, 0o755]);
  });

  it.each([
    ["a path out of the folder", { name: `${NAME}/../evil`, text: "x" }, "outside of its folder"],
    ["an absolute path", { name: "/evil", text: "x" }, "outside of its folder"],
    ["another folder", { name: "other/evil", text: "x" }, "outside of its folder"],
    ["a name that steers a terminal", { name: `${NAME}/\u001b[2J`, text: "x" }, "outside of its folder"],
    ["an empty part", { name: `${NAME}//evil`, text: "x" }, "outside of its folder"],
    ["a link", { name: `${NAME}/l`, type: "2", link: "/etc" }, "a link or a special file"],
    ["a hard link", { name: `${NAME}/l`, type: "1", link: "/etc/passwd" }, "a link or a special file"],
    ["a pipe", { name: `${NAME}/l`, type: "6" }, "a link or a special file"],
    ["a long name of GNU's", { name: "././@LongLink", type: "L", text: "x" }, "a link or a special file"],
    ["a name that comes twice", { name: `${NAME}/bin/agtmux`, text: "x" }, "contradict each other"],
    ["a file in the place of a folder", { name: `${NAME}/bin/agtmux/x`, text: "x" }, "contradict each other"],
    ["a folder that is not there", { name: `${NAME}/none/x`, text: "x" }, "contradict each other"],
    ["a size beyond its end", { name: `${NAME}/x`, text: "x", size: 100_000 }, "cut short"],
    ["a size beyond all bounds", { name: `${NAME}/x`, text: "x", size: 8 ** 11 - 1 }, "cut short"],
  ] as const)("with %s is refused", async (_what, entry, why) => {
    await expect(unpack(withEntries(entry))).rejects.toThrow(why);
    expect(existsSync(join(root, "evil"))).toBe(false);
  });

  it("that is damaged, cut short or none is refused", async () => {
    const whole = withEntries();
    for (const [content, why] of [
      [Buffer.from("none"), "damaged"],
      [whole.subarray(0, whole.length - 30), "damaged"],
      [gzipSync(Buffer.alloc(0)), "cut short"],
      [gzipSync(Buffer.alloc(512, "x")), "damaged"],
    ] as const) {
      await expect(unpack(content)).rejects.toThrow(why);
      await rm(join(root, "into"), { recursive: true });
      mkdirSync(join(root, "into"));
    }
  });

  it("that grows without bounds when it is unpacked is refused", async () => {
    const size = 500 * 1024 * 1024;
    const headers = [headerOf({ name: `${NAME}/`, type: "5" }), headerOf({ name: `${NAME}/big`, size })];
    // Gzip files one after the other are one.
    const bomb = Buffer.concat([
      gzipSync(Buffer.concat(headers)),
      ...Array.from({ length: 50 }, () => ZEROS),
    ]);
    await expect(unpack(bomb)).rejects.toThrow("larger than 400 MB");
  });
});

/** 10 MB of nothing. */
const ZEROS = gzipSync(Buffer.alloc(10 * 1024 * 1024));
const headerOf = (entry: TarEntry): Buffer => gunzipSync(tarOf([entry])).subarray(0, 512);

describe("the place of an archive", () => {
  it("is a version that a link leads to, or a folder by itself", async () => {
    await unpack(withEntries());
    const made = join(root, "into", NAME);
    expect(await checkPlace(made)).toEqual({ root: made, around: join(root, "into"), link: null });
    symlinkSync(NAME, join(root, "into", "current"));
    expect(await checkPlace(join(root, "into", "current"))).toEqual({
      root: made,
      around: join(root, "into"),
      link: join(root, "into", "current"),
    });
    await rm(join(root, "into", "current"));
    // A file of that name is somebody else's.
    writeFileSync(join(root, "into", "current"), "");
    expect((await checkPlace(made)).link).toBeNull();
  });

  it("is refused where others could meddle with it", async () => {
    await unpack(withEntries());
    chmodSync(join(root, "into"), 0o777);
    await expect(checkPlace(join(root, "into", NAME))).rejects.toThrow("everybody may write to");
    expect(listFiles(join(root, "into"))).not.toEqual([]);
  });
});

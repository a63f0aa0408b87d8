// The extension's own part against an editor that is played: a buffer in which somebody types, edits that come too late, and
// the real command at the other end.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { locateDocument, type DocumentPaths } from "../../../features/documents/files/documentPaths.ts";
import { writeResponse } from "../../../features/documents/flow/writeResponse.ts";
import { mergeTexts } from "../../../features/documents/model/mergeTexts.ts";
import { editsBetween, putInto, readPatchFile } from "./applyResponse.ts";
import { applyEdits, PlayedBuffer } from "./fixtures/playedBuffer.ts";
import { openProject, type Project } from "./project.ts";

const DOC = `<!-- agent:status -->
nothing yet
<!-- /agent:status -->
<!-- agent:exchange mode=append -->
Which way shall we go?
<!-- /agent:exchange -->
`;

let folder: string;
let paths: DocumentPaths;
let buffer: PlayedBuffer;
let project: Project;
const logged: string[] = [];
const open = (): Promise<Project> =>
  openProject({
    folder: join(folder, ".agent-doc"),
    version: "1",
    open: () => Promise.resolve(buffer),
    log: (message) => logged.push(message),
  });
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-editor-"));
  mkdirSync(join(folder, ".agent-doc"));
  writeFileSync(join(folder, "plan.md"), DOC);
  paths = await locateDocument(join(folder, "plan.md"), folder);
  buffer = new PlayedBuffer(paths.file);
  project = await open();
  logged.length = 0;
});
afterEach(async () => {
  await project.close();
});

const write = (response: string, baseline = DOC) =>
  writeResponse({
    paths,
    response,
    baseline,
    mergeByLines: (...texts) => Promise.resolve(mergeTexts(...texts)),
    way: "auto",
    now: 0,
  });

/** A patch file of the original that was there before the editor. */
const reopenWith = async (component: string, content: string): Promise<void> => {
  const patch = { file: paths.file, patches: [{ component, content }], unmatched: "", baseline: DOC };
  writeFileSync(join(paths.patches, `${paths.hash}.json`), JSON.stringify(patch));
  project = await open();
  await expect.poll(() => readdirSync(paths.patches)).toEqual([]);
};

describe("a response", () => {
  it("goes into the buffer as one edit, beside what is typed and not saved", async () => {
    buffer.type((text) => text.replace("nothing yet", "typed, not saved"));
    await write("This way, over the bridge.\n");
    expect(buffer.text).toBe(
      DOC.replace("nothing yet", "typed, not saved").replace("go?\n", "go?\nThis way, over the bridge.\n"),
    );
    expect([readFileSync(paths.file, "utf8"), buffer.edits]).toEqual([buffer.text, 1]);
    expect(readdirSync(paths.patches)).toEqual([]);
  });

  it("is tried again when somebody types at that moment, and no key is lost", async () => {
    let keys = 0;
    buffer.onEdit = () => {
      if (keys < 3) buffer.type((text) => text.replace("yet", `yet${(keys += 1)}`));
    };
    await write("This way, over the bridge.\n");
    expect([buffer.refused, buffer.text]).toEqual([
      3,
      DOC.replace("yet", "yet321").replace("go?\n", "go?\nThis way, over the bridge.\n"),
    ]);
  });

  it("of hundreds, while keys come all the time, is there once, and so is each key", async () => {
    let typed = "";
    const timer = setInterval(() => {
      const key = String.fromCharCode(97 + (typed.length % 26));
      typed += key;
      buffer.type((text) => text.replace(/(nothing yet)([a-z]*)/, `$1$2${key}`));
      project.typed();
    }, 20);
    for (let made = 0; made < 100; made += 1) {
      const seen = readFileSync(paths.file, "utf8");
      await write(`Answer number ${made}, in full.\n`, seen);
    }
    clearInterval(timer);
    expect(/nothing yet([a-z]*)/.exec(buffer.text)?.[1]).toBe(typed);
    const answers = [...buffer.text.matchAll(/Answer number (\d+)/g)].map(([, number]) => Number(number));
    expect(answers).toEqual(Array.from({ length: 100 }, (_one, index) => index));
  });

  it("that cannot be put in is left, and the command gives up with its file back", async () => {
    buffer.type((text) => text.replace("<!-- /agent:exchange -->", ""));
    const broken = buffer.text;
    buffer.edit = () => Promise.resolve(false);
    await expect(write("This way, over the bridge.\n")).rejects.toMatchObject({ code: "E_DOCUMENT_BUSY" });
    expect([buffer.text, readFileSync(paths.file, "utf8"), readdirSync(paths.patches)]).toEqual([
      broken,
      DOC,
      [],
    ]);
  });

  it("is taken once it is in the file, however long somebody types on while it is saved", async () => {
    let saves = 0;
    buffer.save = async () => {
      writeFileSync(paths.file, buffer.text);
      // An editor says no where the buffer has changed again by the end of the save.
      buffer.type((text) => text.replace("yet", `yet${(saves += 1)}`));
      return Promise.resolve(false);
    };
    await write("This way, over the bridge.\n");
    expect([saves, buffer.edits]).toEqual([1, 1]);
    expect(readFileSync(paths.file, "utf8")).toContain("This way, over the bridge.");
    expect(buffer.text).toContain("yet1");
  });

  it("that could not be saved is not taken, and is kept", async () => {
    buffer.save = () => Promise.resolve(false);
    await expect(write("This way, over the bridge.\n")).rejects.toMatchObject({ code: "E_DOCUMENT_BUSY" });
    expect([readFileSync(paths.file, "utf8"), readdirSync(paths.pending).length]).toEqual([DOC, 1]);
  });

  it("of the original is appended once, however often it has to be saved", async () => {
    await project.close();
    let saves = 0;
    const save = buffer.save.bind(buffer);
    buffer.save = async () => ((saves += 1) < 3 ? Promise.resolve(false) : save());
    await reopenWith("exchange", "This way.");
    expect(readFileSync(paths.file, "utf8")).toBe(DOC.replace("go?\n", "go?\nThis way.\n"));
  });

  it("of the original is appended once, also where a key comes just after it", async () => {
    await project.close();
    const edit = buffer.edit.bind(buffer);
    let keys = 0;
    buffer.edit = async (edits) => {
      const isApplied = await edit(edits);
      if ((keys += 1) <= 3) buffer.type((text) => text.replace("nothing yet", "nothing yet."));
      return isApplied;
    };
    await reopenWith("exchange", "This way.");
    expect(readFileSync(paths.file, "utf8")).toBe(
      DOC.replace("go?\n", "go?\nThis way.\n").replace("yet", "yet."),
    );
  });

  it("of the original is put in again where the person takes back what is on the disk before it was saved", async () => {
    await project.close();
    let saves = 0;
    const save = buffer.save.bind(buffer);
    buffer.save = async () => {
      if ((saves += 1) > 1) return save();
      buffer.type(() => DOC);
      return Promise.resolve(false);
    };
    await reopenWith("exchange", "This way.");
    expect(readFileSync(paths.file, "utf8")).toBe(DOC.replace("go?\n", "go?\nThis way.\n"));
  });

  it("from before the editor's start is taken then", async () => {
    await project.close();
    await reopenWith("status", "done");
    expect(buffer.text).toBe(DOC.replace("nothing yet", "done"));
  });
});

it("an editor says that it is there, and is gone when it closes", async () => {
  const own = join(folder, ".agent-doc", `editor-${process.pid}.json`);
  await expect.poll(() => existsSync(own)).toBe(true);
  expect(JSON.parse(readFileSync(own, "utf8"))).toEqual({
    pid: process.pid,
    name: "vscode",
    version: "1",
    merges: true,
    typedAt: null,
  });
  await project.close();
  expect(existsSync(own)).toBe(false);
});

it("files of the original are taken by each component's mode; what is no patch file is left alone", () => {
  const patch = readPatchFile(
    JSON.stringify({
      file: "/x",
      patches: [{ component: "exchange", content: "more" }],
      unmatched: "and more",
    }),
  );
  if (patch === null) throw new Error("not read");
  expect(putInto(patch, DOC)).toBe(DOC.replace("go?\n", "go?\nmore\nand more\n"));
  for (const text of [
    "",
    "{",
    "[]",
    '{"file":1}',
    '{"file":"/x","patches":[{"component":1}]}',
    '{"file":"/x","response":2}',
  ])
    expect(readPatchFile(text)).toBeNull();
});

it("edits are of the lines that change, and make the new text", () => {
  const after = DOC.replace("nothing yet\n", "").replace("go?\n", "go?\na\nb\n");
  expect(editsBetween(DOC, after)).toEqual([
    { from: 1, to: 2, text: "" },
    { from: 5, to: 5, text: "a\nb\n" },
  ]);
  expect(applyEdits(DOC, editsBetween(DOC, after))).toBe(after);
});

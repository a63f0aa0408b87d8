// Documents as they come from other systems and other hands: other line ends, a byte order mark, links, a file that is read-only, that
// goes away, or that is very long. Either the answer is in it, in the document's own way of writing, or a clear error and nothing
// has changed.
import {
  chmodSync,
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
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { locateDocument, type DocumentPaths } from "../files/documentPaths.ts";
import { readRegistry } from "../files/registry.ts";
import { loadSnapshot } from "../files/snapshots.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import { outlineOf } from "../model/documentText.ts";
import { claimDocument, patchComponent } from "./documentChanges.ts";
import { recoverPending, writeResponse } from "./writeResponse.ts";

const DOC = `---
agent_doc_session: 0b1c
---
# Plan

<!-- agent:status -->
nothing yet
<!-- /agent:status -->

<!-- agent:exchange mode=append -->
Which way?
<!-- /agent:exchange -->
`;
const RESPONSE = "<!-- patch:status -->\nhalf\n<!-- /patch:status -->\nThis way,\nover the bridge.\n";
const ANSWERED = DOC.replace("nothing yet", "half").replace("way?\n", "way?\nThis way,\nover the bridge.\n");
const INLINE = "---\nagent_doc_format: inline\n---\n\n## User\n\nWhich way?\n";
const toCrlf = (text: string): string => text.replaceAll("\n", "\r\n");

let root: string;
let folder: string;
let file: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-hostile-")));
  folder = join(root, "project");
  file = join(folder, "plan.md");
  mkdirSync(join(folder, ".agent-doc"), { recursive: true });
  writeFileSync(file, DOC);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const read = (path = file): string => readFileSync(path, "utf8");
const locate = (path = file): Promise<DocumentPaths> => locateDocument(path, folder);
const common = async () => ({
  paths: await locate(),
  mergeByLines: (...texts: [string, string, string]) => Promise.resolve(mergeTexts(...texts)),
  way: "auto" as const,
  now: 0,
});
const write = async (response = RESPONSE, baseline: string | null = null) =>
  writeResponse({ ...(await common()), response, baseline });
const pending = (): string[] => {
  const path = join(folder, ".agent-doc", "pending");
  return existsSync(path) ? readdirSync(path) : [];
};

describe("a document with the line ends of Windows", () => {
  it("keeps them, with an answer that has them and one that has not, which is there once", async () => {
    for (const response of [RESPONSE, toCrlf(RESPONSE)]) {
      writeFileSync(file, toCrlf(DOC));
      await write(response, toCrlf(DOC));
      expect(read()).toBe(toCrlf(ANSWERED));
      expect((await write(response, toCrlf(DOC))).isChanged).toBe(false);
      expect(await loadSnapshot(await locate())).toBe(toCrlf(ANSWERED));
    }
  });

  it("keeps what was typed meanwhile", async () => {
    const typed = DOC.replace("# Plan\n", "# Plan\nTyped.\n");
    writeFileSync(file, toCrlf(typed));
    await write(RESPONSE, toCrlf(DOC));
    expect(read()).toBe(toCrlf(ANSWERED.replace("# Plan\n", "# Plan\nTyped.\n")));
  });

  it("has them in a turn, a patch, components that a claim gives it, and its outline", async () => {
    writeFileSync(file, toCrlf(INLINE));
    await write("This way,\nover the bridge.\n");
    expect(read()).toBe(toCrlf(`${INLINE}\n## Assistant\n\nThis way,\nover the bridge.\n\n## User\n\n`));
    writeFileSync(file, toCrlf(DOC));
    const approve = () => Promise.resolve();
    await patchComponent({
      paths: await locate(),
      component: "status",
      content: "a\nb",
      env: {},
      now: 0,
      approve,
    });
    expect(read()).toBe(toCrlf(DOC.replace("nothing yet", "a\nb")));
    expect(outlineOf(toCrlf(DOC))).toMatchObject([{ heading: "Plan", line: 4 }]);
    writeFileSync(file, "# Bare\r\n");
    await claimDocument(await locate(), () => "0b1c");
    expect(read().replaceAll("\r\n", "")).not.toContain("\n");
    expect(read()).toContain("<!-- /agent:exchange -->");
  });
});

describe("a document with a byte order mark", () => {
  const MARK = "\u{feff}";
  it("keeps it in front, and its frontmatter counts", async () => {
    writeFileSync(file, MARK + DOC);
    await write();
    expect(read()).toBe(MARK + ANSWERED);
    writeFileSync(file, MARK + INLINE);
    await write("This way.\n");
    expect(read()).toBe(`${MARK}${INLINE}\n## Assistant\n\nThis way.\n\n## User\n\n`);
    writeFileSync(file, `${MARK}# Bare\n`);
    const id = await claimDocument(await locate(), () => "a0b1");
    expect([id, read().startsWith(`${MARK}---\nagent_doc_session: a0b1\n---\n# Bare\n`)]).toEqual([
      "a0b1",
      true,
    ]);
    expect(await claimDocument(await locate(), () => "another")).toBe("a0b1");
  });
});

describe("a file", () => {
  it("that is read-only stays as it is, and the answer is kept until it can be written", async () => {
    chmodSync(file, 0o444);
    await expect(write()).rejects.toThrow("is read-only");
    expect([read(), statSync(file).mode & 0o777, pending().length]).toEqual([DOC, 0o444, 1]);
    chmodSync(file, 0o644);
    expect(await recoverPending(await common())).toBe(1);
    expect([read(), pending()]).toEqual([ANSWERED, []]);
  });

  it("that goes away while it is answered is not made again; the answer is kept", async () => {
    const request = await common();
    const onStep = (step: string) => {
      if (step === "locked") rmSync(file);
    };
    await expect(writeResponse({ ...request, response: RESPONSE, baseline: DOC, onStep })).rejects.toThrow(
      /was removed|no such file/,
    );
    expect([existsSync(file), pending().length]).toEqual([false, 1]);
    writeFileSync(file, DOC);
    await recoverPending(request);
    expect(read()).toBe(ANSWERED);
  });

  it("of 10 MB gets its answer, and all else stays", async () => {
    const long = DOC.replace(
      "Which way?\n",
      `${"a line of this document, as long as lines are\n".repeat(230_000)}Which way?\n`,
    );
    writeFileSync(file, long);
    await write(RESPONSE, long);
    expect(
      read() === long.replace("nothing yet", "half").replace("way?\n", "way?\nThis way,\nover the bridge.\n"),
    ).toBe(true);
  }, 60_000);

  it("behind a link is answered where it is, and the link stays one", async () => {
    const real = join(root, "elsewhere.md");
    writeFileSync(real, DOC);
    rmSync(file);
    symlinkSync(real, file);
    await write();
    expect([read(real), readFileSync(file, "utf8"), realpathSync(file)]).toEqual([ANSWERED, ANSWERED, real]);
  });

  it("that is a folder, a link to nothing or one to itself is refused by name", async () => {
    mkdirSync(join(folder, "folder.md"));
    symlinkSync(join(folder, "nothing.md"), join(folder, "dangling.md"));
    symlinkSync(join(folder, "loop.md"), join(folder, "loop.md"));
    for (const name of ["folder.md", "dangling.md", "loop.md"])
      await expect(locate(join(folder, name)), name).rejects.toMatchObject({ code: "E_USAGE" });
  });
});

// As long as each line was looked for in the whole text, these took longer than a test may.
describe("texts that are made to take long", () => {
  const lines = Array.from({ length: 60_000 }, (_, at) => `line ${at} of the document\n`);

  it("are merged: turned round, and all alike", () => {
    const changed = lines.map((line, at) => (at % 3 === 0 ? "another line\n" : line)).join("");
    expect(mergeTexts(lines.join(""), lines.toReversed().join(""), changed)).toContain("another line");
    const alike = ["yes\n", "yes\nno\n", "no\nyes\n"].map((line) => line.repeat(20_000));
    expect(mergeTexts(alike[0] ?? "", alike[1] ?? "", alike[2] ?? "")).toContain("no\n");
  });

  it("are refused as responses, or taken by their first end", async () => {
    const blocks = "<!-- patch:status -->x<!-- /patch:status -->\n".repeat(1_001);
    await expect(write(blocks)).rejects.toThrow("more than 1000 blocks");
    const ends = "<!-- /patch:status -->\n".repeat(100_000);
    await write(`<!-- patch:status -->\n\`\`\`\n${ends}`);
    expect(read().split("/patch:status").length).toBe(100_000);
  });
});

it("what a kill left beside a kept response is none, and goes after a minute", async () => {
  const kept = join(folder, ".agent-doc", "pending");
  mkdirSync(kept);
  const [old, young] = ["0123abcd", "89abcdef"].map((id) => join(kept, `.x.json.${id}.agtmux`)) as [
    string,
    string,
  ];
  for (const path of [old, young]) writeFileSync(path, "{");
  utimesSync(old, new Date(0), new Date(0));
  expect(await recoverPending(await common())).toBe(0);
  await write();
  expect([read(), pending()]).toEqual([ANSWERED, [basename(young)]]);
});

describe("what a repository brings along in .agent-doc", () => {
  it("never makes a lock of another program's database", async () => {
    const other = join(root, "places.sqlite");
    symlinkSync(other, join(folder, ".agent-doc", "agtmux.lock.db"));
    await expect(write()).rejects.toThrow("is a link");
    expect([existsSync(other), read()]).toEqual([false, DOC]);
  });

  it.each(["__proto__", "constructor", "x y", "../up", "a".repeat(200)])(
    "cannot name a document %s",
    async (id) => {
      const named = DOC.replace("0b1c", JSON.stringify(id));
      writeFileSync(file, named);
      await expect(claimDocument(await locate(), () => "0b1c")).rejects.toThrow("'agent_doc_session'");
      expect([read(), (await readRegistry(await locate(), root)).entries]).toEqual([named, {}]);
    },
  );
});

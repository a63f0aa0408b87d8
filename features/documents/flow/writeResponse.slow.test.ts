// Writing into real files, with everything that may come between.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mergeTexts } from "../model/mergeTexts.ts";
import { locateDocument, projectOf, type DocumentPaths } from "../files/documentPaths.ts";
import { listPending, recoverPending, writeResponse, type WriteRequest } from "./writeResponse.ts";
import { loadSnapshot } from "../files/snapshots.ts";

const DOC = `---
agent_doc_session: 0b1c
---

<!-- agent:status -->
nothing yet
<!-- /agent:status -->

<!-- agent:exchange mode=append -->
Which way?
<!-- /agent:exchange -->
`;
const RESPONSE = `<!-- patch:exchange -->
This way, over the bridge.
<!-- /patch:exchange -->
`;
const ANSWERED = DOC.replace("Which way?\n", "Which way?\nThis way, over the bridge.\n");
const STEPS = [
  "pending saved",
  "locked",
  "written beside",
  "renamed",
  "in the file",
  "snapshot saved",
  "pending removed",
];

let folder: string;
let file: string;
let paths: DocumentPaths;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-doc-"));
  mkdirSync(join(folder, ".agent-doc"));
  file = join(folder, "plan.md");
  writeFileSync(file, DOC, { mode: 0o640 });
  paths = await locateDocument(file, folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (): string => readFileSync(file, "utf8");
const pendingFiles = (): string[] => {
  try {
    return readdirSync(paths.pending);
  } catch {
    return [];
  }
};
const request = (more: Partial<WriteRequest> = {}): WriteRequest => ({
  paths,
  response: RESPONSE,
  baseline: DOC,
  mergeByLines: (...texts) => Promise.resolve(mergeTexts(...texts)),
  way: "auto",
  now: 0,
  ...more,
});

describe("writing a response", () => {
  it("puts it into the document, keeps its mode, and remembers what the agent has seen", async () => {
    expect(await writeResponse(request())).toEqual({ isChanged: true, notes: [], recovered: 0 });
    expect(read()).toBe(ANSWERED);
    expect(await loadSnapshot(paths)).toBe(ANSWERED);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(statSync(paths.crdt).size).toBeGreaterThan(0);
    expect([pendingFiles(), readdirSync(folder).toSorted()]).toEqual([[], [".agent-doc", "plan.md"]]);
  });

  it("puts several answers to the same text in the order in which they came, at once or later, each once", async () => {
    const answer = (name: string) => request({ response: `Answer ${name}, over the bridge.\n` });
    const order = (): string[] => read().match(/(?<=Answer )\w+/g) ?? [];
    for (const name of ["one", "two", "three"]) await writeResponse(answer(name));
    expect(order()).toEqual(["one", "two", "three"]);
    // What was typed stands below, and is no part of what the agent knows.
    writeFileSync(file, read().replace("three, over the bridge.\n", "three, over the bridge.\nTyped.\n"));
    await writeResponse(answer("four"));
    expect(read()).toContain("Answer four, over the bridge.\nTyped.\n");
    expect(await loadSnapshot(paths)).toBe(read().replace("Typed.\n", ""));
    for (const name of ["one", "four"]) {
      expect((await writeResponse(answer(name))).isChanged).toBe(false);
      expect(await loadSnapshot(paths)).toBe(read().replace("Typed.\n", ""));
    }
    expect(order()).toEqual(["one", "two", "three", "four"]);
    // Kept, because the file may not be written.
    writeFileSync(file, DOC);
    rmSync(paths.snapshot);
    chmodSync(file, 0o444);
    for (const [at, name] of ["one", "two", "three"].entries())
      await expect(writeResponse({ ...answer(name), now: at })).rejects.toThrow("read-only");
    chmodSync(file, 0o640);
    expect(await recoverPending(request())).toBe(3);
    expect(order()).toEqual(["one", "two", "three"]);
  });

  it("a second time changes nothing", async () => {
    await writeResponse(request());
    expect((await writeResponse(request())).isChanged).toBe(false);
    expect(read()).toBe(ANSWERED);
  });

  it("leaves what was typed since in the next diff, not in the snapshot", async () => {
    writeFileSync(file, DOC.replace("nothing yet", "nothing yet, I think"));
    await writeResponse(request());
    expect(read()).toBe(ANSWERED.replace("nothing yet", "nothing yet, I think"));
    expect(await loadSnapshot(paths)).toBe(ANSWERED);
  });

  it("merges what is saved in the moment before the file is replaced", async () => {
    let isTyped = false;
    const onStep = (step: string) => {
      if (step !== "written beside" || isTyped) return;
      isTyped = true;
      writeFileSync(`${file}.new`, read().replace("nothing yet", "typed in time"));
      renameSync(`${file}.new`, file);
    };
    await writeResponse(request({ onStep }));
    expect(read()).toBe(ANSWERED.replace("nothing yet", "typed in time"));
  });

  it("merges what an editor writes into the file that was just replaced", async () => {
    const { openSync, ftruncateSync, writeSync, closeSync } = await import("node:fs");
    const held = openSync(file, "r+");
    let isTyped = false;
    const onStep = (step: string) => {
      if (step !== "renamed" || isTyped) return;
      isTyped = true;
      ftruncateSync(held, 0);
      writeSync(held, DOC.replace("nothing yet", "typed too late"), 0);
      closeSync(held);
    };
    await writeResponse(request({ onStep }));
    expect(read()).toBe(ANSWERED.replace("nothing yet", "typed too late"));
  });

  it("goes into the document once more when an editor saves over it", async () => {
    let isSaved = false;
    const onStep = (step: string) => {
      if (step !== "renamed" || isSaved) return;
      isSaved = true;
      // After the look at the replaced file, and before the look at the new one.
      queueMicrotask(() => writeFileSync(file, DOC.replace("nothing yet", "typed")));
    };
    await writeResponse(request({ onStep }));
    expect(read()).toBe(ANSWERED.replace("nothing yet", "typed"));
  });

  it("of two writers at once keeps both answers", async () => {
    const other = RESPONSE.replace("This way, over the bridge.", "That way, through the wood.");
    await Promise.all([writeResponse(request()), writeResponse(request({ response: other }))]);
    expect(
      read()
        .match(/over the bridge|through the wood/g)
        ?.toSorted(),
    ).toEqual(["over the bridge", "through the wood"]);
    expect(pendingFiles()).toEqual([]);
  });

  it("minds no file that another writer has taken away since the folder was listed", async () => {
    mkdirSync(paths.pending);
    // Listed, and not there.
    symlinkSync("gone", join(paths.pending, ".kept.json.01234567.agtmux"));
    const kept = join(paths.pending, `${paths.hash}-0.json`);
    const text = JSON.stringify({ file, response: RESPONSE, baseline: DOC, at: "2026-11-23T08:00:00.000Z" });
    const ended = new AbortController();
    const others = (async () => {
      while (!ended.signal.aborted) {
        writeFileSync(`${kept}.new`, text);
        renameSync(`${kept}.new`, kept);
        await new Promise((next) => setImmediate(next));
        rmSync(kept, { force: true });
        await new Promise((next) => setImmediate(next));
      }
    })();
    try {
      for (let round = 0; round < 200; round += 1) await listPending(paths);
    } finally {
      ended.abort();
      await others;
    }
    await writeResponse(request());
    expect(read()).toContain("over the bridge");
  });

  it("into an inline document is a new turn", async () => {
    const inline = "---\nagent_doc_format: inline\n---\n\n## User\n\nWhich way?\n";
    writeFileSync(file, inline);
    await writeResponse(request({ baseline: null, response: "This way.\n" }));
    expect(read()).toBe(`${inline}\n## Assistant\n\nThis way.\n\n## User\n\n`);
  });
});

const killAt = (step: string, baseline: string | null): void => {
  const response = join(folder, "response");
  writeFileSync(response, RESPONSE);
  const seen = join(folder, "seen");
  if (baseline !== null) writeFileSync(seen, baseline);
  const script = fileURLToPath(new URL("fixtures/killedWriteScript.ts", import.meta.url));
  const { signal, stderr } = spawnSync(
    process.execPath,
    [script, file, baseline === null ? "" : seen, response, step],
    {
      cwd: folder,
      encoding: "utf8",
    },
  );
  expect([step, signal, stderr]).toEqual([step, "SIGKILL", ""]);
};

describe.each([
  { from: "a baseline", baseline: DOC },
  { from: "the document itself", baseline: null },
])("a kill while a response to $from is written", ({ baseline }) => {
  it.each(STEPS)(
    "after '%s' loses nothing: the same write again, or 'recover', puts it in once",
    async (step) => {
      killAt(step, baseline);
      expect([DOC, ANSWERED]).toContain(read());
      expect(read() === ANSWERED || pendingFiles().length === 1).toBe(true);
      appendFileSync(file, "typed afterwards\n");
      if (step !== "pending removed") {
        await recoverPending(request());
        expect(read()).toBe(`${ANSWERED}typed afterwards\n`);
      }
      expect(pendingFiles()).toEqual([]);
    },
  );

  it("is made good by the same write, made again", async () => {
    killAt("renamed", baseline);
    await writeResponse(request({ baseline }));
    expect([read(), pendingFiles()]).toEqual([ANSWERED, []]);
  });
});

describe("what cannot be understood is refused, and the file stays as it was", () => {
  const OPEN = "<!-- agent:status -->\n<!-- agent:exchange -->\n<!-- /agent:exchange -->\n";
  it.each([
    ["a frontmatter that is not YAML", { doc: DOC.replace("0b1c", "[0b1c") }, "not valid YAML"],
    ["a frontmatter that is not closed", { doc: "---\nagent: x\n\ntext\n" }, "the frontmatter is not closed"],
    [
      "a component that is not closed",
      { doc: DOC.replace("<!-- /agent:status -->", "") },
      "begins within 'status'",
    ],
    ["a component within another", { doc: OPEN }, "begins within 'status' of line 1"],
    [
      "a format that is not known",
      { doc: DOC.replace("---\n\n", "agent_doc_format: x\n---\n\n") },
      "is unknown",
    ],
    ["a mode that is not known", { doc: DOC.replace("mode=append", "mode=insert") }, "unknown mode 'insert'"],
    ["a template without components", { doc: "text\n" }, "has no components"],
    [
      "a response for a component that is not there",
      { response: RESPONSE.replaceAll("exchange", "none") },
      "no component 'none'",
    ],
    [
      "a response that is not whole",
      { response: "<!-- patch:exchange -->\ntext" },
      "'patch:exchange' is not closed",
    ],
    ["an empty response", { response: " \n" }, "the response is empty"],
    ["a configuration that is not TOML", { config: "[exchange\n" }, "components.toml is not valid TOML"],
    [
      "a configuration with an unknown mode",
      { config: '[exchange]\nmode = "insert"\n' },
      "components.toml: exchange.mode",
    ],
  ])("%s", async (_what, bad: { doc?: string; response?: string; config?: string }, message) => {
    if (bad.doc !== undefined) writeFileSync(file, bad.doc);
    if (bad.config !== undefined) writeFileSync(paths.components, bad.config);
    const before = read();
    const response = bad.response ?? RESPONSE;
    await expect(writeResponse(request({ baseline: null, response }))).rejects.toThrow(message);
    expect([read(), pendingFiles()]).toEqual([before, []]);
  });

  it("bytes that are no text", async () => {
    const bytes = Buffer.concat([Buffer.from(DOC), Buffer.from([0xff, 0xfe])]);
    writeFileSync(file, bytes);
    await expect(writeResponse(request())).rejects.toThrow("isn't UTF-8 text");
    expect(readFileSync(file)).toEqual(bytes);
  });

  it("a kept response that is none", async () => {
    mkdirSync(paths.pending);
    writeFileSync(join(paths.pending, `${paths.hash}-0.json`), "{");
    await expect(writeResponse(request())).rejects.toThrow("cannot be read");
    expect(read()).toBe(DOC);
  });
});

it("a folder that cannot be written to loses nothing", async () => {
  if (process.getuid?.() === 0) {
    // Root may write anywhere, so a folder stands where the lock belongs.
    mkdirSync(paths.lock);
  } else chmodSync(paths.folder, 0o500);
  await expect(writeResponse(request())).rejects.toThrow();
  chmodSync(paths.folder, 0o700);
  expect(read()).toBe(DOC);
});

it("a project folder of another user is not taken for the project's", async (context) => {
  if (process.getuid?.() !== 0) context.skip("it takes root to give a folder away");
  const { chownSync } = await import("node:fs");
  chownSync(join(folder, ".agent-doc"), 65_534, 65_534);
  expect((await locateDocument(file, tmpdir())).root).not.toBe(folder);
  // Not where the command is typed in that very folder, either.
  await expect(locateDocument(file, folder)).rejects.toThrow("another user's");
  await expect(projectOf(folder)).rejects.toThrow("another user's");
});

// Responses through an editor that only knows the protocol of old: a plugin of JetBrains' kind, played after its description,
// with the faults that such plugins had. The real one was never run here.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { locateDocument, type DocumentPaths } from "../files/documentPaths.ts";
import { loadSnapshot } from "../files/snapshots.ts";
import { recoverPending, writeResponse, type WriteRequest } from "../flow/writeResponse.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import type { PatchFile } from "./writeThroughEditor.ts";

const DOC = `<!-- agent:status -->
nothing yet
<!-- /agent:status -->
<!-- agent:exchange mode=append -->
Which way shall we go?
<!-- /agent:exchange -->
`;
const ANSWER = "This way, over the bridge.";
const ANSWERED = DOC.replace("go?\n", `go?\n${ANSWER}\n`);

type Change = (buffer: string, patch: PatchFile) => string;

const contentOf = (component: string): RegExp =>
  new RegExp(`(<!-- agent:${component}(?: [^>]*)? -->\n)([^]*?)(<!-- /agent:${component} -->)`);

/** What the description says: the content between the markers is replaced. */
const replace: Change = (buffer, { patches, fullContent }) =>
  fullContent ??
  patches.reduce(
    (text, { component, content }) =>
      text.replace(contentOf(component), (_all, open, _old, close) => `${open}${content}${close}`),
    buffer,
  );

/** Later ones append where the marker says so. */
const append: Change = (buffer, { patches }) =>
  patches.reduce(
    (text, { component, content }) =>
      text.replace(
        contentOf(component),
        (_all, open, old, close) => `${open}${old}${content.replace(/\n?$/, "\n")}${close}`,
      ),
    buffer,
  );

/** The first ones found no marker with attributes. */
const findNothing: Change = (buffer) => buffer;

const unescape: Change = (buffer, patch) =>
  replace(buffer, {
    ...patch,
    patches: patch.patches.map((one) => ({ ...one, content: one.content.replaceAll(String.raw`\n`, "\n") })),
  });

let folder: string;
let file: string;
let paths: DocumentPaths;
let stop: (() => void)[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-ipc-"));
  mkdirSync(join(folder, ".agent-doc", "patches"), { recursive: true });
  file = join(folder, "plan.md");
  writeFileSync(file, DOC);
  paths = await locateDocument(file, folder);
  stop = [];
});
afterEach(() => {
  for (const one of stop) one();
  rmSync(folder, { recursive: true, force: true });
});

const read = (): string => readFileSync(file, "utf8");
const request = (more: Partial<WriteRequest> = {}): WriteRequest => ({
  paths,
  response: `${ANSWER}\n`,
  baseline: DOC,
  mergeByLines: (...texts) => Promise.resolve(mergeTexts(...texts)),
  way: "auto",
  now: 0,
  ...more,
});

interface Played {
  readonly seen: PatchFile[];
  /** What the editor has that is not saved. */
  buffer: string | null;
}

/** An editor with one buffer. `hold` is called between reading a patch and applying it. */
const play = (change: Change, hold: () => Promise<void> = () => Promise.resolve()): Played => {
  const played: Played = { seen: [], buffer: null };
  const taken = new Set<string>();
  const look = async () => {
    for (const name of readdirSync(paths.patches).filter((one) => one.endsWith(".json") && !taken.has(one))) {
      const path = join(paths.patches, name);
      const patch = JSON.parse(readFileSync(path, "utf8")) as PatchFile;
      taken.add(name);
      played.seen.push(patch);
      await hold();
      writeFileSync(file, change(played.buffer ?? read(), patch));
      rmSync(path, { force: true });
      taken.delete(name);
    }
  };
  // A plugin that was stopped has no folder to look at.
  const timer = setInterval(() => void look().catch(() => {}), 5);
  stop.push(() => clearInterval(timer));
  return played;
};

const faults = (): unknown => {
  const path = join(folder, ".agent-doc", "agtmux-editor.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
};

describe("a plugin that replaces", () => {
  it("is given whole components, and what was typed in its buffer stays", async () => {
    const played = play(replace);
    played.buffer = DOC.replace("nothing yet", "typed, not saved");
    await writeResponse(request());
    expect(played.seen).toEqual([
      expect.objectContaining({
        file: paths.file,
        patches: [{ component: "exchange", content: `Which way shall we go?\n${ANSWER}\n` }],
        unmatched: "",
        baseline: DOC,
      }),
    ]);
    expect(read()).toBe(ANSWERED.replace("nothing yet", "typed, not saved"));
    expect(await loadSnapshot(paths)).toBe(ANSWERED);
    expect([faults(), readdirSync(paths.pending)]).toEqual([null, []]);
  });

  it("gets an inline document whole", async () => {
    const inline = "---\nagent_doc_format: inline\n---\n\n## User\n\nWhich way?\n";
    writeFileSync(file, inline);
    const { seen } = play(replace);
    await writeResponse(request({ baseline: inline }));
    expect(seen[0]?.fullContent).toBe(read());
    expect(read()).toContain(`## Assistant\n\n${ANSWER}\n`);
  });
});

describe("an acknowledgement is not taken for a proof", () => {
  it("where the plugin did nothing", async () => {
    play(findNothing);
    await writeResponse(request());
    expect(read()).toBe(ANSWERED);
  });

  it("where it appends what was resolved for it: made good, and given what is new from then on", async () => {
    const { seen } = play(append);
    await writeResponse(request());
    expect([read(), faults()]).toEqual([ANSWERED, { faults: ["appends"] }]);
    await writeResponse(request({ baseline: ANSWERED, response: "And then to the left, at the mill.\n" }));
    expect(seen[1]).toMatchObject({ patches: [], unmatched: "And then to the left, at the mill." });
  });

  it("where a plugin that replaces comes after one that appends", async () => {
    play(append);
    const block = (text: string) => `<!-- patch:exchange -->\n${text}\n<!-- /patch:exchange -->\n`;
    await writeResponse(request({ response: block(ANSWER) }));
    for (const one of stop.splice(0)) one();
    play(replace);
    const more = "And then to the left, at the mill.";
    await writeResponse(request({ baseline: ANSWERED, response: block(more) }));
    expect([read(), faults()]).toEqual([
      ANSWERED.replace(`${ANSWER}\n`, `${ANSWER}\n${more}\n`),
      { faults: ["replaces"] },
    ]);
  });

  it("where it takes \\n in a text for a new line: made good, and written on the disk from then on", async () => {
    const { seen } = play(unescape);
    const response = String.raw`Print "a\nb" twice.`;
    await writeResponse(request({ response }));
    expect([read(), faults()]).toEqual([ANSWERED.replace(ANSWER, response), { faults: ["escapes"] }]);
    const second = String.raw`Or "c\nd", for that matter.`;
    await writeResponse(request({ baseline: read(), response: second }));
    expect([seen.length, read()]).toEqual([
      1,
      ANSWERED.replace(`${ANSWER}\n`, () => `${response}\n${second}\n`),
    ]);
  });
});

describe("an editor that does not take it in time", () => {
  /** It has taken a response by now. */
  const meet = async (): Promise<void> => {
    play(replace);
    const block = "<!-- patch:status -->\nnothing yet, so far\n<!-- /patch:status -->\n";
    await writeResponse(request({ response: block }));
    for (const one of stop.splice(0)) one();
    writeFileSync(file, DOC);
    rmSync(paths.snapshot);
  };

  it("is not waited for longer: the response is kept, and the same write puts it in, once", async () => {
    await meet();
    const begun = performance.now();
    await expect(writeResponse(request())).rejects.toMatchObject({ code: "E_DOCUMENT_BUSY" });
    expect(performance.now() - begun).toBeLessThan(4_000);
    expect([read(), readdirSync(paths.patches), readdirSync(paths.pending).length]).toEqual([DOC, [], 1]);
    play(replace);
    await writeResponse(request());
    expect([read(), readdirSync(paths.pending)]).toEqual([ANSWERED, []]);
  });

  it("and applies it all the same, too late, has it once", async () => {
    await meet();
    let go = () => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    play(replace, () => held);
    await expect(writeResponse(request())).rejects.toMatchObject({ code: "E_DOCUMENT_BUSY" });
    go();
    await expect.poll(read).toBe(ANSWERED);
    expect(await recoverPending({ ...request(), way: "disk" })).toBe(0);
    expect([read(), readdirSync(paths.pending)]).toEqual([ANSWERED, []]);
  });

  it("and is not known to live, keeps nothing from the disk: neither this write nor a later one", async () => {
    const { pid } = process;
    await writeResponse(request());
    expect([read(), readdirSync(paths.patches), readdirSync(paths.pending)]).toEqual([ANSWERED, [], []]);
    // Asked for an editor where none ever was.
    rmSync(paths.patches, { recursive: true });
    await writeResponse(request({ way: "editor", baseline: ANSWERED, response: "And then to the left.\n" }));
    expect([read().includes("And then to the left."), existsSync(paths.patches)]).toEqual([true, false]);
    const begun = performance.now();
    await writeResponse(request({ baseline: read(), response: "And to the right, at the mill.\n" }));
    expect([read().includes("at the mill"), performance.now() - begun < 1_500]).toEqual([true, true]);
    // One that says that it lives is waited for.
    const editor = { pid, name: "vscode", version: "1", merges: true, typedAt: null };
    writeFileSync(join(paths.folder, `editor-${pid}.json`), JSON.stringify(editor));
    const busy = writeResponse(request({ way: "editor", baseline: read(), response: "Last.\n" }));
    await expect(busy).rejects.toMatchObject({ code: "E_DOCUMENT_BUSY" });
  });

  it("and has ended is not waited for", async () => {
    const gone = { pid: 2 ** 22 + 1, name: "vscode", version: "1", merges: true, typedAt: null };
    writeFileSync(join(paths.folder, "editor-4194305.json"), JSON.stringify(gone));
    await writeResponse(request());
    expect([read(), existsSync(join(paths.folder, "editor-4194305.json"))]).toEqual([ANSWERED, false]);
  });
});

it("without a plugin, and past one when asked, the disk is written at once", async () => {
  await writeResponse(request({ way: "disk" }));
  expect(read()).toBe(ANSWERED);
  rmSync(paths.patches, { recursive: true });
  writeFileSync(file, DOC);
  await writeResponse(request());
  expect([read(), existsSync(paths.patches)]).toEqual([ANSWERED, false]);
});

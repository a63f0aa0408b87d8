// Detection packs from the file to what is in force: what is refused and why, that the old one stays, and the way back.
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { AgentAdapter, PackSource, Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createAdapterSource } from "../declarative/createAdapterSource.ts";
import { createClaudeAdapter } from "../claude/index.ts";
import { openPacks } from "./openPacks.ts";
import { hashOf, writePack, type PackContent, type PackRecording } from "./packFile.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const PEM = publicKey.export({ type: "spki", format: "pem" });
const other = generateKeyPairSync("ed25519");

const seen = (state: "idle" | "running", matched: string): Reading => ({
  status: state === "idle" ? { state, reasonCode: "fresh" } : { state, reasonCode: "thinking" },
  confidence: "high",
  matched,
  request: null,
  isSteady: false,
});
/** Two agents of one word a state: `READY` is idle, `BUSY` is running. */
const agent = (agentType: string, version = "1.0.0"): AgentAdapter => ({
  ...createClaudeAdapter(),
  agentType,
  version,
  recordedVersions: ["2.1.0"],
  readScreen: ({ lines }: Screen) =>
    lines.includes("READY") ? seen("idle", "READY") : lines.includes("BUSY") ? seen("running", "BUSY") : null,
});

const recording = (name: string, screen: string, state: PackRecording["state"]): PackRecording => ({
  name,
  state,
  also: [],
  columns: 80,
  rows: 24,
  title: "",
  is_alternate: false,
  cursor: null,
  screen,
});
const WORKING = { name: "the new spinner", pattern: "^WORKING$", lines: 1, state: "running", reason: "tool" };
const content = (version: string, more: Partial<PackContent> = {}): PackContent => ({
  format: 1,
  agent_type: "one",
  made_at: "2026-11-29T10:00:00.000Z",
  driven_with: ["2.2.0"],
  rules: { extends: "one", version, screens: [WORKING] },
  recordings: [recording("idle", "READY", "idle"), recording("new", "WORKING", "running")],
  ...more,
});

let dir: string;
beforeEach(async () => {
  dir = join(mkdtempSync(join(tmpdir(), "agtmux-packs-")), "packs");
  await mkdir(dir, { mode: 0o700 });
  writeFileSync(join(dir, "key.pem"), PEM);
});
afterEach(() => rm(join(dir, ".."), { recursive: true, force: true }));

const open = (more: { version?: string; builtIn?: AgentAdapter[]; shippedDir?: string } = {}) =>
  openPacks({
    dir,
    shippedDir: more.shippedDir ?? null,
    builtIn: more.builtIn ?? [agent("one"), agent("two")],
    version: more.version ?? "0.1.0",
    logger: SILENT_LOGGER,
  });
/** Puts a file where commands put it. */
const handIn = (bytes: Uint8Array): string => {
  const hash = hashOf(bytes);
  writeFileSync(join(dir, "incoming", hash), bytes);
  return hash;
};
const take = (packs: PackSource, given: PackContent, approvesAnswers = false) =>
  packs.take(handIn(writePack(given, privateKey)), approvesAnswers);
const refusalOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AgtmuxError) || error.code !== "E_PACK_REFUSED") throw error ?? new Error("taken");
  return [error.message, ...error.details].join("\n");
};
const screen = (text: string): Screen => ({
  lines: text.split("\n"),
  title: "",
  isAlternate: false,
  width: 80,
  height: 24,
});
const stateOf = (packs: PackSource, text: string): string | null =>
  packs.adapters()[0]?.readScreen(screen(text))?.status.state ?? null;
const versions = (packs: PackSource) => packs.list().map(({ version }) => version);

/** With a signature that holds, whatever the packed bytes are. */
const signed = (packed: Uint8Array, key = privateKey, format = 1): Buffer =>
  Buffer.concat([
    Buffer.from(
      `agtmux-pack ${format}\n${sign(null, Buffer.concat([Buffer.from("agtmux detection pack 1\n"), packed]), key).toString("base64")}\n`,
    ),
    packed,
  ]);

describe("a pack that is taken", () => {
  it("is in force at once, tells of it, says what it changes, and is there after a restart", async () => {
    const packs = await open();
    let changes = 0;
    packs.onChange(() => (changes += 1));
    expect(stateOf(packs, "WORKING")).toBeNull();
    const hash = handIn(writePack(content("1.0.1"), privateKey));
    expect(await packs.look(hash)).toMatchObject({
      agent_type: "one",
      version: "1.0.1",
      in_force: "1.0.0",
      recordings: 2,
      answers: [],
      changes: [
        "no longer driven with: 2.1.0",
        "driven with: 2.2.0",
        'reads: "the new spinner": running (tool, medium confidence) where the last 1 lines match ^WORKING$',
      ],
      signed_by: `the key in ${join(dir, "key.pem")}`,
    });
    expect([changes, versions(packs)]).toEqual([0, [null, null]]);
    const view = await packs.take(hash, false);
    expect(view).toMatchObject({ version: "1.0.1", rolls_back_to: "1.0.0 of the program", problem: null });
    expect([changes, stateOf(packs, "WORKING"), stateOf(packs, "READY")]).toEqual([1, "running", "idle"]);
    expect(packs.adapters()[0]?.recordedVersions).toEqual(["2.2.0", "2.1.0"]);

    const again = await open();
    expect([versions(again), stateOf(again, "WORKING")]).toEqual([["1.0.1", null], "running"]);
  });

  it("is for its owner alone, and leaves nothing in the folder for incoming ones", async () => {
    const packs = await open();
    await take(packs, content("1.0.1"));
    await take(packs, content("1.0.2"));
    expect(readdirSync(join(dir, "incoming"))).toEqual([]);
    const files = readdirSync(dir).filter((name) => name !== "key.pem" && name !== "incoming");
    expect(files.toSorted()).toEqual(["one.agtmux-pack", "one.agtmux-pack.previous", "state.json"]);
    for (const name of files) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  });

  it("gives way to the one before, and that to the program's own rules", async () => {
    const packs = await open();
    await take(packs, content("1.0.1"));
    await take(packs, content("1.0.2", { driven_with: ["2.3.0"] }));
    expect(packs.list()[0]).toMatchObject({ version: "1.0.2", rolls_back_to: "1.0.1" });
    expect(await packs.rollBack("one")).toMatchObject({ version: "1.0.1", driven_with: ["2.2.0"] });
    expect(versions(await open())).toEqual(["1.0.1", null]);
    expect(await packs.rollBack("one")).toMatchObject({ version: null, driven_with: ["2.1.0"] });
    expect(stateOf(packs, "WORKING")).toBeNull();
    expect(await refusalOf(packs.rollBack("one"))).toMatch(/no pack is in force for one/);
    expect(await refusalOf(packs.rollBack("three"))).toMatch(/no built-in agent 'three'/);
    // What was left can be taken again.
    expect(await take(packs, content("1.0.1"))).toMatchObject({ version: "1.0.1" });
  });

  it("lets the person's own files come first", async () => {
    const packs = await open();
    await take(packs, content("1.0.1"));
    const files = join(dir, "../adapters");
    await mkdir(files);
    const source = await createAdapterSource({
      dir: files,
      builtIn: [],
      packs,
      clock: { now: () => 0, setTimer: () => () => {} },
      logger: SILENT_LOGGER,
    });
    const read = () => source.byAgentType("one")?.readScreen(screen("WORKING"))?.status.state;
    expect(read()).toBe("running");
    const own = { extends: "one", screens: [{ pattern: "^WORKING$", lines: 1, state: "idle" }] };
    writeFileSync(join(files, "mine.json"), JSON.stringify(own));
    await source.refresh();
    expect(read()).toBe("idle");
    let changes = 0;
    source.files.onChange(() => (changes += 1));
    await packs.rollBack("one");
    expect([changes, read(), source.byAgentType("one")?.recordedVersions]).toEqual([1, "idle", ["2.1.0"]]);
    await source.close();
  });
});

describe("a pack is refused, and what is in force stays,", () => {
  const good = writePack(content("1.0.2"), privateKey);
  const packed = good.subarray(good.indexOf("\n", 20) + 1);
  const changed = (at: number): Buffer => {
    const copy = Buffer.from(good);
    copy[at] = copy[at] === 65 ? 66 : 65;
    return copy;
  };
  const rules = (more: object) => content("1.0.2", { rules: { extends: "one", version: "1.0.2", ...more } });
  const written = (given: PackContent): Buffer => writePack(given, privateKey);
  const json = (text: string): Buffer => signed(gzipSync(text));

  it.each<[string, () => Uint8Array, RegExp]>([
    ["that is empty", () => new Uint8Array(), /not a detection pack, or it is not signed/],
    ["that is no pack", () => Buffer.from("{}"), /not a detection pack, or it is not signed/],
    [
      "that is not signed",
      () => Buffer.concat([Buffer.from("agtmux-pack 1\n\n"), packed]),
      /not a detection pack, or it is not signed/,
    ],
    ["whose content was changed", () => changed(good.length - 20), /signature does not hold/],
    ["whose signature was changed", () => changed(30), /signature does not hold/],
    ["that goes on behind its end", () => Buffer.concat([good, Buffer.from("x")]), /signature does not hold/],
    [
      "that somebody else signed",
      () => writePack(content("1.0.2"), other.privateKey),
      /signature does not hold/,
    ],
    [
      "whose bytes were signed for something else",
      () =>
        Buffer.concat([
          Buffer.from(`agtmux-pack 1\n${sign(null, packed, privateKey).toString("base64")}\n`),
          packed,
        ]),
      /signature does not hold/,
    ],
    [
      "of a later format",
      () => signed(packed, privateKey, 2),
      /has format 2, and this agtmux knows format 1/,
    ],
    ["that is huge", () => Buffer.alloc(3 * 1024 * 1024, good), /larger than 2 MB/],
    [
      "that is huge once it is unpacked",
      () => signed(gzipSync(Buffer.alloc(17 * 1024 * 1024))),
      /cannot be unpacked, or is larger than 16 MB/,
    ],
    ["that is not packed", () => signed(Buffer.from("{}")), /cannot be unpacked/],
    ["that is not JSON", () => json("{"), /not JSON/],
    [
      "of another form",
      () => json(JSON.stringify({ format: 1 })),
      /has not the form of a pack\nagent_type: /,
    ],
    ["without a recording", () => json(JSON.stringify(content("1.0.2", { recordings: [] }))), /recordings: /],
    [
      "for an agent that is not known",
      () => written(content("1.0.2", { agent_type: "six", rules: { extends: "six", version: "1.0.2" } })),
      /no built-in agent 'six'/,
    ],
    [
      "whose rules are for another agent",
      () => written(content("1.0.2", { rules: { extends: "two", version: "1.0.2" } })),
      /do not extend one/,
    ],
    [
      "that would be an agent of its own",
      () =>
        written(
          content("1.0.2", { rules: { agent_type: "one", display_name: "x", process: { names: ["sh"] } } }),
        ),
      /do not extend one/,
    ],
    [
      "with a pattern that is not bounded",
      () => written(rules({ screens: [{ pattern: "(a+)+$", state: "idle" }] })),
      /rules:6: screens\.0\.pattern: /,
    ],
    ["with a key that is not known", () => written(rules({ guards: false })), /rules:4: guards: /],
    [
      "that is as old as what is in force",
      () => written(content("1.0.1", { driven_with: ["9.9.9"] })),
      /it is 1\.0\.1, and 1\.0\.1 is in force/,
    ],
    ["that is older", () => written(content("0.9.9")), /it is 0\.9\.9, and 1\.0\.1 is in force/],
    [
      "whose recording is read otherwise",
      () =>
        written(
          content("1.0.2", {
            recordings: [...content("1.0.2").recordings, recording("odd", "BUSY", "idle")],
          }),
        ),
      /1 of its 3 recordings is read otherwise than it says\nodd: it shows idle and is read as running/,
    ],
    [
      "with a rule that no recording shows",
      () => written(rules({ screens: [WORKING, { ...WORKING, name: "more", pattern: "^MORE$" }] })),
      /rules that none of its recordings shows\nmore/,
    ],
  ])("%s", async (_what, make, why) => {
    const packs = await open();
    await take(packs, content("1.0.1"));
    const before = readFileSync(join(dir, "one.agtmux-pack"));
    const hash = handIn(make());
    expect(await refusalOf(packs.look(hash))).toMatch(why);
    expect(await refusalOf(packs.take(hash, true))).toMatch(why);
    expect([versions(packs), stateOf(packs, "WORKING")]).toEqual([["1.0.1", null], "running"]);
    expect(readFileSync(join(dir, "one.agtmux-pack"))).toEqual(before);
  });

  it("that is another file than was named, or gone", async () => {
    const packs = await open();
    const hash = handIn(good);
    writeFileSync(join(dir, "incoming", hash), written(content("1.0.3")));
    expect(await refusalOf(packs.take(hash, false))).toMatch(/another one than was named/);
    await rm(join(dir, "incoming", hash));
    expect(await refusalOf(packs.take(hash, false))).toMatch(/the file is gone/);
    expect(versions(packs)).toEqual([null, null]);
  });

  it("whose rules see a request on a screen of another agent", async () => {
    const packs = await open();
    await take(packs, {
      ...content("1.0.1"),
      agent_type: "two",
      rules: { extends: "two", version: "1.0.1" },
      recordings: [recording("idle", "Run it?\nREADY", "idle")],
    });
    const asks = { name: "asks", pattern: "^Run it\\?$", state: "waiting_approval" };
    const recordings = [recording("asking", "Run it?", "waiting_approval")];
    expect(await refusalOf(take(packs, { ...rules({ screens: [asks] }), recordings }))).toMatch(
      /requests on screens of other agents\ntwo, idle: nobody is asked there/,
    );
  });

  it("also where the other agent's screens are those that the program ships", async () => {
    const shippedDir = join(dir, "../shipped");
    await mkdir(shippedDir);
    writeFileSync(
      join(shippedDir, "two.agtmux-pack"),
      written({
        ...content("1.0.0"),
        agent_type: "two",
        rules: { extends: "two" },
        recordings: [recording("idle", "Run it?\nREADY", "idle")],
      }),
    );
    const packs = await open({ shippedDir });
    const asks = { pattern: "^Run it\\?$", state: "waiting_approval" };
    const recordings = [recording("asking", "Run it?", "waiting_approval")];
    expect(await refusalOf(take(packs, { ...rules({ screens: [asks] }), recordings }))).toMatch(
      /of other agents/,
    );
  });

  it.each<[string, string | null, RegExp]>([
    ["where no key counts", null, /has no release key/],
    ["where the key is none", "nonsense", /is not a public key/],
    [
      "where the key is a private one",
      String(privateKey.export({ type: "pkcs8", format: "pem" })),
      /is not an ed25519 public key/,
    ],
    [
      "where the key is of another kind",
      String(
        generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({
          type: "spki",
          format: "pem",
        }),
      ),
      /is not an ed25519 public key/,
    ],
  ])("%s", async (_what, key, why) => {
    if (key === null) await rm(join(dir, "key.pem"));
    else writeFileSync(join(dir, "key.pem"), key);
    expect(await refusalOf(take(await open(), content("1.0.1")))).toMatch(why);
  });
});

describe("what is stored", () => {
  it("counts no more where it was changed on the disk, and says so; the next one cures that", async () => {
    await take(await open(), content("1.0.1"));
    const path = join(dir, "one.agtmux-pack");
    writeFileSync(path, readFileSync(path).fill(0, 200, 210));
    const packs = await open();
    expect([versions(packs), stateOf(packs, "WORKING")]).toEqual([[null, null], null]);
    expect(packs.problems()).toEqual([
      { file: "packs/one.agtmux-pack", line: 1, path: "", message: expect.stringMatching(/signature/) },
    ]);
    expect(await take(packs, content("1.0.1"))).toMatchObject({ version: "1.0.1", problem: null });
    expect(packs.problems()).toEqual([]);
  });

  it("counts no more once the key is another one", async () => {
    await take(await open(), content("1.0.1"));
    writeFileSync(join(dir, "key.pem"), other.publicKey.export({ type: "spki", format: "pem" }));
    const packs = await open();
    expect(versions(packs)).toEqual([null, null]);
    expect(packs.problems()).toMatchObject([{ message: expect.stringMatching(/signature/) }]);
  });

  it("is checked again by another version of the program, and gives way to one that is as new", async () => {
    await take(await open(), content("1.0.1"));
    // It reads the new screen in another way by itself, before the pack is asked; the recordings no longer hold.
    const later: AgentAdapter = { ...agent("one"), readScreen: () => seen("running", "x") };
    expect((await open({ version: "0.2.0", builtIn: [later] })).problems()).toMatchObject([
      { message: expect.stringMatching(/idle: it shows idle and is read as running/) },
    ]);
    const cured = await open({ version: "0.3.0", builtIn: [agent("one", "1.0.1")] });
    expect([versions(cured), cured.problems()]).toEqual([[null], []]);
  });

  it("is the old one where taking another was interrupted, whatever was left behind", async () => {
    const packs = await open();
    await take(packs, content("1.0.1"));
    const current = readFileSync(join(dir, "one.agtmux-pack"));
    // Half of a file, and the old one in both places: as after each of the steps before the last.
    writeFileSync(join(dir, "one.agtmux-pack.new"), current.subarray(0, 100));
    writeFileSync(join(dir, "state.json.new"), "{");
    writeFileSync(join(dir, "one.agtmux-pack.previous"), current);
    const again = await open();
    expect([versions(again), again.problems(), stateOf(again, "WORKING")]).toEqual([
      ["1.0.1", null],
      [],
      "running",
    ]);
    expect(await take(again, content("1.0.2"))).toMatchObject({ version: "1.0.2", rolls_back_to: "1.0.1" });
  });

  it("survives anything in the place of its files", async () => {
    await take(await open(), content("1.0.1"));
    for (const name of ["one.agtmux-pack", "state.json"]) {
      await rm(join(dir, name));
      await mkdir(join(dir, name));
    }
    const packs = await open();
    expect([versions(packs), packs.problems().length]).toEqual([[null, null], 1]);
  });
});

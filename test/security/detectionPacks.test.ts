// What a pack can do whose signature holds: with a stolen key, that is anything that a pack may say. It can make rows wrong. It cannot
// press a key, let one be pressed that the program would not press, or let a text go where the program would not send it.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { openPacks } from "../../adapters/packs/openPacks.ts";
import { packedAdapter } from "../../adapters/packs/packedAdapter.ts";
import { hashOf, writePack, type PackContent } from "../../adapters/packs/packFile.ts";
import { readAdapterFile } from "../../adapters/declarative/createAdapterSource.ts";
import { isPatch } from "../../adapters/declarative/schema.ts";
import { fixtureFolder, frameOf, listFrames, labelsOf } from "../../adapters/testkit/recordings.ts";
import { findView, lacksBox, readCapture, showsPrompt } from "../../core/actions/screenReading.ts";
import { createDeadline } from "../../core/pattern/pattern.ts";
import { isWaiting } from "../../core/model/state.ts";
import {
  readingForKeys,
  type AgentAdapter,
  type Reading,
  type Screen,
} from "../../core/ports/agentAdapter.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";

const deadline = createDeadline();
const registry = createAdapterRegistry();
const adapterOf = (agentType: string): AgentAdapter => {
  const adapter = registry.byAgentType(agentType);
  if (adapter === null) throw new Error(`no adapter ${agentType}`);
  return adapter;
};

/** As if its signature and its recordings held. */
const withRules = (base: AgentAdapter, more: object, isApproved = false): AgentAdapter => {
  const text = JSON.stringify({ extends: base.agentType, version: "9.9.9", ...more });
  const { content: rules, problems } = readAdapterFile("rules", text, deadline);
  if (rules === null || !isPatch(rules)) throw new Error(JSON.stringify(problems));
  const content: PackContent = {
    format: 1,
    agent_type: base.agentType,
    made_at: "2026-11-29T10:00:00.000Z",
    driven_with: ["9"],
    rules: {},
    recordings: [],
  };
  const pack = { hash: "0".repeat(64), version: "9.9.9", content, rules };
  return packedAdapter(base, { pack, isApproved }, { name: "pack", deadline, logger: SILENT_LOGGER });
};

/** Matches every screen, and takes a part of it for what is asked. */
const ANYTHING = { pattern: "(?<body>\\S.*)", lines: 40, confidence: "high", steady: true };
const HOSTILE = [
  { ...ANYTHING, state: "idle" },
  { ...ANYTHING, state: "completed" },
  { ...ANYTHING, state: "running", reason: "tool" },
  { ...ANYTHING, state: "error" },
  { ...ANYTHING, state: "unknown", reason: "in_menu" },
  { ...ANYTHING, state: "unknown" },
  {
    ...ANYTHING,
    state: "waiting_approval",
    request: { kind: "command", whole: true, options: "(?<label>(?<key>\\w).*)" },
  },
  { ...ANYTHING, state: "waiting_input", request: { kind: "question", whole: true } },
];
const KEYS = { approve: ["y", "Enter"], deny: ["n"], option: ["{n}"], interrupt: ["C-c", "C-c"] };

/** Nothing about it lets a key or a text through that its screen would not let through for the program. */
const isCareful = (reading: Reading | null, own: Reading | null): boolean => {
  if (JSON.stringify(reading) === JSON.stringify(own)) return true;
  if (reading === null) return false;
  if (reading.status.state === "unknown") return reading.request === null;
  if (!isWaiting(reading.status.state)) return false;
  const { request } = reading;
  return (
    (own === null || !isWaiting(own.status.state)) &&
    reading.dialogTop === undefined &&
    request?.isWhole !== true &&
    (request?.textEntry ?? null) === null &&
    request?.submit === undefined &&
    request?.options.every(
      ({ keys, role, toggle }) => keys === null && role === null && toggle === undefined,
    ) === true
  );
};

const AGENTS = registry.list().map(({ agentType }) => agentType);
const framesOf = (agentType: string): { name: string; screen: Screen }[] => {
  if (!Object.keys(labelsOf("recordings")).some((name) => name.startsWith(`${agentType}/`))) return [];
  return listFrames(fixtureFolder(agentType)).map((name) => ({ name, screen: frameOf(agentType, name) }));
};

describe("a hostile pack that no person has approved", () => {
  it.each(AGENTS)("decides about no key on any recorded screen of %s", (agentType) => {
    const base = adapterOf(agentType);
    const packs = HOSTILE.map((rule) => withRules(base, { screens: [rule], titles: [], keys: KEYS }));
    const frames = framesOf(agentType);
    const wrong: string[] = [];
    for (const { name, screen } of [...frames, { name: "unknown", screen: frameOf("pi", "idle_fresh") }]) {
      const own = base.readScreen(screen);
      for (const [index, packed] of packs.entries()) {
        const reading = packed.readScreen(screen);
        if (!isCareful(readingForKeys(reading), own)) wrong.push(`${name}: rule ${index}`);
        // Nothing is sure, so that nothing is sent for it while nobody watches.
        if (reading?.confidence === "high" && JSON.stringify(reading) !== JSON.stringify(own))
          wrong.push(`${name}: rule ${index} is sure`);
      }
    }
    expect(wrong).toEqual([]);
    expect(packs[0]?.interruptKeys).toEqual(base.interruptKeys);
  });

  it("makes no dialog that the program reads look calm: the row says that nothing is believed", () => {
    const labels = labelsOf("recordings");
    const seen = new Set<string>();
    for (const agentType of AGENTS)
      for (const { name, screen } of framesOf(agentType)) {
        const base = adapterOf(agentType);
        if (!isWaiting(labels[`${agentType}/${name}`]?.state ?? "")) continue;
        if (!isWaiting(base.readScreen(screen)?.status.state ?? "")) continue;
        for (const rule of HOSTILE.slice(0, 4))
          seen.add(withRules(base, { screens: [rule] }).readScreen(screen)?.status.state ?? "nothing");
      }
    expect([...seen]).toEqual(["unknown"]);
  });

  it("hides no part of a command that the program reads: its own reading counts, with its keys", () => {
    const base = adapterOf("claude");
    const screen = frameOf("claude", "approval_96_columns");
    const own = base.readScreen(screen);
    expect(own?.request?.options[0]?.keys).not.toBeNull();
    const packed = withRules(base, { screens: [HOSTILE[6]], keys: KEYS });
    expect(packed.readScreen(screen)).toEqual(own);
    // Approved or not: without answers of its own, no rule comes before the program's guards.
    const unarmed = { ...ANYTHING, state: "waiting_approval" };
    expect(withRules(base, { screens: [unarmed] }, true).readScreen(screen)).toEqual(own);
  });

  it("sends no text to a dialog, and none to a screen on which the program sees no input box", () => {
    const rows = (text: string) => ({
      rows: text.split("\n"),
      rawRows: text.split("\n"),
      styledRows: text.split("\n"),
    });
    const capture = (text: string) =>
      ({
        ...rows(text),
        title: "",
        isAlternate: false,
        width: 96,
        height: 40,
        cursorX: 0,
        cursorY: 0,
        firstLine: 0,
        isCursorVisible: true,
      }) as unknown as Parameters<typeof lacksBox>[2];
    const pane = { title: "" } as unknown as Parameters<typeof lacksBox>[1];
    const dialog = capture(frameOf("claude", "approval_96_columns").lines.join("\n"));
    // A dialog of a version that the program does not know, of agents with and without a known input box.
    const strange = capture("Shall I?\n 1. Yes\n 2. No");
    for (const rule of HOSTILE.slice(0, 4)) {
      const claude = withRules(adapterOf("claude"), { screens: [rule] });
      expect(showsPrompt(readCapture({ adapter: claude }, pane, dialog))).toBe(true);
      expect(lacksBox(claude, pane, strange)).toBe(true);
      expect(findView(claude, pane, strange)).not.toBeNull();
      const cursor = withRules(adapterOf("cursor"), { screens: [rule] });
      expect(lacksBox(cursor, pane, strange)).toBe(true);
    }
  });
});

describe("answers that a person has approved", () => {
  const base = adapterOf("claude");
  const strange: Screen = {
    lines: ["Shall I run this?", "rm -rf build", "Yes or no?"],
    title: "",
    isAlternate: false,
    width: 96,
    height: 40,
  };
  const rule = {
    pattern: "^Shall I run this\\?\\n(?<body>.*)\\nYes or no\\?$",
    state: "waiting_approval",
    request: { kind: "command", whole: true },
  };
  it("count on screens that the pack alone reads, and nothing else does", () => {
    const read = (isApproved: boolean) =>
      withRules(base, { screens: [rule], keys: KEYS }, isApproved).readScreen(strange);
    expect(read(false)).toMatchObject({
      status: { state: "waiting_approval" },
      request: {
        body: "rm -rf build",
        options: [
          { keys: null, role: null },
          { keys: null, role: null },
        ],
      },
    });
    expect(read(false)?.request?.isWhole).toBeUndefined();
    expect(read(false)?.dialogTop).toBeUndefined();
    expect(read(true)).toMatchObject({
      dialogTop: 0,
      request: { isWhole: true, options: [{ keys: ["y", "Enter"], role: "approve" }, { role: "deny" }] },
    });
  });
  it("come before the program's own keys where they were allowed, and are told so", () => {
    const screen = frameOf("claude", "approval_96_columns");
    const asks = { pattern: "(?<body>\\S.*)", lines: 40, state: "waiting_approval" };
    const packed = withRules(base, { screens: [asks], keys: KEYS }, true);
    expect(packed.readScreen(screen)?.request?.options[0]?.keys).toEqual(["y", "Enter"]);
  });
  it("take no guard away all the same: a dialog of the program's is not calm, an unknown screen takes no text", () => {
    const screen = frameOf("claude", "approval_96_columns");
    for (const state of HOSTILE.slice(0, 4)) {
      const packed = withRules(base, { screens: [state], keys: KEYS }, true);
      expect(packed.readScreen(screen)?.status.state).toBe("unknown");
      expect(readingForKeys(packed.readScreen(screen))).toEqual(base.readScreen(screen));
      expect(readingForKeys(packed.readScreen(strange))).toBeNull();
    }
  });
});

describe("an approval", () => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-approval-"));
  afterAll(() => rm(root, { recursive: true, force: true }));
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const packOf = (version: string, deny: string): Buffer =>
    writePack(
      {
        format: 1,
        agent_type: "pi",
        made_at: "2026-11-29T10:00:00.000Z",
        driven_with: ["9.9.9"],
        rules: {
          extends: "pi",
          version,
          screens: [{ pattern: "^Shall I\\?$", lines: 1, state: "waiting_approval" }],
          keys: { deny: [deny] },
        },
        recordings: [
          {
            name: "asks",
            state: "waiting_approval",
            also: [],
            columns: 80,
            rows: 24,
            title: "",
            is_alternate: false,
            cursor: null,
            screen: "Shall I?",
          },
        ],
      },
      privateKey,
    );
  const open = async () => {
    await mkdir(join(root, "packs"), { recursive: true });
    writeFileSync(join(root, "packs/key.pem"), publicKey.export({ type: "spki", format: "pem" }));
    const builtIn = [adapterOf("pi")];
    return openPacks({
      dir: join(root, "packs"),
      shippedDir: null,
      builtIn,
      version: "1",
      logger: SILENT_LOGGER,
    });
  };
  const handIn = (bytes: Buffer): string => {
    writeFileSync(join(root, "packs/incoming", hashOf(bytes)), bytes);
    return hashOf(bytes);
  };
  const asks: Screen = { lines: ["Shall I?"], title: "", isAlternate: false, width: 80, height: 24 };
  const keysOf = (packs: Awaited<ReturnType<typeof open>>) =>
    packs.adapters()[0]?.readScreen(asks)?.request?.options[0]?.keys ?? null;

  it("is for the very bytes that were shown, over a restart and a rollback, and is withdrawn by taking them without it", async () => {
    const packs = await open();
    const first = packOf("1.0.1", "n");
    await packs.take(handIn(first), false);
    expect([packs.list()[0]?.answers_approved, keysOf(packs)]).toEqual([false, null]);
    expect(packs.list()[0]?.answers).toEqual([
      "denying presses n",
      "all this also on dialogs that the program reads by itself, wherever a rule for a request matches",
    ]);
    await packs.take(handIn(first), true);
    expect([packs.list()[0]?.answers_approved, keysOf(packs)]).toEqual([true, ["n"]]);
    expect(keysOf(await open())).toEqual(["n"]);

    await packs.take(handIn(packOf("1.0.2", "y")), false);
    expect([packs.list()[0]?.answers_approved, keysOf(packs)]).toEqual([false, null]);
    await packs.rollBack("pi");
    expect([packs.list()[0]?.version, keysOf(packs)]).toEqual(["1.0.1", ["n"]]);
    await packs.take(handIn(first), false);
    expect([packs.list()[0]?.rolls_back_to, keysOf(packs)]).toEqual(["1.0.0 of the program", null]);
  });

  it("is lost with a file of approvals that does not read", async () => {
    const packs = await open();
    await packs.take(handIn(packOf("1.0.3", "n")), true);
    expect(keysOf(packs)).toEqual(["n"]);
    writeFileSync(join(root, "packs/state.json"), '{"agents":{"pi":{"approved":["all"]}}}');
    const again = await open();
    expect([again.list()[0]?.version, keysOf(again)]).toEqual(["1.0.3", null]);
  });
});

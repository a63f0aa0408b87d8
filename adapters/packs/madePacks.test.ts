// The packs of the agents in this tree: what `npm run adapter:packs` makes of their recordings is taken by this very program, and so
// is a cure of one.
import { generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { MAX_PACK_BYTES } from "../../core/model/detectionPack.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createDeadline } from "../../core/pattern/pattern.ts";
import { createAdapterRegistry } from "../index.ts";
import { packContentOf } from "../testkit/packContent.ts";
import { checkPack } from "./packCheck.ts";
import { readPack, writePack, type PackContent } from "./packFile.ts";

const { publicKey: key, privateKey } = generateKeyPairSync("ed25519");
const deadline = createDeadline();
const known = createAdapterRegistry().list();
const madeAt = "2026-11-29T10:00:00.000Z";
const made = known.flatMap((base) => {
  const content = packContentOf(base, { madeAt, cure: null });
  return content === null ? [] : [{ base, content }];
});
const check = async (base: (typeof known)[number], content: PackContent): Promise<number> => {
  const file = writePack(content, privateKey);
  const others = made
    .filter((other) => other.base !== base)
    .map((other) => ({ agentType: other.base.agentType, recordings: other.content.recordings }));
  await checkPack(await readPack(file, { key, deadline }), { base, others, deadline, logger: SILENT_LOGGER });
  return file.length;
};

it.each(made)("the pack of $base.agentType holds", async ({ base, content }) => {
  expect(content.recordings.length).toBeGreaterThan(30);
  expect(await check(base, content)).toBeLessThan(MAX_PACK_BYTES / 10);
});

it("there is one for every agent that was recorded", () => {
  expect(made.map(({ base }) => base.agentType).toSorted()).toEqual(
    known
      .filter(({ recordedVersions }) => recordedVersions.length > 0)
      .map(({ agentType }) => agentType)
      .toSorted(),
  );
});

it("a cure of Claude Code that changes nothing else holds, and one that sees requests elsewhere does not", async () => {
  const base = known.find(({ agentType }) => agentType === "claude");
  if (base === undefined) throw new Error("no claude");
  const cureOf = (pattern: string) =>
    packContentOf(base, {
      madeAt,
      cure: {
        extends: "claude",
        version: "1.0.1",
        driven_with: ["2.1.335"],
        screens: [{ name: "asks again", pattern, lines: 3, state: "waiting_input" }],
      },
    });
  const asking = (content: PackContent | null, screen: string): PackContent => {
    if (content?.recordings[0] === undefined) throw new Error("no recordings");
    const recording = {
      ...content.recordings[0],
      name: "again",
      state: "waiting_input" as const,
      also: [],
      screen,
    };
    return { ...content, recordings: [...content.recordings, recording] };
  };
  const cured = asking(cureOf("^Which of these shall it be\\?$"), "Which of these shall it be?");
  expect(cured.driven_with).toEqual(["2.1.335", "2.1.329", "2.1.197"]);
  await check(base, cured);
  await expect(check(base, asking(cureOf("\\S"), "Which?"))).rejects.toThrow(/recordings are read otherwise/);
});

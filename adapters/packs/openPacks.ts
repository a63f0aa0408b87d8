// The detection packs of a home: which are in force, the one before each, and whose answers a person has approved. A file is checked
// when it is taken and again when a daemon of another version starts; what does not hold is not in force, and says why. Nothing is
// fetched here: a command puts a file into the folder for incoming ones. What a pack may do is said in packedAdapter.ts.
import { constants } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import {
  INCOMING_FOLDER,
  MAX_PACK_BYTES,
  OWN_KEY_FILE,
  packHashSchema,
  type PackOffer,
  type PackView,
} from "../../core/model/detectionPack.ts";
import { AgtmuxError, unlessMissing } from "../../core/model/errors.ts";
import { packFileName, RELEASE_PACK_KEY } from "../../core/model/release.ts";
import type { AgentAdapter, PackSource } from "../../core/ports/agentAdapter.ts";
import type { Logger } from "../../core/ports/logger.ts";
import { createDeadline } from "../../core/pattern/pattern.ts";
import { checkPack } from "./packCheck.ts";
import {
  compareVersions,
  hashOf,
  readPack,
  readPackKey,
  refused,
  type DetectionPack,
  type PackRecording,
} from "./packFile.ts";
import { packedAdapter } from "./packedAdapter.ts";
import { sayAnswers, sayChanges, sayRules } from "./packWords.ts";

const MAX_KEY_BYTES = 4_096;
const MAX_STATE_BYTES = 256 * 1024;
/** Approvals of one agent that are remembered, so that a rollback keeps what was approved before. */
const MAX_APPROVED = 20;

// Files: for their owner alone, replaced as a whole.

/** The first `maxBytes` + 1 bytes at most; null where there is no such file. Never waits for a pipe. */
const readBytes = async (path: string, maxBytes: number): Promise<Buffer | null> => {
  const file = await unlessMissing(
    open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW),
  );
  if (file === null) return null;
  try {
    if (!(await file.stat()).isFile()) throw refused(`${path} is not a regular file`);
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < buffer.length; length += read)
      read = (await file.read(buffer, length, buffer.length - length, length)).bytesRead;
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
};

const writeBytes = async (path: string, bytes: Uint8Array): Promise<void> => {
  const temp = `${path}.new`;
  await rm(temp, { force: true });
  const file = await open(temp, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temp, path);
};

/** What a person approved, and which file was checked by which version of the program. */
const stateSchema = z.object({
  agents: z.record(
    z.string(),
    z.object({
      approved: z.array(packHashSchema).max(MAX_APPROVED).default([]),
      checked: z
        .object({ hash: packHashSchema, by: z.string().max(100) })
        .nullable()
        .default(null),
    }),
  ),
});
type State = z.infer<typeof stateSchema>["agents"];

/** What does not read as it was written approves nothing. */
const readState = async (path: string): Promise<State> => {
  try {
    const bytes = await readBytes(path, MAX_STATE_BYTES);
    return bytes === null ? {} : stateSchema.parse(JSON.parse(bytes.toString("utf8"))).agents;
  } catch {
    return {};
  }
};

interface InForce {
  readonly pack: DetectionPack;
  readonly isApproved: boolean;
  readonly adapter: AgentAdapter;
}

/** One agent. `problem`: why what is stored is not in force. */
interface Slot {
  readonly base: AgentAdapter;
  inForce: InForce | null;
  previous: DetectionPack | null;
  problem: string | null;
}

const reasonOf = (error: unknown): string =>
  error instanceof AgtmuxError
    ? [error.message, ...error.details].join("; ")
    : `it cannot be read (${error instanceof Error ? error.message : String(error)})`;

/**
 * Resolves once what is stored is in force. `builtIn`: the program's own adapters. `version`: of the program; what it has checked it
 * does not check again. `shippedDir`: packs of the program's version, if there are any: their recordings count in a check.
 */
export const openPacks = async (options: {
  dir: string;
  shippedDir: string | null;
  builtIn: readonly AgentAdapter[];
  version: string;
  logger: Logger;
}): Promise<PackSource> => {
  const { dir, shippedDir, builtIn, version, logger } = options;
  const deadline = createDeadline();
  const listeners = new Set<() => void>();
  const slots = new Map(
    builtIn.map((base): [string, Slot] => [
      base.agentType,
      { base, inForce: null, previous: null, problem: null },
    ]),
  );
  const at = {
    state: join(dir, "state.json"),
    current: (agentType: string) => join(dir, packFileName(agentType)),
    previous: (agentType: string) => join(dir, `${packFileName(agentType)}.previous`),
    incoming: (hash: string) => join(dir, INCOMING_FOLDER, hash),
  };
  await mkdir(join(dir, INCOMING_FOLDER), { recursive: true, mode: 0o700 }).catch((error: unknown) =>
    logger.warn({ error, dir }, "the folder of detection packs cannot be made"),
  );
  let state = await readState(at.state);

  /** @throws AgtmuxError E_PACK_REFUSED where no key counts. */
  const trusted = async () => {
    const own = join(dir, OWN_KEY_FILE);
    const pem = await readBytes(own, MAX_KEY_BYTES);
    if (pem !== null) return { key: readPackKey(pem.toString("utf8"), own), whose: `the key in ${own}` };
    if (RELEASE_PACK_KEY !== null)
      return { key: readPackKey(RELEASE_PACK_KEY, "the release's key"), whose: "the release's key" };
    throw refused("this build of agtmux has no release key, so that no signature counts", {
      remedy: `Use a released agtmux. For packs of your own, put your public key into ${own}.`,
    });
  };
  const read = async (path: string): Promise<DetectionPack | null> => {
    const bytes = await readBytes(path, MAX_PACK_BYTES);
    return bytes === null ? null : readPack(bytes, { key: (await trusted()).key, deadline });
  };

  /** Recordings of all other agents that are at hand: of their packs in force, else of those that the program ships. */
  const othersOf = async (agentType: string) => {
    const found: { agentType: string; recordings: readonly PackRecording[] }[] = [];
    for (const [other, { inForce }] of slots) {
      if (other === agentType) continue;
      const shipped =
        inForce !== null || shippedDir === null
          ? null
          : // Signed with another key than the one that counts, or none: then it is not at hand.
            await read(join(shippedDir, packFileName(other))).catch(() => null);
      const pack = inForce?.pack ?? shipped;
      if (pack !== null) found.push({ agentType: other, recordings: pack.content.recordings });
    }
    return found;
  };
  const stateOf = (agentType: string): State[string] => state[agentType] ?? { approved: [], checked: null };
  const setState = async (agentType: string, change: Partial<State[string]>): Promise<void> => {
    state = { ...state, [agentType]: { ...stateOf(agentType), ...change } };
    await writeBytes(at.state, Buffer.from(JSON.stringify({ agents: state }, null, 2)));
  };

  const check = async (pack: DetectionPack, base: AgentAdapter): Promise<void> =>
    checkPack(pack, { base, others: await othersOf(base.agentType), deadline, logger });
  const putInForce = (slot: Slot, pack: DetectionPack | null): void => {
    const { base } = slot;
    slot.problem = null;
    if (pack === null) {
      slot.inForce = null;
      return;
    }
    const isApproved = stateOf(base.agentType).approved.includes(pack.hash);
    const context = { name: `the pack of ${base.agentType}`, deadline, logger };
    slot.inForce = { pack, isApproved, adapter: packedAdapter(base, { pack, isApproved }, context) };
  };

  /** What is stored for an agent, checked unless this version of the program has done so. */
  const load = async (slot: Slot): Promise<void> => {
    const { agentType, version: own } = slot.base;
    try {
      const pack = await read(at.current(agentType));
      // Unreadable: it is none to go back to.
      slot.previous = await read(at.previous(agentType)).catch(() => null);
      // A program that is as new has what the pack says.
      if (pack === null || compareVersions(pack.version, own) <= 0) return putInForce(slot, null);
      const by = `${version} ${own}`;
      const { checked } = stateOf(agentType);
      if (checked?.hash !== pack.hash || checked.by !== by) {
        await check(pack, slot.base);
        await setState(agentType, { checked: { hash: pack.hash, by } });
      }
      putInForce(slot, pack);
    } catch (error) {
      slot.inForce = null;
      slot.problem = reasonOf(error);
      logger.warn({ agent: agentType, problem: slot.problem }, "a detection pack is not in force");
    }
  };
  for (const slot of slots.values()) await load(slot);

  const slotOf = (agentType: string): Slot => {
    const slot = slots.get(agentType);
    if (slot !== undefined) return slot;
    throw refused(`there is no built-in agent '${agentType.slice(0, 40)}'`, {
      remedy: `It is for none of ${[...slots.keys()].join(", ")}. A newer agtmux may have that agent.`,
    });
  };
  const versionInForce = ({ base, inForce }: Slot): string => inForce?.pack.version ?? base.version;

  const said = ({ base, inForce }: Slot) => ({
    drivenWith: inForce?.pack.content.driven_with ?? base.recordedVersions,
    rules: inForce === null ? [] : sayRules(inForce.pack.rules),
    answers: inForce === null ? [] : sayAnswers(inForce.pack.rules),
  });
  const viewOf = (slot: Slot): PackView => {
    const { base, inForce, previous, problem } = slot;
    const { drivenWith, rules, answers } = said(slot);
    return {
      agent_type: base.agentType,
      version: inForce?.pack.version ?? null,
      program_version: base.version,
      hash: inForce?.pack.hash ?? null,
      made_at: inForce?.pack.content.made_at ?? null,
      driven_with: [...drivenWith],
      rules,
      answers,
      answers_approved: inForce?.isApproved ?? false,
      recordings: inForce?.pack.content.recordings.length ?? 0,
      rolls_back_to:
        inForce === null ? null : previous === null ? `${base.version} of the program` : previous.version,
      problem,
    };
  };

  /** The file in the folder for incoming ones, fit to be put in force. */
  const inspect = async (hash: string) => {
    const { key, whose } = await trusted();
    const bytes = await readBytes(at.incoming(packHashSchema.parse(hash)), MAX_PACK_BYTES);
    if (bytes === null) throw refused("the file is gone");
    if (bytes.length <= MAX_PACK_BYTES && hashOf(bytes) !== hash)
      throw refused("the file is another one than was named");
    const pack = await readPack(bytes, { key, deadline });
    const slot = slotOf(pack.content.agent_type);
    const inForce = versionInForce(slot);
    // The same file again may only be about its answers.
    if (slot.inForce?.pack.hash !== hash && compareVersions(pack.version, inForce) <= 0)
      throw refused(`it is ${pack.version}, and ${inForce} is in force: a pack has to be newer`, {
        remedy: "To go back to the one before, use 'agtmux adapters rollback'.",
      });
    await check(pack, slot.base);
    return { bytes, pack, slot, whose };
  };

  // One at a time: a second file must be compared with what the first one has put in force.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work);
    // Whoever asked is told; the next one starts all the same.
    last = done.catch(() => {});
    return done;
  };
  const tell = (): void => {
    for (const listener of listeners) listener();
  };

  return {
    adapters: () => builtIn.map((base) => slots.get(base.agentType)?.inForce?.adapter ?? base),
    problems: () =>
      [...slots.values()].flatMap(({ base, problem }) =>
        problem === null
          ? []
          : [
              {
                file: `packs/${packFileName(base.agentType)}`,
                line: 1,
                path: "",
                message: `${problem}; take another with 'agtmux adapters update', or leave it with 'agtmux adapters rollback ${base.agentType}'`,
              },
            ],
      ),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    list: () => [...slots.values()].map(viewOf),
    look: (hash) =>
      inTurn(async (): Promise<PackOffer> => {
        const { pack, slot, whose } = await inspect(hash);
        const { content, rules } = pack;
        const after = {
          drivenWith: content.driven_with,
          rules: sayRules(rules),
          answers: sayAnswers(rules),
        };
        return {
          agent_type: content.agent_type,
          version: pack.version,
          hash,
          made_at: content.made_at,
          in_force: versionInForce(slot),
          driven_with: content.driven_with,
          rules: after.rules,
          answers: after.answers,
          changes: sayChanges(said(slot), after),
          recordings: content.recordings.length,
          signed_by: whose,
        };
      }),
    take: (hash, approvesAnswers) =>
      inTurn(async () => {
        const { bytes, pack, slot } = await inspect(hash);
        const { agentType, version: own } = slot.base;
        const { approved } = stateOf(agentType);
        const others = approved.filter((one) => one !== hash).slice(1 - MAX_APPROVED);
        await setState(agentType, {
          approved: approvesAnswers ? [...others, hash] : others,
          checked: { hash, by: `${version} ${own}` },
        });
        if (slot.inForce?.pack.hash !== hash) {
          // Where it is interrupted in between, the one before stands there twice.
          const before =
            slot.inForce === null ? null : await readBytes(at.current(agentType), MAX_PACK_BYTES);
          if (before === null) await rm(at.previous(agentType), { force: true });
          else await writeBytes(at.previous(agentType), before);
          await writeBytes(at.current(agentType), bytes);
          slot.previous = slot.inForce?.pack ?? null;
        }
        putInForce(slot, pack);
        await rm(at.incoming(hash), { force: true });
        logger.info({ agent: agentType, version: pack.version, hash }, "a detection pack is in force");
        tell();
        return viewOf(slot);
      }),
    rollBack: (agentType) =>
      inTurn(async () => {
        const slot = slotOf(agentType);
        if (slot.inForce === null && slot.problem === null)
          throw refused(`no pack is in force for ${agentType}: the program's own rules are`, {
            remedy: "There is nothing to go back from.",
          });
        if (slot.previous === null) await rm(at.current(agentType), { force: true });
        else await rename(at.previous(agentType), at.current(agentType));
        await load(slot);
        tell();
        return viewOf(slot);
      }),
  };
};

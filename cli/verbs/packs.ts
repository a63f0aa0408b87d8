// `agtmux adapters update|show|rollback`: detection packs, the signed files that cure what agtmux reads of an agent without a new
// version of the whole. The daemon checks and keeps them; a file is read here and handed to it in the home. What a pack would answer
// counts only once a person has said so at the terminal. Fetches only what was asked for, and only when it was.
import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  INCOMING_FOLDER,
  MAX_PACK_BYTES,
  type PackOffer,
  type PackRolledBack,
  type PackShown,
  type PackUpdate,
  type PackView,
} from "../../core/model/detectionPack.ts";
import { AgtmuxError, ERROR_CODES } from "../../core/model/errors.ts";
import { packFileName, PACKS_TAG } from "../../core/model/release.ts";
import { fetchBounded } from "../../features/releases/releaseFeed.ts";
import { ask, leaveUndone, readNamedBytes, writePrivate } from "../command/ask.ts";
import { withDaemon, type CliContext, type DaemonClient, type Outcome } from "../command/context.ts";
import { printDocument } from "../command/document.ts";
import { cleanLine } from "../render/clean.ts";
import { findAddress } from "./upgrade.ts";

// Words.

const indented = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`  ${title}:`, ...lines.map((line) => `    ${cleanLine(line)}`)];

const offerLines = (offer: PackOffer): string[] => [
  `Pack ${cleanLine(offer.version)} for ${cleanLine(offer.agent_type)}, made ${offer.made_at.slice(0, 10)}, signed with ${cleanLine(offer.signed_by)}.`,
  `  ${offer.recordings} recorded screens are read as it says. In force now: ${cleanLine(offer.in_force)}.`,
  ...indented("What it changes", offer.changes),
  ...(offer.changes.length === 0 ? ["  It changes nothing of what is read."] : []),
  ...indented("What it would also answer", offer.answers),
];

/** `installed`: the version on this machine, where it is known and to be said. */
const viewLines = (view: PackView, installed: string | null = null): string[] => {
  const { version, program_version: own, answers, answers_approved: isApproved } = view;
  return [
    cleanLine(view.agent_type),
    version === null
      ? `  the program's own rules (${cleanLine(own)})`
      : `  pack ${cleanLine(version)} before the program's own rules (${cleanLine(own)}), made ${view.made_at?.slice(0, 10) ?? ""}`,
    ...(view.driven_with.length === 0
      ? []
      : [
          `  driven with ${cleanLine(view.driven_with.join(", "))}${installed === null ? "" : `; yours is ${cleanLine(installed)}`}`,
        ]),
    ...indented("reads", view.rules),
    ...indented(isApproved ? "answers, as you allowed" : "would answer, which you have not allowed", answers),
    ...(view.rolls_back_to === null
      ? []
      : [`  'agtmux adapters rollback' leads to ${cleanLine(view.rolls_back_to)}`]),
    ...(view.problem === null ? [] : [`  the stored pack is not in force: ${cleanLine(view.problem)}`]),
  ];
};

// Files: handed to the daemon under their hash, and taken away again unless it keeps them.

const withHandedIn = async <T>(
  context: CliContext,
  bytes: Uint8Array,
  work: (hash: string) => Promise<T>,
): Promise<T> => {
  const hash = createHash("sha256").update(bytes).digest("hex");
  const folder = join(context.paths().packsDir, INCOMING_FOLDER);
  const path = join(folder, hash);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rm(path, { force: true });
  await writePrivate(path, bytes);
  try {
    return await work(hash);
  } finally {
    await rm(path, { force: true });
  }
};

interface UpdateOptions {
  file?: string;
  fromRelease?: boolean;
  json?: boolean;
}

/** Asks at the terminal, where somebody is there to answer. Null: interrupted. */
const askAnswers = async (
  context: CliContext,
  { agent_type, answers }: PackOffer,
  options: UpdateOptions,
): Promise<boolean | null> => {
  if (answers.length === 0) return false;
  if (!context.stdin.isTTY || !context.stdout.isTTY || options.json === true) return false;
  return ask(
    `Allow agtmux to answer ${cleanLine(agent_type)} like this? Its readings count either way. [y/N] `,
    context,
  );
};

/** `isInterrupted`: the person ended it instead of answering. */
type Update = Omit<PackUpdate, "schema_version" | "generated_at"> & { isInterrupted: boolean };
type Taken = { view: PackView; isNew: boolean } | null;

/** False: nothing more is to be done. */
const note = (update: Update, taken: Taken): boolean => {
  if (taken === null) update.isInterrupted = true;
  else if (taken.isNew) update.taken.push(taken.view);
  else update.unchanged.push(taken.view.agent_type);
  return taken !== null;
};

/** What became of one file; null: interrupted, and nothing was taken. */
const takeOne = (
  context: CliContext,
  client: DaemonClient,
  bytes: Uint8Array,
  options: UpdateOptions,
): Promise<Taken> =>
  withHandedIn(context, bytes, async (hash) => {
    const { items } = await client.call((api) => api.packs.query());
    const before = items.find((item) => item.hash === hash);
    const offer = await client.call((api) => api.packLook.mutate({ hash }));
    if (before !== undefined && (before.answers_approved || before.answers.length === 0))
      return { view: before, isNew: false };
    if (options.json !== true) context.print(`${offerLines(offer).join("\n")}\n`);
    const approvesAnswers = await askAnswers(context, offer, options);
    if (approvesAnswers === null) return null;
    const view = await client.call((api) => api.packTake.mutate({ hash, approvesAnswers }));
    return { view, isNew: true };
  });

const takenLines = ({
  agent_type: agent,
  version,
  answers,
  answers_approved: isApproved,
}: PackView): string[] => [
  `In force for ${cleanLine(agent)}: ${cleanLine(version ?? "the program's own rules")}, here and for machines behind SSH. 'agtmux adapters rollback ${cleanLine(agent)}' goes back.`,
  ...(answers.length === 0 || isApproved
    ? []
    : ["Its answers have no effect. To allow them, repeat this command in a terminal and say yes."]),
];

const FETCH_MS = 30_000;

/** Null: there is no such file. Whatever the way, only the signature makes a file a pack. */
const download = async (url: string, signal: AbortSignal): Promise<Buffer | null> => {
  const pieces: Uint8Array[] = [];
  const limits = { maxBytes: MAX_PACK_BYTES, timeoutMs: FETCH_MS, signal, mayBeMissing: true };
  return (await fetchBounded(url, limits, (piece) => void pieces.push(piece))) ? Buffer.concat(pieces) : null;
};

const reasonOf = ({ message, details }: AgtmuxError): string => [message, ...details].join("; ");

/** Each agent by itself: one whose pack is bad keeps no other from its cure. */
const updateFromRelease = async (
  context: CliContext,
  client: DaemonClient,
  agent: string | undefined,
  options: UpdateOptions,
): Promise<Update> => {
  const address = await findAddress(context);
  if (address === null)
    throw new AgtmuxError("E_UNSUPPORTED", "this build of agtmux knows no address of releases", {
      remedy: "Give the file with --file, or the address in AGTMUX_RELEASES or the setting releases.address.",
    });
  const { items } = await client.call((api) => api.packs.query());
  const wanted = items.filter(({ agent_type: one }) => agent === undefined || one === agent);
  if (wanted.length === 0)
    throw new AgtmuxError("E_USAGE", `there is no built-in agent '${cleanLine(agent ?? "")}'`, {
      remedy: `Agents: ${items.map((one) => one.agent_type).join(", ")}.`,
    });
  const update: Update = { taken: [], unchanged: [], refused: [], isInterrupted: false };
  for (const { agent_type: one, hash: present } of wanted) {
    try {
      const bytes = await download(
        `${address.base}/download/${PACKS_TAG}/${packFileName(one)}`,
        context.signal,
      );
      const isSame = bytes !== null && createHash("sha256").update(bytes).digest("hex") === present;
      if (bytes === null || isSame) update.unchanged.push(one);
      else if (!note(update, await takeOne(context, client, bytes, options))) return update;
    } catch (error) {
      if (!(error instanceof AgtmuxError) || wanted.length === 1) throw error;
      update.refused.push({ agent_type: one, problem: reasonOf(error) });
    }
  }
  return update;
};

const updateFromFile = async (
  context: CliContext,
  client: DaemonClient,
  path: string,
  options: UpdateOptions,
): Promise<Update> => {
  const update: Update = { taken: [], unchanged: [], refused: [], isInterrupted: false };
  note(update, await takeOne(context, client, await readNamedBytes(path, MAX_PACK_BYTES), options));
  return update;
};

export const runPackUpdate = async (
  context: CliContext,
  outcome: Outcome,
  agent: string | undefined,
  options: UpdateOptions,
): Promise<void> => {
  const { file, fromRelease = false, json } = options;
  if ((file !== undefined) === fromRelease || (file !== undefined && agent !== undefined))
    throw new AgtmuxError("E_USAGE", "name a file, or the releases of the project", {
      remedy:
        "Use 'agtmux adapters update --file <file>', or 'agtmux adapters update [agent] --from-release'.",
    });
  const update = await withDaemon(context, (client) =>
    file === undefined
      ? updateFromRelease(context, client, agent, options)
      : updateFromFile(context, client, file, options),
  );
  const { isInterrupted, ...document } = update;
  const { taken, unchanged, refused } = document;
  if (refused.length > 0) outcome.exitCode = ERROR_CODES.E_PACK_REFUSED.exit;
  if (json === true) {
    printDocument<PackUpdate>(context, document);
    return;
  }
  const lines = [
    ...taken.flatMap(takenLines),
    ...(unchanged.length === 0 ? [] : [`Nothing newer for ${unchanged.map(cleanLine).join(", ")}.`]),
    ...refused.map(
      ({ agent_type: one, problem }) => `Refused for ${cleanLine(one ?? "")}: ${cleanLine(problem)}.`,
    ),
  ];
  if (lines.length > 0) context.print(`${lines.join("\n")}\n`);
  if (isInterrupted) outcome.exitCode = leaveUndone(context, false, "taken");
};

export const runPackShow = async (
  context: CliContext,
  agent: string | undefined,
  options: { file?: string; json?: boolean },
): Promise<void> => {
  const bytes = options.file === undefined ? null : await readNamedBytes(options.file, MAX_PACK_BYTES);
  const { items, offer } = await withDaemon(context, async (client) => {
    const { items: all } = await client.call((api) => api.packs.query());
    if (bytes === null) return { items: all, offer: null };
    const found = await withHandedIn(context, bytes, (hash) =>
      client.call((api) => api.packLook.mutate({ hash })),
    );
    return { items: all.filter((one) => one.agent_type === found.agent_type), offer: found };
  });
  const shown = items.filter((one) => agent === undefined || one.agent_type === agent);
  if (shown.length === 0)
    throw new AgtmuxError("E_USAGE", `there is no built-in agent '${cleanLine(agent ?? "")}'`, {
      remedy: `Agents: ${items.map((one) => one.agent_type).join(", ")}.`,
    });
  if (options.json === true) printDocument<PackShown>(context, { items: shown, offer });
  else
    context.print(
      `${(offer === null ? shown.flatMap((one) => [...viewLines(one, one.installed_version), ""]).slice(0, -1) : offerLines(offer)).join("\n")}\n`,
    );
};

export const runPackRollback = async (
  context: CliContext,
  agent: string,
  options: { json?: boolean },
): Promise<void> => {
  const view = await withDaemon(context, (client) =>
    client.call((api) => api.packRollBack.mutate({ agent })),
  );
  if (options.json === true) printDocument<PackRolledBack>(context, view);
  else context.print(`${viewLines(view).join("\n")}\n`);
};

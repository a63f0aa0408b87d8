// `agtmux doc claim|route|focus|prompt` for a document of another machine: its registry is there, and so is the pane. What is typed
// goes through the daemon's gate, as here.
import { randomUUID } from "node:crypto";
import { AgtmuxError } from "../../core/model/errors.ts";
import { placeIdOf } from "../../core/model/shortRef.ts";

import type { RemotePane } from "../../features/documents/calls.ts";
import type { Registry, RegistryEntry } from "../../features/documents/files/registry.ts";
import { claimedText } from "../../features/documents/flow/documentChanges.ts";
import { readFrontmatter } from "../../features/documents/model/frontmatter.ts";
import { withDaemon, type CliContext, type DaemonClient } from "../command/context.ts";
import { parseCount } from "../parse/values.ts";
import { cleanLine, plainJson } from "../render/clean.ts";
import type { ClaimOptions } from "./claim.ts";
import type { RemotePlace } from "./place.ts";
import { answer, askedIn, MAX_OPTION, notAsking } from "./prompt.ts";
import { noAgent, tell } from "./route.ts";
import { checkPaneId } from "./claims.ts";
import {
  busy,
  expectedOf,
  hashOf,
  openRemote,
  putRemote,
  registryOf,
  type RemoteDocument,
} from "./remoteDocument.ts";

const ROUNDS = 10;

type Claims = Pick<Registry, "entries" | "own">;

/** Both files, each only where it is still what was read. */
const changeRegistry = async (
  client: DaemonClient,
  opened: RemoteDocument,
  change: (registry: Registry) => Claims,
): Promise<void> => {
  let document = opened;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = registryOf(document);
    const after = change(before);
    const { files } = document;
    const put = async (what: "sessions" | "own", value: unknown, was: string | null): Promise<boolean> => {
      const text = `${JSON.stringify(value, null, 2)}\n`;
      if (text === was) return true;
      const { outcome } = await putRemote(client, document, text, { what, expected: expectedOf(was) });
      // What another program wrote into the old file at that moment was written to be read: it is not merged.
      return outcome !== "changed";
    };
    const isPut =
      (after.entries === before.entries || (await put("sessions", after.entries, files.sessions))) &&
      (after.own === before.own || (await put("own", after.own, files.own)));
    if (isPut) return;
    document = await openRemote(client, document.place);
  }
  throw busy(document.name);
};

const dead = (name: string, reason: string): AgtmuxError =>
  new AgtmuxError("E_REF_NOT_FOUND", `${name}: ${cleanLine(reason)}`, {
    remedy:
      "Run 'agtmux doc claim' for it with '--pane', the id of its agent's pane there; nothing was sent.",
  });

type Found = { readonly pane: RemotePane } | { readonly reason: string };

const panesOf = (client: DaemonClient, { target }: RemotePlace, pane: string): Promise<RemotePane[]> =>
  client.call((api) => api.documents.remotePanes.mutate({ target, pane }));

/** The pane that the document was claimed for, while the same process runs in it. */
const findClaimed = async (client: DaemonClient, document: RemoteDocument): Promise<Found> => {
  const { session } = document.frontmatter;
  const { entries, own } = registryOf(document);
  const entry = session !== null && Object.hasOwn(entries, session) ? entries[session] : undefined;
  if (session === null || entry === undefined) return { reason: "no pane is claimed for it" };
  const known = (Object.hasOwn(own, session) ? own[session] : undefined)?.life ?? null;
  if (known === null || !/^%\d+$/.test(entry.pane))
    return { reason: "another program claimed it, and agtmux can't tell from here which pane it meant" };
  const panes = await panesOf(client, document.place, entry.pane);
  const pane = panes.find(
    ({ life }) =>
      life.serverPid === known.serverPid &&
      life.serverStart === known.serverStart &&
      life.panePid === known.panePid,
  );
  if (pane !== undefined) return { pane };
  return {
    reason: panes.length === 0 ? `pane ${entry.pane} is gone` : `pane ${entry.pane} is a different one now`,
  };
};

/** @throws AgtmuxError E_REF_NOT_FOUND, E_REF_AMBIGUOUS */
const namedPane = async (client: DaemonClient, place: RemotePlace, named: string): Promise<RemotePane> => {
  const [pane, ...others] = await panesOf(client, place, named);
  if (pane === undefined)
    throw new AgtmuxError("E_REF_NOT_FOUND", `there is no pane ${named} on ${place.target}`);
  if (others.length === 0) return pane;
  throw new AgtmuxError("E_REF_AMBIGUOUS", `several tmux servers of ${place.target} have a pane ${named}`, {
    remedy: "Run 'agtmux doc claim' in the pane, on that machine.",
  });
};

const bind = async (
  context: CliContext,
  client: DaemonClient,
  opened: RemoteDocument,
  { row, life, window }: RemotePane,
): Promise<RemoteDocument> => {
  const { place, name } = opened;
  // What cannot be read is found before the document is touched.
  registryOf(opened);
  let document = opened;
  for (let round = 0; ; round += 1) {
    const { text } = document.files;
    const claimed = claimedText(text, randomUUID);
    if (claimed === text) break;
    if (round === ROUNDS) throw busy(name);
    const { outcome } = await putRemote(client, document, claimed, {
      what: "document",
      expected: hashOf(text),
    });
    if (outcome === "late")
      throw new AgtmuxError("E_DOCUMENT_BUSY", `${name}: an editor wrote into it at the same moment`, {
        remedy: "Save it there once more, and repeat.",
      });
    document = await openRemote(client, place);
  }
  const { pane_ref: ref } = row.identity;
  const pane = placeIdOf(row);
  const { session } = readFrontmatter(document.files.text);
  if (session === null) throw busy(name);
  const entry: RegistryEntry = {
    pane,
    pid: life.panePid,
    cwd: document.files.root,
    started: new Date(context.now()).toISOString().replace(/\.\d+Z$/, "Z"),
    file: document.file,
    window,
  };
  await changeRegistry(client, document, ({ entries, own }) => ({
    entries: { ...entries, [session]: { ...entries[session], ...entry } },
    own: { ...own, [session]: { life, file: document.files.file, shownPrompt: null } },
  }));
  const { root } = document.files;
  await client.call((api) => api.documents.remoteClaimed.mutate({ ref, root, name: document.file }));
  context.print(`Claimed ${name} (pane ${place.target}/${pane}).\n`);
  return document;
};

const select = (client: DaemonClient, { row, life }: RemotePane): Promise<void> =>
  client.call((api) =>
    api.documents.remoteSelect.mutate({
      ref: row.identity.pane_ref,
      serverPid: life.serverPid,
      serverStart: life.serverStart,
    }),
  );

export const claimRemote = (
  context: CliContext,
  place: RemotePlace,
  options: ClaimOptions,
): Promise<void> => {
  if (options.pane === undefined || options.position !== undefined || options.window !== undefined)
    throw new AgtmuxError(
      "E_USAGE",
      "a document of another machine is claimed for the pane that --pane names",
      {
        remedy: `Give '--pane', the id of a pane there; 'agtmux list --target ${place.target}' shows them.`,
      },
    );
  const named = checkPaneId(options.pane);
  return withDaemon(context, async (client) => {
    const document = await openRemote(client, place);
    await bind(context, client, document, await namedPane(client, place, named));
  });
};

/** Gives the exit status of the outcome. */
export const routeRemote = (
  context: CliContext,
  place: RemotePlace,
  options: { pane?: string },
): Promise<number> => {
  const named = options.pane === undefined ? null : checkPaneId(options.pane);
  return withDaemon(context, async (client) => {
    const document = await openRemote(client, place);
    const found = await findClaimed(client, document);
    if (!("pane" in found) && named === null) throw dead(document.name, found.reason);
    const pane = "pane" in found ? found.pane : await namedPane(client, place, named ?? "");
    if (pane.row.agent === null) throw noAgent(placeIdOf(pane.row), document.name);
    if (!("pane" in found)) await bind(context, client, document, pane);
    const status = await tell(context, client, pane.row, document);
    await select(client, pane);
    return status;
  });
};

export const focusRemote = (
  context: CliContext,
  place: RemotePlace,
  options: { pane?: string },
): Promise<void> => {
  const named = options.pane === undefined ? null : checkPaneId(options.pane);
  return withDaemon(context, async (client) => {
    if (named !== null) return select(client, await namedPane(client, place, named));
    const document = await openRemote(client, place);
    const found = await findClaimed(client, document);
    if (!("pane" in found)) throw dead(document.name, found.reason);
    return select(client, found.pane);
  });
};

/** Gives the exit status. */
export const promptRemote = (
  context: CliContext,
  place: RemotePlace,
  options: { answer?: string },
): Promise<number> =>
  withDaemon(context, async (client) => {
    const document = await openRemote(client, place);
    const { session } = document.frontmatter;
    const found = await findClaimed(client, document);
    if (!("pane" in found) || session === null) {
      const isClaimed = session !== null && Object.hasOwn(registryOf(document).entries, session);
      if (!isClaimed || options.answer !== undefined)
        throw dead(document.name, "reason" in found ? found.reason : "no pane is claimed for it");
      context.print(`${plainJson(notAsking(session, document.file))}\n`);
      return 0;
    }
    const asked = askedIn(found.pane.row, session, document.file);
    const shown = registryOf(document).own[session]?.shownPrompt ?? null;
    if (options.answer !== undefined) {
      const number = parseCount(options.answer, "--answer", { min: 1, max: MAX_OPTION });
      return answer(context, client, asked, shown, number);
    }
    // A bare number later means the prompt that was shown now.
    const shownPrompt = asked.row?.prompt_fingerprint ?? null;
    if (shownPrompt !== shown)
      await changeRegistry(client, document, ({ entries, own }) => ({
        entries,
        own: { ...own, [session]: { life: null, file: null, ...own[session], shownPrompt } },
      }));
    context.print(`${plainJson(asked.info)}\n`);
    return 0;
  });

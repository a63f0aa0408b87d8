// `agtmux doc prompt`: what the agent of a document asks, for an editor that shows it and answers by a number. What it asks
// comes from the daemon; the answer goes to the prompt that was shown, or to none.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { PaneView } from "../../core/model/view.ts";
import { changeRegistry, readRegistry, type Registry } from "../../features/documents/files/registry.ts";
import { withDaemon, type CliContext, type DaemonClient } from "../command/context.ts";
import { parseCount } from "../parse/values.ts";
import { plainJson } from "../render/clean.ts";
import { printResult } from "../command/outcome.ts";
import {
  createPaneLook,
  currentProject,
  findPane,
  keyOf,
  openClaimed,
  rowsOf,
  type PaneLook,
} from "./claims.ts";

/** As editors read it: flat. `question` and `options` are there always, empty where nothing is asked. */
interface PromptInfo {
  session_id: string | null;
  file: string;
  active: boolean;
  question: string;
  options: { index: number; label: string }[];
  selected?: number;
}

export const notAsking = (id: string | null, file: string): PromptInfo => ({
  session_id: id,
  file,
  active: false,
  question: "",
  options: [],
});

export const MAX_OPTION = 30;

interface Asked {
  readonly info: PromptInfo;
  readonly row: PaneView | null;
}

export const askedIn = (row: PaneView, id: string, file: string): Asked => {
  const { request, prompt_fingerprint: fingerprint } = row;
  if (request === null || fingerprint === null) return { info: notAsking(id, file), row: null };
  return {
    info: {
      session_id: id,
      file,
      active: true,
      question: request.body ?? request.title,
      options: request.options.map(({ label }, index) => ({ index: index + 1, label })),
      selected: 0,
    },
    row,
  };
};

/** What the agents of these documents ask; nothing for a document whose pane is gone. */
const askAll = async (
  look: PaneLook,
  client: DaemonClient,
  registry: Registry,
  ids: readonly string[],
): Promise<Asked[]> => {
  const found = await Promise.all(ids.map(async (id) => ({ id, pane: await findPane(look, registry, id) })));
  const alive = found.flatMap(({ id, pane }) => (pane.isAlive ? [{ id, live: pane.live }] : []));
  const rows = await rowsOf(
    client,
    alive.map(({ live }) => live),
  );
  return alive.flatMap(({ id, live }) => {
    const row = rows.get(keyOf(live));
    return row === undefined ? [] : [askedIn(row, id, registry.entries[id]?.file ?? "")];
  });
};

/** A bare number from an editor later means the prompt that was shown to it now. */
const remember = async (
  project: Parameters<typeof changeRegistry>[0],
  home: string,
  asked: readonly Asked[],
): Promise<void> => {
  const shown = new Map(
    asked.map(({ info, row }) => [info.session_id ?? "", row?.prompt_fingerprint ?? null]),
  );
  const before = await readRegistry(project, home);
  const isNew = [...shown].some(([id, fingerprint]) => (before.own[id]?.shownPrompt ?? null) !== fingerprint);
  if (!isNew) return;
  await changeRegistry(project, home, ({ entries, own }) => ({
    entries,
    own: {
      ...own,
      ...Object.fromEntries(
        [...shown].map(([id, shownPrompt]) => [id, { life: null, file: null, ...own[id], shownPrompt }]),
      ),
    },
  }));
};

export const answer = async (
  context: CliContext,
  client: DaemonClient,
  { row }: Asked,
  shown: string | null,
  number: number,
): Promise<number> => {
  if (shown === null || row === null || row.prompt_fingerprint !== shown)
    throw new AgtmuxError("E_STALE_SNAPSHOT", "the prompt that was shown is gone; nothing was answered", {
      remedy: "Run 'agtmux doc prompt <file>' again, and answer what it shows.",
    });
  const guards = {
    ifRuntime: row.identity.runtime_id,
    ifState: null,
    ifVersion: null,
    ifPrompt: shown,
    ifUpdatedWithinMs: null,
    forceStale: false,
  };
  const choice = { kind: "option", number } as const;
  const result = await client.call((api) =>
    api.answer.mutate({ ref: row.identity.pane_ref, guards, surface: "cli", choice }),
  );
  return printResult(context, result, false);
};

/** Gives the exit status. */
export const runPrompt = async (
  context: CliContext,
  file: string | undefined,
  options: { answer?: string; all?: boolean },
): Promise<number> => {
  if ((file === undefined) !== (options.all === true))
    throw new AgtmuxError("E_USAGE", "prompt needs either a file or --all");
  const opened = file === undefined ? null : await openClaimed(file);
  const session = opened?.frontmatter.session ?? null;
  const project = opened?.paths ?? (await currentProject());
  const { home } = context.paths();
  const registry = await readRegistry(project, home);
  if (opened !== null && (session === null || !Object.hasOwn(registry.entries, session)))
    throw new AgtmuxError("E_REF_NOT_FOUND", `${opened.name}: no pane is claimed for it`, {
      remedy: "Run 'agtmux doc claim' for it in the pane of its agent.",
    });
  const ids = opened === null ? Object.keys(registry.entries) : [session ?? ""];
  const print = (value: unknown) => context.print(`${plainJson(value)}\n`);
  if (ids.length === 0) {
    print([]);
    return 0;
  }
  const look = createPaneLook(context);
  return withDaemon(context, async (client) => {
    const asked = await askAll(look, client, registry, ids);
    const [only] = asked;
    if (options.answer !== undefined) {
      const number = parseCount(options.answer, "--answer", { min: 1, max: MAX_OPTION });
      if (opened === null || only === undefined)
        throw new AgtmuxError("E_USAGE", "an answer goes to one document whose pane is there");
      return answer(context, client, only, registry.own[session ?? ""]?.shownPrompt ?? null, number);
    }
    await remember(project, home, asked);
    if (opened === null) print(asked.map(({ info }) => info));
    else print(only?.info ?? notAsking(session, opened.name));
    return 0;
  });
};

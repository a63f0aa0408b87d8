// What `agtmux doc …` does, by verb. It is the entry of a bundle of its own; each verb loads what it needs.
import { readFile } from "node:fs/promises";
import { AgtmuxError } from "../../core/model/errors.ts";
import {
  locateDocument,
  shownPath,
  type DocumentPaths,
} from "../../features/documents/files/documentPaths.ts";
import { decodeText, readText } from "../../features/documents/files/wholeFile.ts";
import type { WriteRequest, WriteResult } from "../../features/documents/flow/writeResponse.ts";
import type { Way } from "../../features/documents/ipc/writeThroughEditor.ts";
import { withDaemon, type CliContext } from "../command/context.ts";
import { cleanLine, plainJson, textFor } from "../render/clean.ts";
import { localPath, remotePlace } from "./place.ts";

export const runCommit: typeof import("./history.ts").runCommit = async (...given) =>
  (await import("./history.ts")).runCommit(...given);
export const runClean: typeof import("./history.ts").runClean = async (...given) =>
  (await import("./history.ts")).runClean(...given);
export const runHistory: typeof import("./history.ts").runHistory = async (...given) =>
  (await import("./history.ts")).runHistory(...given);
export const runLayout: typeof import("./arrange.ts").runLayout = async (...given) =>
  (await import("./arrange.ts")).runLayout(...given);
export const runSync: typeof import("./arrange.ts").runSync = async (...given) =>
  (await import("./arrange.ts")).runSync(...given);
export const runResync: typeof import("./arrange.ts").runResync = async (...given) =>
  (await import("./arrange.ts")).runResync(...given);
export const runStart: typeof import("./route.ts").runStart = async (...given) =>
  (await import("./route.ts")).runStart(...given);
export const runWatch: typeof import("./watch.ts").runWatch = async (...given) =>
  (await import("./watch.ts")).runWatch(...given);
export const runPluginInstall: typeof import("./plugin.ts").runPluginInstall = async (...given) =>
  (await import("./plugin.ts")).runPluginInstall(...given);
export const runPluginList: typeof import("./plugin.ts").runPluginList = async (...given) =>
  (await import("./plugin.ts")).runPluginList(...given);
export const runRun: typeof import("./run.ts").runRun = async (...given) =>
  (await import("./run.ts")).runRun(...given);
export const runAudit: typeof import("./project.ts").runAudit = async (...given) =>
  (await import("./project.ts")).runAudit(...given);
export const runSkillCheck: typeof import("./project.ts").runSkillCheck = async (...given) =>
  (await import("./project.ts")).runSkillCheck(...given);
export const runSkillInstall: typeof import("./project.ts").runSkillInstall = async (...given) =>
  (await import("./project.ts")).runSkillInstall(...given);

/** The same for a file of this machine and for one of another. */
const loadRemote = () => import("./remotePanes.ts");
export const runClaim: typeof import("./claim.ts").runClaim = async (context, file, options) => {
  const place = remotePlace(file);
  return place === null
    ? (await import("./claim.ts")).runClaim(context, file, options)
    : (await loadRemote()).claimRemote(context, place, options);
};
export const runFocus: typeof import("./arrange.ts").runFocus = async (context, file, options) => {
  const place = remotePlace(file);
  return place === null
    ? (await import("./arrange.ts")).runFocus(context, file, options)
    : (await loadRemote()).focusRemote(context, place, options);
};
export const runRoute: typeof import("./route.ts").runRoute = async (context, file, options) => {
  const place = remotePlace(file);
  return place === null
    ? (await import("./route.ts")).runRoute(context, file, options)
    : (await loadRemote()).routeRemote(context, place, options);
};
export const runPrompt: typeof import("./prompt.ts").runPrompt = async (context, file, options) => {
  const place = options.all === true ? null : remotePlace(file ?? "");
  return place === null
    ? (await import("./prompt.ts")).runPrompt(context, file, options)
    : (await loadRemote()).promptRemote(context, place, options);
};

const locate = (file: string): Promise<DocumentPaths> => locateDocument(localPath(file), process.cwd());

/** The document and what its agent has seen, on whichever machine they are. */
const readDocument = async (
  context: CliContext,
  file: string,
): Promise<{ text: string; snapshot: string | null }> => {
  const place = remotePlace(file);
  if (place !== null) {
    const { readRemote } = await import("./remoteDocument.ts");
    return withDaemon(context, (client) => readRemote(client, place));
  }
  const paths = await locate(file);
  const { loadSnapshot } = await import("../../features/documents/files/snapshots.ts");
  return { text: await readText(paths.file), snapshot: await loadSnapshot(paths) };
};

const note = (context: CliContext, text: string): void =>
  void context.stderr.write(`agtmux: note: ${cleanLine(text)}.\n`);

export const runInit = async (
  context: CliContext,
  file: string,
  title: string | undefined,
  options: { agent?: string },
): Promise<void> => {
  const { initDocument } = await import("../../features/documents/flow/documentChanges.ts");
  const { randomUUID } = await import("node:crypto");
  await initDocument(localPath(file), {
    session: randomUUID(),
    title: title ?? null,
    agent: options.agent ?? null,
  });
  context.print(`Created ${cleanLine(file)}.\n`);
};

export const runDiff = async (
  context: CliContext,
  file: string,
  options: { stripComments?: boolean; json?: boolean },
): Promise<void> => {
  const { text, snapshot } = await readDocument(context, file);
  const { diffOfLines, lineDiff } = await import("../../features/documents/model/diffLines.ts");
  const { stripComments } = await import("../../features/documents/model/documentText.ts");
  const bare = options.stripComments === true ? stripComments : (text: string) => text;
  const texts = [bare(snapshot ?? ""), bare(text)] as const;
  if (options.json === true) {
    context.print(`${plainJson(diffOfLines(...texts), 2)}\n`);
    return;
  }
  const diff = lineDiff(...texts);
  if (diff !== null) context.print(textFor(context.stdout, diff));
};

export const runOutline = async (
  context: CliContext,
  file: string,
  options: { json?: boolean },
): Promise<void> => {
  const { text } = await readDocument(context, file);
  const { outlineOf } = await import("../../features/documents/model/documentText.ts");
  const sections = outlineOf(text);
  if (options.json === true) {
    context.print(`${plainJson(sections, 2)}\n`);
    return;
  }
  const { renderTable } = await import("../render/table.ts");
  const { measureFor } = await import("../render/table.ts");
  const rows = sections.map(({ heading, depth, line, lines, tokens }) => [
    { text: `${"  ".repeat(Math.max(0, depth - 1))}${cleanLine(heading)}` },
    ...[line, lines, tokens].map((number) => ({ text: String(number) })),
  ]);
  const columns = [
    { title: "SECTION", min: 10 },
    ...["LINE", "LINES", "TOKENS"].map((title) => ({ title, min: null })),
  ];
  const table = { width: context.width, measure: await measureFor(sections), paint: context.paint };
  context.print(`${renderTable(columns, rows, table).join("\n")}\n`);
};

export const runReset = async (context: CliContext, file: string): Promise<void> => {
  const paths = await locate(file);
  const { resetDocument } = await import("../../features/documents/flow/documentChanges.ts");
  const { hadSnapshot, hadResume } = await resetDocument(paths);
  const name = cleanLine(shownPath(paths));
  context.print(
    hadSnapshot || hadResume ? `The agent begins again with ${name}.\n` : `${name} had nothing to forget.\n`,
  );
};

const MAX_INPUT = 64 * 1024 * 1024;

const readStdin = async ({ stdin }: CliContext): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > MAX_INPUT) throw new AgtmuxError("E_USAGE", "standard input is longer than 64 MB");
  }
  return decodeText(Buffer.concat(chunks), "standard input");
};

const mergeWithGit = async (context: CliContext, root: string) => {
  const { mergeByLines } = await import("../../features/documents/git.ts");
  return mergeByLines(root, context.env);
};

const recovered = (count: number): string =>
  count === 1 ? "An earlier response was written in.\n" : `${count} earlier responses were written in.\n`;

interface Writing {
  /** Where git merges. */
  readonly root: string;
  write(request: Omit<WriteRequest, "paths" | "onStep">): Promise<WriteResult & { name: string }>;
}

const openWriting = async (context: CliContext, file: string): Promise<Writing> => {
  const place = remotePlace(file);
  if (place !== null) {
    const { writeRemote } = await import("./remoteDocument.ts");
    const write: Writing["write"] = (request) =>
      withDaemon(context, (client) => writeRemote(client, place, request));
    return { root: process.cwd(), write };
  }
  const paths = await locate(file);
  const { writeResponse } = await import("../../features/documents/flow/writeResponse.ts");
  return {
    root: paths.root,
    write: async (request) => ({
      ...(await writeResponse({ ...request, paths })),
      name: cleanLine(shownPath(paths)),
    }),
  };
};

export const runWrite = async (
  context: CliContext,
  file: string,
  options: { baselineFile?: string; stream?: boolean; ipc?: boolean; forceDisk?: boolean },
): Promise<void> => {
  const writing = await openWriting(context, file);
  const baseline =
    options.baselineFile === undefined
      ? null
      : decodeText(await readBaseline(options.baselineFile), options.baselineFile);
  const { readConfig } = await import("./documentConfig.ts");
  const { snapshot } = await readConfig(context);
  const result = await writing.write({
    response: await readStdin(context),
    baseline,
    mergeByLines: await mergeWithGit(context, writing.root),
    way: wayOf(options),
    now: context.now(),
    snapshot,
  });
  for (const one of result.notes) note(context, one);
  if (result.recovered > 0) context.print(recovered(result.recovered));
  const { name } = result;
  context.print(result.isChanged ? `Written into ${name}.\n` : `${name} has it already.\n`);
};

const wayOf = ({ ipc, forceDisk }: { ipc?: boolean; forceDisk?: boolean }): Way => {
  if (ipc === true && forceDisk === true)
    throw new AgtmuxError("E_USAGE", "--ipc and --force-disk contradict each other", {
      remedy: "Give one of them.",
    });
  if (ipc === true) return "editor";
  return forceDisk === true ? "disk" : "auto";
};

const readBaseline = async (path: string): Promise<Buffer> => {
  try {
    return await readFile(path);
  } catch (error) {
    throw new AgtmuxError("E_USAGE", `the baseline '${path}' cannot be read`, {
      cause: error,
      remedy: "Give the copy of the document that the agent was shown.",
    });
  }
};

export const runRecover = async (context: CliContext, file: string): Promise<void> => {
  const paths = await locate(file);
  const { recoverPending } = await import("../../features/documents/flow/writeResponse.ts");
  const mergeByLines = await mergeWithGit(context, paths.root);
  const { readConfig } = await import("./documentConfig.ts");
  const { snapshot } = await readConfig(context);
  const count = await recoverPending({ paths, mergeByLines, way: "auto", now: context.now(), snapshot });
  context.print(count === 0 ? "No response was waiting.\n" : recovered(count));
};

export const runPatch = async (
  context: CliContext,
  file: string,
  component: string,
  content: string | undefined,
  options: { yes?: boolean },
): Promise<void> => {
  const paths = await locate(file);
  const { patchComponent } = await import("../../features/documents/flow/documentChanges.ts");
  const { approveHooks } = await import("./project.ts");
  const notes = await patchComponent({
    paths,
    component,
    content: content ?? (await readStdin(context)),
    env: context.env,
    now: context.now(),
    approve: (hooks) => approveHooks(context, hooks, options.yes === true),
  });
  for (const one of notes) note(context, one);
};

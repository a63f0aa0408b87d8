// The smaller flows that change a document or what is kept beside it: `init`, `reset`, `history --restore`.
import { mkdir, link, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { errorCodeOf } from "../../../core/model/systemError.ts";
import { parseComponents } from "../model/components.ts";
import { lineEndOf, withLineEnds } from "../model/lineEnds.ts";
import { applyPatch } from "../model/patches.ts";
import { readFrontmatter, setFrontmatter, type Frontmatter } from "../model/frontmatter.ts";
import type { DocumentPaths } from "../files/documentPaths.ts";
import { withDocumentLock } from "../files/documentLock.ts";
import { replaceText } from "../files/replaceText.ts";
import { deleteSnapshot, loadSnapshot, saveSnapshot } from "../files/snapshots.ts";
import { readText, writeNewFile } from "../files/wholeFile.ts";

interface NewDocument {
  readonly session: string;
  readonly title: string | null;
  readonly agent: string | null;
}

/** An inline document with room for the first question. */
const newText = ({ session, title, agent }: NewDocument): string => {
  const head = setFrontmatter("", {
    agent_doc_session: session,
    agent_doc_format: "inline",
    ...(agent === null ? {} : { agent }),
  });
  return `${head}\n${title === null ? "" : `# ${title}\n\n`}## User\n\n`;
};

/** @throws AgtmuxError E_USAGE where there is a file already; it stays as it is. */
export const initDocument = async (path: string, options: NewDocument): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const made = await writeNewFile(path, newText(options));
  try {
    // Unlike a rename, a link never replaces a file that came meanwhile.
    await link(made, path);
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
    throw new AgtmuxError("E_USAGE", `${path} exists already`, { remedy: "Name a file that does not." });
  } finally {
    await rm(made, { force: true });
  }
};

/** Ends the agent's conversation: the next one begins with the whole document. The document keeps its own id. */
export const resetDocument = async (
  paths: DocumentPaths,
): Promise<{ hadSnapshot: boolean; hadResume: boolean }> => {
  const hadResume = readFrontmatter(await readText(paths.file)).resume !== null;
  return withDocumentLock(paths, async () => {
    if (hadResume) await replaceText(paths.file, (text) => setFrontmatter(text, { resume: null }));
    return { hadSnapshot: await deleteSnapshot(paths), hadResume };
  });
};

const COMPONENTS = `
<!-- agent:status mode=replace -->
<!-- /agent:status -->

<!-- agent:exchange mode=append -->
<!-- /agent:exchange -->
`;

/** It becomes a key of the registry, where nothing but ids is looked for. @throws AgtmuxError E_DOCUMENT_INVALID */
export const checkId = ({ session: id }: Pick<Frontmatter, "session">): void => {
  if (id === null || (/^[\w-]{1,100}$/.test(id) && !(id in Object.prototype))) return;
  throw new AgtmuxError("E_DOCUMENT_INVALID", "'agent_doc_session' in the frontmatter is no id", {
    remedy: "Take the line away: the document gets an id of its own. Nothing was changed.",
  });
};

/**
 * The document with an id of its own, which it gets where it has none. A template without components gets those of a conversation.
 * @throws AgtmuxError E_DOCUMENT_INVALID for what cannot be understood.
 */
export const claimedText = (text: string, newId: () => string): string => {
  const frontmatter = readFrontmatter(text);
  checkId(frontmatter);
  const { session, format } = frontmatter;
  const withId = session === null ? setFrontmatter(text, { agent_doc_session: newId() }) : text;
  const isBare = format === "template" && parseComponents(text).length === 0;
  const added = `${withId.endsWith("\n") ? "" : "\n"}${COMPONENTS}`;
  return isBare ? withId + withLineEnds(added, lineEndOf(text)) : withId;
};

/** Makes it so in the file, and gives the id. @throws AgtmuxError E_DOCUMENT_INVALID: it stays as it is then. */
export const claimDocument = async (paths: DocumentPaths, newId: () => string): Promise<string> =>
  withDocumentLock(paths, async () => {
    await replaceText(paths.file, (text) => claimedText(text, newId));
    return readFrontmatter(await readText(paths.file)).session ?? newId();
  });

/** Remembers the agent's conversation, in the document and in what the agent has seen of it. */
export const setResume = async (paths: DocumentPaths, resume: string): Promise<void> =>
  withDocumentLock(paths, async () => {
    await replaceText(paths.file, (text) => setFrontmatter(text, { resume }));
    const seen = await loadSnapshot(paths);
    if (seen !== null) await saveSnapshot(paths, setFrontmatter(seen, { resume }));
  });

/** Puts an exchange of before above the one that is there. */
export const restoreExchange = (paths: DocumentPaths, exchange: string): Promise<string> =>
  withDocumentLock(paths, () =>
    replaceText(
      paths.file,
      (text) => applyPatch(text, { component: "exchange", content: exchange }, "prepend").text,
    ),
  );

// The sessions that agents of the pi family keep: `<folder>/agent/sessions/<project>/<time>_<id>.jsonl`. Recorded with omp 18.2.3
// and pi 0.87.1; gjc and arcane by their documents. What sub-agents write lies a folder deeper.
import type { FileHistory, LogPiece, SessionFacts } from "../../core/ports/agentHistory.ts";
import {
  amountOf,
  costOf,
  headLines,
  newestTime,
  promptIn,
  SESSION_ID,
  usageByLine,
} from "../common/history.ts";
import { asPayload, fieldOf, type Payload, textOf } from "../common/payload.ts";
import { parseLog, timeOf } from "../common/transcript.ts";
import { readPiEntries } from "./transcript.ts";

const FILE = /^[^/]+\/[^/]+_[^/]+\.jsonl$/;
/** A name is given by a line of its own and may be given again. */
const NAMING = new Set(["session_info", "title_change"]);

const nameIn = (tail: string): string | null => {
  const lines = tail
    .split("\n")
    .filter((line) => line.includes('"session_info"') || line.includes('"title_change"'));
  const last = parseLog(lines.join("\n")).findLast((line) => NAMING.has(textOf(line, "type") ?? ""));
  return last === undefined ? null : (textOf(last, "name") ?? textOf(last, "title"));
};

/** It may be a path, whose last part ends with the id. */
const parentOf = (header: Payload): string | null => {
  const name = (textOf(header, "parentSession") ?? "").split("/").at(-1) ?? "";
  const id =
    name
      .replace(/\.jsonl$/, "")
      .split("_")
      .at(-1) ?? "";
  return SESSION_ID.test(id) ? id : null;
};

const fromHeader = (header: Payload, tail: string, title: string | null): SessionFacts | null => {
  const id = textOf(header, "id");
  if (textOf(header, "type") !== "session" || id === null || !SESSION_ID.test(id)) return null;
  return {
    id,
    cwd: textOf(header, "cwd"),
    branch: null,
    title: title ?? nameIn(tail) ?? textOf(header, "title"),
    firstPrompt: null,
    startedAt: timeOf(header),
    lastAt: newestTime(tail),
    parentId: parentOf(header),
  };
};

const readFacts = ({ head, tail }: LogPiece): SessionFacts | null => {
  let facts: SessionFacts | null = null;
  let title: string | null = null;
  for (const line of headLines(head)) {
    // omp keeps the name as it is now in a line of its own above the first entry.
    if (facts === null && textOf(line, "type") === "title") {
      title = textOf(line, "title");
      continue;
    }
    if (facts === null) {
      facts = fromHeader(line, tail, title);
      if (facts === null) return null;
      continue;
    }
    facts.firstPrompt ??= promptIn(readPiEntries([line], null).entries);
    if (facts.firstPrompt !== null) break;
  }
  return facts;
};

/** A fork repeats the entries of the session from which it came. */
const usage = usageByLine(/"usage":\{/, (line) => {
  const message = asPayload(fieldOf(line, "message")) ?? {};
  const used = asPayload(fieldOf(message, "usage"));
  const key =
    textOf(message, "responseId") ?? `${textOf(line, "timestamp") ?? ""} ${textOf(line, "id") ?? ""}`;
  return used === null
    ? null
    : {
        key,
        at: timeOf(line),
        model: textOf(message, "model"),
        input: amountOf(used, "input"),
        output: amountOf(used, "output"),
        cacheRead: amountOf(used, "cacheRead"),
        cacheWrite: amountOf(used, "cacheWrite"),
        cost: costOf(asPayload(fieldOf(used, "cost")) ?? {}, "total"),
      };
});

/** `folder` as `.omp`. */
export const createPiHistory = (folder: string): FileHistory => ({
  kind: "files",
  roots: [{ folder: `${folder}/agent/sessions`, depth: 1, file: FILE }],
  headBytes: 16 * 1024,
  readFacts,
  readEntries: readPiEntries,
  usage,
});

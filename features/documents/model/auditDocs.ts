// Checks the documents that agents are given: whether the paths in drawn trees exist, whether a document is too long or much
// older than the sources, and whether it says what to do.

export interface DocToAudit {
  /** From the project's root. */
  readonly path: string;
  readonly text: string;
  readonly modifiedAt: number;
}

interface ProjectFacts {
  /** Whether a path, from the root, exists. */
  exists(path: string): boolean;
  /** The newest change of a source in the project, in epoch ms; null where there is none. */
  readonly newestSourceAt: number | null;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export const MAX_DOC_LINES = 1_000;
/** Sources that are that much newer than a document have probably left it behind. */
const STALE_AFTER_MS = 90 * 24 * 60 * 60 * 1_000;

const BRANCH = /^((?:[│|] {3}| {4})*)(?:├──|└──|\|--|`--)\s*(\S[^#←]*?)\s*(?:[#←].*)?$/;
const ROOT_LINE = /^([\w.-]+(?:\/[\w.-]+)*\/|\.)\s*(?:#.*)?$/;

interface TreePath {
  readonly path: string;
  readonly line: number;
}

/** What stands for many names, or for none. */
const isPattern = (name: string): boolean => /[*…<>{}]|\.\.\./.test(name);

/** The paths of trees drawn with lines, with their line numbers. A first line `name/` is the tree's root. */
const drawnPaths = (lines: readonly string[]): TreePath[] => {
  const found: TreePath[] = [];
  let stack: string[] = [];
  let root = "";
  let before = "";
  /** Of the whole tree, as where it is a part of a list. */
  let indent = 0;
  for (const [index, whole] of lines.entries()) {
    if (stack.length === 0) indent = whole.length - whole.trimStart().length;
    const line = whole.slice(0, indent).trim() === "" ? whole.slice(indent) : whole;
    const match = BRANCH.exec(line);
    if (match === null) {
      stack = [];
      before = whole.trim();
      continue;
    }
    const depth = (match[1]?.length ?? 0) / 4;
    const name = (match[2] ?? "").replace(/\/$/, "").split(/\s{2,}/)[0] ?? "";
    if (stack.length === 0) root = (ROOT_LINE.exec(before)?.[1] ?? "").replace(/\/$/, "");
    stack = [...stack.slice(0, depth), name];
    if (!isPattern(name)) found.push({ path: [root, ...stack].join("/"), line: index + 1 });
  }
  return found;
};

const FENCE = /^\s*(?:```|~~~)/;
/** A name by itself, with at most a remark behind it. */
const INDENTED = /^( *)([\w.@*<>{}…-]+\/?)(?:\s+(?:#|←|--|—).*|\s{2,}.*)?$/;

/** The paths of a tree that only its indentation draws: names alone, the first of them a folder that all others are below. */
const indentedPaths = (block: readonly string[], from: number): TreePath[] => {
  const entries = block.flatMap((line, at) => {
    const [, space = "", name = ""] = INDENTED.exec(line) ?? [];
    return line === "" ? [] : [{ depth: space.length, name, line: from + at + 1 }];
  });
  const [root, ...others] = entries;
  const isTree =
    root?.name.endsWith("/") === true &&
    others.length > 0 &&
    others.every(({ name, depth }) => name !== "" && depth > root.depth);
  if (!isTree) return [];
  let stack: { depth: number; name: string }[] = [];
  return entries.flatMap(({ depth, name, line }) => {
    const plain = name.replace(/\/$/, "");
    stack = [...stack.filter((one) => one.depth < depth), { depth, name: plain }];
    const isMany = stack.some((one) => isPattern(one.name));
    return isMany || stack.length === 1 ? [] : [{ path: stack.map((one) => one.name).join("/"), line }];
  });
};

/** Trees in blocks of code, and drawn ones anywhere. */
const treePaths = (text: string): TreePath[] => {
  const lines = text.split("\n").map((line) => line.replaceAll("\u{a0}", " ").trimEnd());
  const found = drawnPaths(lines);
  let begun: number | null = null;
  for (const [at, line] of lines.entries()) {
    if (!FENCE.test(line)) continue;
    if (begun !== null) found.push(...indentedPaths(lines.slice(begun, at), begun));
    begun = begun === null ? at + 1 : null;
  }
  return found.toSorted((a, b) => a.line - b.line);
};

/** The root of a drawn tree is often the project's own name. */
const exists = (path: string, facts: ProjectFacts): boolean =>
  facts.exists(path.replace(/^\.?\//, "")) || facts.exists(path.replace(/^[^/]*\//, ""));

const ACTIONABLE =
  /^\s*(?:[-*+]|\d+[.)])\s+\S|^\s*(?:```|~~~)|`[^`]+`|\b(?:run|use|never|always|must|do not|don't|read|write|see)\b/im;

const auditDoc = ({ path, text, modifiedAt }: DocToAudit, facts: ProjectFacts): Finding[] => {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const age = (facts.newestSourceAt ?? 0) - modifiedAt;
  const days = Math.floor(age / (24 * 60 * 60 * 1_000));
  return [
    ...treePaths(text)
      .filter((one) => !exists(one.path, facts))
      .map((one) => ({ path, line: one.line, message: `the tree names '${one.path}', which is not there` })),
    ...(lines > MAX_DOC_LINES
      ? [{ path, line: MAX_DOC_LINES + 1, message: `${lines} lines, more than ${MAX_DOC_LINES}` }]
      : []),
    ...(age > STALE_AFTER_MS
      ? [{ path, line: 1, message: `sources changed ${days} days after it: it may be out of date` }]
      : []),
    ...(text.trim() !== "" && !ACTIONABLE.test(text)
      ? [{ path, line: 1, message: "nothing in it says what to do: no list, no command, no rule" }]
      : []),
    ...(text.trim() === "" ? [{ path, line: 1, message: "it is empty" }] : []),
  ];
};

export const auditDocs = (docs: readonly DocToAudit[], facts: ProjectFacts): Finding[] =>
  docs.flatMap((doc) => auditDoc(doc, facts));

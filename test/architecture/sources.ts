// The product's own sources as syntax trees, so that rules about them look at code and never at comments.
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vite";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Of the product. */
export const TOP_FOLDERS = [
  "adapters",
  "cli",
  "core",
  "editors",
  "features",
  "main",
  "preload",
  "renderer",
  "ui",
];

export interface Import {
  /** Relative ones as a path from the repository's root, others as written. */
  to: string;
  isType: boolean;
}

export interface SourceFile {
  /** From the repository's root. */
  path: string;
  text: string;
  imports: Import[];
  /** Names that are exported where they are declared. */
  exports: string[];
  /** Every name and every piece of text in the code, with its line. */
  words: { text: string; line: number }[];
}

interface SyntaxNode {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

function* walk(node: SyntaxNode): Generator<SyntaxNode> {
  yield node;
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walk(child);
}

const literalOf = (value: unknown): string | null => {
  if (!isNode(value)) return null;
  if (value.type === "TSLiteralType") return literalOf(value["literal"]);
  return typeof value["value"] === "string" ? value["value"] : null;
};

const importOf = (node: SyntaxNode): { specifier: string; isType: boolean } | null => {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression": {
      const specifier = literalOf(node["source"]);
      const isType = node["importKind"] === "type" || node["exportKind"] === "type";
      return specifier === null ? null : { specifier, isType };
    }
    case "TSImportType": {
      const specifier = literalOf(node["source"] ?? node["argument"]);
      return specifier === null ? null : { specifier, isType: true };
    }
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the syntax tree has a hundred more kinds
    default:
      return null;
  }
};

/** Names in a declaration, also in one that takes an object apart. */
const declaredIn = (declaration: unknown): string[] => {
  if (!isNode(declaration)) return [];
  const { declarations, id } = declaration;
  if (Array.isArray(declarations)) return declarations.flatMap((one: unknown) => declaredIn(one));
  if (!isNode(id)) return [];
  return id.type === "Identifier"
    ? [String(id["name"])]
    : [...walk(id)].flatMap((node) => (node.type === "Identifier" ? [String(node["name"])] : []));
};

const wordOf = (node: SyntaxNode): string | null => {
  if (node.type === "Identifier" || node.type === "PrivateIdentifier" || node.type === "JSXText")
    return String(node["name"] ?? node["value"]);
  if (node.type === "Literal") return String(node["raw"]);
  const { value } = node;
  if (node.type === "TemplateElement" && typeof value === "object" && value !== null && "raw" in value)
    return String(value.raw);
  return null;
};

const readSource = (path: string): SourceFile => {
  const text = readFileSync(join(ROOT, path), "utf8");
  const imports: Import[] = [];
  const exports: string[] = [];
  const words: SourceFile["words"] = [];
  const lineEnds = [...text.matchAll(/\n/g)].map(({ index }) => index);
  let line = 1;
  const tree: unknown = parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }, path);
  if (!isNode(tree)) throw new Error(`${path} does not parse`);
  for (const node of walk(tree)) {
    const found = importOf(node);
    if (found !== null) {
      const { specifier, isType } = found;
      const to = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
      imports.push({ to, isType });
    }
    if (node.type === "ExportNamedDeclaration") exports.push(...declaredIn(node["declaration"]));
    const word = wordOf(node);
    if (word === null) continue;
    // Nodes come nearly in the order of the text.
    while (line > 1 && (lineEnds[line - 2] ?? 0) >= node.start) line -= 1;
    while ((lineEnds[line - 1] ?? Infinity) < node.start) line += 1;
    words.push({ text: word, line });
  }
  return { path, text, imports, exports, words };
};

/** Sources do not change while they are tested, and all tests of a worker ask for them. */
const known = new Map<string, SourceFile>();
const knownSource = (path: string): SourceFile => {
  const source = known.get(path) ?? readSource(path);
  known.set(path, source);
  return source;
};

const NOT_PRODUCT = /\.test\.tsx?$|\/(testing|testkit|fixtures)\//;

/** All product sources of a top folder; tests and what serves them are left out. */
export const readSources = (folder: string): SourceFile[] =>
  globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !NOT_PRODUCT.test(path))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map(knownSource);

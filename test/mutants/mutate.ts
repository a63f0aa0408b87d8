// What a mutant is: a small change of one place of the code, found in its syntax tree, chosen by a seed, and written into the
// source beside the original, so that one copy of the code holds all of them and a number says which is on. Pure: it reads
// and writes no file, and knows no tests.
import { parseSync, Visitor, type ESTree } from "vite";

/** `condition` turned, `bound` moved by one, `call` left out. */
const FAMILIES = ["condition", "bound", "call"] as const;
type Family = (typeof FAMILIES)[number];

export interface Mutant {
  /** `core/engine/resolve.ts:12:3 a <= b`: the same for as long as the file is. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly family: Family;
  /** What is replaced, as offsets into the source, and by what. */
  readonly start: number;
  readonly end: number;
  readonly changed: string;
  /**
   * `value`: an expression that does nothing but give a value, so that a test for which both give the same cannot notice.
   * `expression`, `statement`: whoever comes by may notice.
   */
  readonly form: "value" | "expression" | "statement";
}

const COMPARISONS: Readonly<Record<string, readonly [changed: string, family: Family]>> = {
  "===": ["!==", "condition"],
  "!==": ["===", "condition"],
  "<": ["<=", "bound"],
  "<=": ["<", "bound"],
  ">": [">=", "bound"],
  ">=": [">", "bound"],
};
/** A bound of a thousand that is moved by one is noticed by nobody who does not ask for just that. */
const MAX_MOVED = 100;
/** What is written to a log is no promise. */
const LOGGERS = /^(?:this\.)?(?:\w+\.)*(?:logger|log|console)\./;

interface Span {
  start: number;
  end: number;
}
const isWithin = (inner: Span, outer: Span): boolean => inner.start >= outer.start && inner.end <= outer.end;
const overlaps = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end;

const isSmallNumber = (node: ESTree.Node): node is ESTree.NumericLiteral =>
  node.type === "Literal" && typeof node.value === "number" && node.value <= MAX_MOVED;
const movedBy = (node: ESTree.NumericLiteral): string => String(node.value + 1);

/** Every place of a file where a mutant can be made, in the order of the text. Throws for what cannot be parsed. */
export const findMutants = (file: string, source: string): Mutant[] => {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message ?? ""}`);
  const found: Omit<Mutant, "id" | "file" | "line">[] = [];
  const acting: Span[] = [];
  const described: Span[] = [];
  const textOf = ({ start, end }: Span): string => source.slice(start, end);
  const expression = (node: Span, family: Family, changed: string): number =>
    found.push({ family, start: node.start, end: node.end, changed, form: "expression" });

  const turn = ({ test }: { test: ESTree.Expression | null }): void => {
    // A comparison or a connective in there is turned by itself.
    if (test !== null && test.type !== "Literal") expression(test, "condition", `!(${textOf(test)})`);
  };
  /** `node` with the number in it moved. */
  const move = (node: Span, literal: ESTree.Node): void => {
    if (!isSmallNumber(literal)) return;
    const changed =
      source.slice(node.start, literal.start) + movedBy(literal) + source.slice(literal.end, node.end);
    expression(node, "bound", changed);
  };
  /** `node` with its operator changed; not where a comment stands beside it. */
  const operate = (
    node: ESTree.BinaryExpression | ESTree.LogicalExpression,
    changed: string,
    family: Family,
  ): void => {
    const between = { start: node.left.end, end: node.right.start };
    const [before = "", after, more] = textOf(between).split(node.operator);
    if (after === undefined || more !== undefined || textOf(between).includes("/")) return;
    expression(
      node,
      family,
      textOf({ start: node.start, end: between.start }) +
        before +
        changed +
        after +
        textOf({ start: between.end, end: node.end }),
    );
  };

  new Visitor({
    IfStatement: turn,
    ConditionalExpression: turn,
    WhileStatement: turn,
    LogicalExpression: (node) => {
      if (node.operator !== "??") operate(node, node.operator === "&&" ? "||" : "&&", "condition");
    },
    BinaryExpression: (node) => {
      const [changed, family] = COMPARISONS[node.operator] ?? [];
      if (changed !== undefined && family !== undefined) operate(node, changed, family);
      else if (node.operator !== "+" && node.operator !== "-") return;
      // A number that something equals is no bound.
      if (family === "condition") return;
      move(node, node.right);
      if (node.left.type === "Literal") move(node, node.left);
    },
    VariableDeclarator: ({ init }) => {
      if (init !== null) move(init, init);
    },
    CallExpression: (node) => {
      acting.push(node);
      for (const argument of node.arguments) move(argument, argument);
      const { callee } = node;
      if (
        callee.type === "MemberExpression" &&
        callee.property.type === "Identifier" &&
        callee.property.name === "describe"
      )
        described.push(node);
    },
    ReturnStatement: ({ argument }) => {
      if (argument?.type === "Literal" && typeof argument.value === "boolean")
        expression(argument, "condition", String(!argument.value));
    },
    ExpressionStatement: (node) => {
      const outer = node.expression;
      const isPassedOn =
        outer.type === "AwaitExpression" || (outer.type === "UnaryExpression" && outer.operator === "void");
      const passed = isPassedOn ? outer.argument : outer;
      const inner = passed.type === "ChainExpression" ? passed.expression : passed;
      if (inner.type !== "CallExpression" || inner.callee.type === "Super" || LOGGERS.test(textOf(inner)))
        return;
      found.push({ family: "call", start: node.start, end: node.end, changed: "{}", form: "statement" });
    },
    NewExpression: (node) => void acting.push(node),
    AwaitExpression: (node) => void acting.push(node),
    YieldExpression: (node) => void acting.push(node),
    AssignmentExpression: (node) => void acting.push(node),
    UpdateExpression: (node) => void acting.push(node),
    TaggedTemplateExpression: (node) => void acting.push(node),
    ImportExpression: (node) => void acting.push(node),
  }).visit(program);

  const lineStarts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return found
    .filter((mutant) => !described.some((span) => isWithin(mutant, span)))
    .toSorted((one, other) => one.start - other.start || one.end - other.end)
    .map((mutant) => {
      const line = lineStarts.findLastIndex((start) => start <= mutant.start) + 1;
      const place = `${file}:${line}:${mutant.start - (lineStarts[line - 1] ?? 0) + 1}`;
      const isValue = mutant.form === "expression" && !acting.some((span) => isWithin(span, mutant));
      return {
        ...mutant,
        id: `${place} ${mutant.changed.replaceAll(/\s+/g, " ")}`,
        file,
        line,
        form: isValue ? ("value" as const) : mutant.form,
      };
    });
};

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const shuffle = <T>(items: readonly T[], random: () => number): T[] => {
  const left = [...items];
  for (let index = left.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [left[index], left[other]] = [left[other]!, left[index]!];
  }
  return left;
};

/** Shares of `count` in proportion to the sizes, each at least `least`; they add up to `count`. */
export const shareOut = (sizes: readonly number[], count: number, least: number): number[] => {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const floor = Math.min(least, Math.floor(count / Math.max(1, sizes.length)));
  const shares = sizes.map((size) => (size === 0 ? 0 : Math.max(floor, Math.floor((count * size) / total))));
  const sum = (): number => shares.reduce((all, share) => all + share, 0);
  // What was rounded, or given to small ones, the largest gives or takes.
  const largest = sizes.indexOf(Math.max(...sizes));
  if (largest >= 0) shares[largest] = (shares[largest] ?? 0) + count - sum();
  return shares;
};

const LEAST_OF_FOLDER = 20;

/**
 * Takes `count` of the mutants (all, where there are fewer), in proportion to how many each folder has, and of each family
 * alike for as long as it has any. No two are in one place.
 */
export const chooseMutants = (
  byFolder: readonly (readonly Mutant[])[],
  { count, seed }: { count: number; seed: number },
): Mutant[] => {
  const random = randomOf(seed);
  const shares = shareOut(
    byFolder.map((mutants) => mutants.length),
    count,
    LEAST_OF_FOLDER,
  );
  return byFolder.flatMap((mutants, folder) => {
    const shuffled = shuffle(mutants, random);
    const queues = FAMILIES.map((family) => shuffled.filter((mutant) => mutant.family === family));
    const chosen: Mutant[] = [];
    const isFree = (mutant: Mutant): boolean =>
      !chosen.some((other) => other.file === mutant.file && overlaps(other, mutant));
    while (chosen.length < (shares[folder] ?? 0) && queues.some((queue) => queue.length > 0))
      for (const queue of queues) {
        const next = queue.shift();
        if (next !== undefined && chosen.length < (shares[folder] ?? 0) && isFree(next)) chosen.push(next);
      }
    return chosen.toSorted((one, other) => one.file.localeCompare(other.file) || one.start - other.start);
  });
};

/** The source with this one change. */
export const applyMutant = (source: string, { start, end, changed, form }: Mutant): string =>
  source.slice(0, start) + (form === "statement" ? changed : `(${changed})`) + source.slice(end);

/** Names that the code itself uses nowhere. */
const SITE = "__mutantSite";

const siteOf = (original: string, { changed, form }: Mutant, number: number): string => {
  // Braces, because the statement may be all that an `if` with an `else` does.
  if (form === "statement") return `{ if (!${SITE}.isOn(${number})) ${original} }`;
  if (form === "expression") return `(${SITE}.isOn(${number}) ? (${changed}) : (${original}))`;
  return `${SITE}.pick(${number}, () => (${changed}), () => (${original}))`;
};

/** The source with all of these mutants of it in it, and no line moved. `site` is what it imports: the path of the switch. */
export const writeSites = (
  source: string,
  mutants: readonly { mutant: Mutant; number: number }[],
  site: string,
): string => {
  const written = mutants
    .toSorted((one, other) => other.mutant.start - one.mutant.start)
    .reduce(
      (text, { mutant, number }) =>
        text.slice(0, mutant.start) +
        siteOf(source.slice(mutant.start, mutant.end), mutant, number) +
        text.slice(mutant.end),
      source,
    );
  return `import * as ${SITE} from ${JSON.stringify(site)}; ${written}`;
};

/** The first line that differs, as it was and as it is. */
export const describeChange = (source: string, { start, end, changed }: Mutant): string => {
  const before = source.split("\n");
  const after = (source.slice(0, start) + changed + source.slice(end)).split("\n");
  const index = before.findIndex((line, at) => line !== after[at]);
  const isLonger = before.length > after.length;
  // A call of several lines that is left out is shown by its first one.
  return `- ${before[index]?.trim() ?? ""}${isLonger ? " …" : ""}\n+ ${after[index]?.trim() ?? ""}`;
};

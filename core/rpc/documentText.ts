// JSON of list documents, cached by row and by block of rows. Rows are replaced, never changed, so the text of a row object is
// made only once, and a block of unchanged rows is sent again as it was. An unchanged row costs only the comparison of its
// reference.

/** Rows per block. With more, an answer has fewer pieces, but one changed row makes a larger block be joined again. */
const BLOCK = 100;

interface Block {
  items: readonly unknown[];
  bytes: Buffer;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** JSON of an array's element: `null` for a value that JSON cannot hold. */
const elementText = (item: unknown): string => JSON.stringify([item]).slice(1, -1);

const isSameBlock = (block: Block | undefined, items: readonly unknown[], from: number): block is Block => {
  if (block === undefined || block.items.length !== Math.min(BLOCK, items.length - from)) return false;
  for (let at = 0; at < block.items.length; at += 1) if (block.items[at] !== items[from + at]) return false;
  return true;
};

/** The pieces of a document's UTF-8 text, together exactly that of JSON.stringify. */
export type DocumentWriter = (document: unknown) => readonly Buffer[];

/**
 * Makes the writer of one list, which keeps the blocks of the latest document. A row must not be changed after it was written
 * once.
 */
export const createDocumentWriter = (): DocumentWriter => {
  const texts = new WeakMap<object, string>();
  let latest: readonly Block[] = [];
  const itemText = (item: unknown): string => {
    if (!isObject(item)) return elementText(item);
    const known = texts.get(item);
    if (known !== undefined) return known;
    const text = elementText(item);
    texts.set(item, text);
    return text;
  };
  const blockOf = (all: readonly unknown[], from: number): Block => {
    const items = all.slice(from, from + BLOCK);
    return { items, bytes: Buffer.from(`${from === 0 ? "" : ","}${items.map(itemText).join(",")}`) };
  };
  const blocksOf = (items: readonly unknown[]): readonly Block[] => {
    const blocks: Block[] = [];
    for (let from = 0; from < items.length; from += BLOCK) {
      const known = latest[blocks.length];
      blocks.push(isSameBlock(known, items, from) ? known : blockOf(items, from));
    }
    return blocks;
  };
  return (document) => {
    if (!isObject(document) || !("items" in document) || Object.keys(document).at(-1) !== "items")
      return [Buffer.from(JSON.stringify(document))];
    const { items, ...frame } = document;
    if (!Array.isArray(items)) return [Buffer.from(JSON.stringify(document))];
    latest = blocksOf(items);
    const head = JSON.stringify(frame).slice(0, -1);
    return [
      Buffer.from(`${head === "{" ? head : `${head},`}"items":[`),
      ...latest.map(({ bytes }) => bytes),
      Buffer.from("]}"),
    ];
  };
};

// JSON of list documents, by the row: rows are never changed but replaced, so the text of one that is the same object as
// in the answer before is written once.

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Gives the writer of one server; its text is exactly that of JSON.stringify. Rows must not be changed after their first writing. */
export const createDocumentWriter = (): ((document: unknown) => string) => {
  const texts = new WeakMap<object, string>();
  const rowText = (row: object): string => {
    const known = texts.get(row);
    if (known !== undefined) return known;
    const text = JSON.stringify(row);
    texts.set(row, text);
    return text;
  };
  return (document) => {
    if (!isObject(document) || !("items" in document) || Object.keys(document).at(-1) !== "items")
      return JSON.stringify(document);
    const { items, ...frame } = document;
    if (!Array.isArray(items) || !items.every(isObject)) return JSON.stringify(document);
    const head = JSON.stringify(frame).slice(0, -1);
    return `${head === "{" ? head : `${head},`}"items":[${items.map(rowText).join(",")}]}`;
  };
};

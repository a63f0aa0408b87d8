// Reading untrusted hook payloads field by field. Every reader gives a value of the asked type or null, never throws, and
// bounds what it returns, so that normalisation needs no checks of its own.

export type Payload = Readonly<Record<string, unknown>>;

/** Own property only: a payload with a `__proto__` key must not lend us fields. */
export const fieldOf = (payload: Payload, name: string): unknown =>
  Object.hasOwn(payload, name) ? payload[name] : undefined;

export const textOf = (payload: Payload, name: string): string | null => {
  const value = fieldOf(payload, name);
  return typeof value === "string" && value !== "" ? value : null;
};

/** The first of the named fields that holds a text. */
export const firstText = (payload: Payload, names: readonly string[]): string | null => {
  for (const name of names) {
    const text = textOf(payload, name);
    if (text !== null) return text;
  }
  return null;
};

/** A number, or a short text of one; nothing else is converted, because conversion may throw. */
export const numberOf = (payload: Payload, name: string): number | null => {
  const value = fieldOf(payload, name);
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
};

export const listOf = (payload: Payload, name: string): readonly unknown[] => {
  const value = fieldOf(payload, name);
  return Array.isArray(value) ? value : [];
};

const isPayload = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const asPayload = (value: unknown): Payload | null => (isPayload(value) ? value : null);

/** Null for what is no JSON object: cut, half written, caught in the middle of a rewrite. */
export const parsePayload = (text: string): Payload | null => {
  try {
    return asPayload(JSON.parse(text));
  } catch {
    return null;
  }
};

/** One line without control characters, at most `max` characters. */
export const oneLine = (text: string, max = 500): string =>
  text
    .slice(0, max * 4)
    // oxlint-disable-next-line no-control-regex -- agents' texts are hostile: control characters must not reach a terminal
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim()
    .slice(0, max);

/** Several lines, control characters but newline and tab removed, at most `max` characters and the mark of a cut. */
export const boundedText = (text: string, max = 8_000): string => {
  const mark = text.length > max ? `…[cut from ${text.length} characters]` : "";
  return (
    text
      .slice(0, max)
      // oxlint-disable-next-line no-control-regex -- as above
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "") + mark
  );
};

// The row with which views of terminal programs say what their keys do ("enter select · esc back"): pickers, settings and pagers
// end in one. Knows the form of such rows, and not which view it is.

const NAMED =
  "any key|esc(?:ape)?|enter|return|tab|space|backspace|home|end|pgup|pgdn|page ?up|page ?down|left|right|up|down|↵|⏎|[←→↑↓]+|\\^\\S|f\\d{1,2}|(?:ctrl|alt|shift|⌃|⇧)(?: ?[-+] ?(?:[a-z]{2,9}|\\S))+";
const KEY = `(?:${NAMED}|[a-z?/*@-]|jk|hl)`;
/** Keys that do the same, and what they do in a few words. */
const PART = new RegExp(
  `^(?:press |use )?(${KEY}(?:(?: ?/ ?| or |, )${KEY})*)(?:: ?| =? ?(?:to )?)(\\S.{0,40})$`,
  "i",
);
/** `Quit: q`. */
const ACTION_FIRST = new RegExp(`^([^:]{1,30}): (${KEY}(?:\\/${KEY})*)$`, "i");
const HAS_NAMED = new RegExp(`(?:^|[/ ])(?:${NAMED})(?:$|[/ ])`, "i");
/** What leaves a view, and does nothing to a prompt. */
const LEAVES =
  /^(?:(?:go )?back|close|cancel|exit|quit|dismiss|clear|save\/close|latest|browse|edit prev|return)\b/i;
const ESCAPE = /(?:^|[/ ])(?:esc(?:ape)?|any key)$/i;
/** `n · new   esc · close`: here the sign is no gap between two keys. */
const KEY_THEN_SIGN = new RegExp(`(^|\\s{2,})(${KEY}) [·•] `, "gi");
const GAP = /\s+[·•|│]\s+|,\s+|\s{2,}/;

export interface KeyHints {
  /** How many keys it explains, and whether one of them has a name of its own. */
  count: number;
  hasNamed: boolean;
  /** Whether all that it says, and whether most of it, is about keys. */
  isPure: boolean;
  isMostly: boolean;
  /** It stands in brackets of its own. */
  isEnclosed: boolean;
  /** Escape leaves what is open. */
  leaves: boolean;
}

export const readKeyHints = (row: string): KeyHints => {
  const trimmed = row.slice(0, 500).trim();
  const isEnclosed = /^\(.*\)$/.test(trimmed);
  const text = (isEnclosed ? trimmed.slice(1, -1) : trimmed).replace(KEY_THEN_SIGN, "$1$2 ");
  const parts = text.split(GAP).filter((part) => part !== "");
  const hints = parts.flatMap((part) => {
    const [, action, keys] = ACTION_FIRST.exec(part) ?? [];
    const [, keysFirst = keys, actionLast = action] = PART.exec(part) ?? [];
    return keysFirst === undefined || actionLast === undefined
      ? []
      : [{ keys: keysFirst, action: actionLast }];
  });
  return {
    count: hints.length,
    hasNamed: hints.some(({ keys }) => HAS_NAMED.test(keys)),
    isPure: parts.length > 0 && hints.length === parts.length,
    isMostly: 2 * hints.length > parts.length,
    isEnclosed,
    leaves: hints.some(({ keys, action }) => ESCAPE.test(keys) && LEAVES.test(action)),
  };
};

/** Whether a row tells the keys of a view: Escape leaves it, or it explains several keys and little else. */
export const isKeyHints = (row: string): boolean => {
  const { count, hasNamed, isPure, isMostly, isEnclosed, leaves } = readKeyHints(row);
  if (leaves || !hasNamed) return leaves;
  return isPure ? count >= 2 || isEnclosed : isMostly && count >= 3;
};

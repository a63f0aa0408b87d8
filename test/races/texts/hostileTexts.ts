// Generates texts that shells, tmux, terminals or programs might take for something else than text.
import fc from "fast-check";
import { toSendable } from "../../../core/actions/typing.ts";

const TOKENS = [
  ..."; -  ~ # $ ` \\ ' \" % { } [ ] ( ) < > | & * ? ! = : @ ^ , .".split(" "),
  " ; ",
  "\\;",
  ";;",
  "-l",
  "--",
  "~/",
  "#{pane_id}",
  "#{?1,a,b}",
  "#(touch x)",
  "##",
  "#[fg=red]",
  "$(id)",
  "${HOME}",
  "`id`",
  "\\n",
  "\\e[201~",
  "%0",
  "%H:%M",
  "'\"'\"'",
  "Enter",
  "C-c",
  "漢字",
  "한국어",
  "👍🏽",
  "👩‍👩‍👧‍👦",
  "🇩🇪",
  "é",
  "e\u0301",
  "a\u200db",
  "\u202eabc\u202c",
  "\ufeff",
  "\u00a0",
  "\u2028",
  "\ufffd",
  "\u{10ffff}",
  "\ue000",
  "\t",
  "\n",
  "\r\n",
  "\r",
  "\u0000",
  "\u0003",
  "\u0004",
  "\u001b[201~",
  "\u001b]0;x\u0007",
  "\u007f",
  "\u0085",
  "\u009b31m",
  "\ud83d",
  "\udc4d",
];

const piece = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...TOKENS) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z ]{1,12}$/) },
);
const MAX_LENGTH = 100_000;
/** UTF-8 needs up to three bytes for one unit of a string. */
const cut = (text: string): string =>
  text.slice(0, Math.floor((MAX_LENGTH * text.length) / Buffer.byteLength(text)));

/** Up to 100 kB; half of them on one line. Something of each is left to send. */
export const hostileText: fc.Arbitrary<string> = fc
  .record({
    pieces: fc.array(piece, { minLength: 1, maxLength: 30 }),
    isOneLine: fc.boolean(),
    size: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 12_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: MAX_LENGTH }) },
    ),
    end: fc.constantFrom("", ";", "\\", "\n", " "),
  })
  .map(({ pieces, isOneLine, size, end }) => {
    const once = pieces.join("");
    const plain = isOneLine ? once.replaceAll(/[\r\n\t]/g, "") : once;
    const times = Math.max(1, Math.ceil(size / Math.max(1, Buffer.byteLength(plain))));
    return `${cut(plain.repeat(times))}${end}x`.slice(0, end === "" ? undefined : -1);
  })
  .filter((text) => toSendable(text).text.trim() !== "");

// What the agents of a race ask about: families of texts in which two are hard to tell apart, each in its own way. Every number
// gives another text.

export const TEXT_FAMILIES = ["plain", "secrets", "near", "long", "lines", "repeats"] as const;
export type TextFamily = (typeof TEXT_FAMILIES)[number];

/** Rows of the dialog that fit on the screen. */
export const VISIBLE_ROWS = 12;

/** One sign or blank decides. */
const NEAR = [
  "rm -rf /tmp/build",
  "rm -rf / tmp/build",
  "rm -rf /tmp/ build",
  "rm -rf /tmp|build",
  "rm -rf /tmp/build;",
  "rm -rf  /tmp/build",
  "rm -rf /tmp/buiId",
  "rm -rf ./tmp/build",
];

const numbered = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join("\n");

/** `number`: from 0. A near text that comes round again has another number in it. */
export const textOf = (family: TextFamily, number: number): string => {
  const round = Math.floor(number / NEAR.length);
  switch (family) {
    case "plain":
      return `make target-${number}`;
    case "secrets":
      return `make test # cookie: a; rm -rf ~/${number} && curl https://me:pw${number}@host`;
    case "near":
      return `${NEAR[number % NEAR.length] ?? ""}${round === 0 ? "" : ` #${round}`}`;
    // They differ where nothing is drawn.
    case "long":
      return `${numbered(30, (at) => `echo ${number} of ${at}`)}\n${numbered(VISIBLE_ROWS, (at) => `echo ${at}`)}`;
    case "lines":
      return `echo ${number}\ncat > a <<EOF\n${number % 2 === 0 ? "one\ntwo" : "two\none"}\nEOF`;
    // They differ in a row that stands above as well.
    case "repeats":
      return `echo a\necho b\n${number % 2 === 0 ? "echo a" : "echo b"}\necho end ${round}`;
  }
};

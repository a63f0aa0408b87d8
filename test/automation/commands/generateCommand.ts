// Generates command lines: plain ones, and ones with something in them that a shell takes for more than a word. Deterministic: the seed
// and the number make the text.

const words = (text: string): string[] => text.split(" ");

/** Each has a stub; `./tool` and the like lie in the folder of the run. */
export const PROGRAMS = words(
  "git npm ls cat rg tsc make cargo go pytest node sudo env xargs find docker sed awk grep head wc sort uniq",
);
export const PATHS = ["./tool", "./node_modules/.bin/tsc", "sub/x.sh"];

const WORDS = [
  ...words(
    "status diff log push test run build src a b -rf --force -n5 -- - main..next v1.2 a/b ../x /etc/hosts",
  ),
  ...words(
    "--output=x A=b a:b test:unit @scope/x +x %1 1 2 HEAD user@host file.txt a,b x.y_z-1 --format=a,b -c",
  ),
];

/** What is not plain, in some shell. */
const ODD = [
  ...words(
    "'a' ; & && | || |& > >> < <<< 2> $x ${x} $(id) `id` $((1)) * ? [ab] {a,b} ~ ~root a=~ ! !! ^a^b # #x ( )",
  ),
  ...words(
    "{ } [[ ]] =ls a==ls a=b=c %% @(a) +(a) (a) a#b a~b ^ = : *.txt **/x a|b x;y x&y - % + , . $'a' <(id) >(id)",
  ),
  "\\",
  "\\\n",
  "\n",
  "\t",
  "\r",
  "\0",
  "\u00a0",
  "\u200b",
  "\u2028",
  "\u202e",
  "\u0456",
  "\u{1F600}",
  "\u001b[0m",
  '"a b"',
  '$"a"',
  "  ",
  " ",
  "",
];
const SHELL_WORDS = [
  ...words(
    "if then else fi for do done while case esac function time coproc eval exec command builtin source . alias",
  ),
  ...words(
    "export declare local set cd echo test true read trap noglob nocorrect repeat foreach end typeset r log where",
  ),
  ...words("A=b PATH=/tmp A+=b a[0]=x"),
];

/** mulberry32: small, and the same on every machine. */
export const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

export const generateCommand = (random: () => number): string => {
  const pick = <T>(from: readonly T[]): T | "" => from[Math.floor(random() * from.length)] ?? "";
  const isOdd = random() < 0.5;
  const program = random() < 0.9 ? pick(PROGRAMS) : pick(PATHS);
  const line = [isOdd && random() < 0.3 ? pick(SHELL_WORDS) : program];
  const count = Math.floor(random() * 5);
  for (let index = 0; index < count; index += 1) line.push(pick(WORDS));
  if (!isOdd) return line.join(" ");
  const text = line.join(" ");
  const at = Math.floor(random() * (text.length + 1));
  const odd = random() < 0.8 ? pick(ODD) : String.fromCharCode(Math.floor(random() * 128));
  return `${text.slice(0, at)}${random() < 0.3 ? ` ${odd} ` : odd}${text.slice(at)}`;
};

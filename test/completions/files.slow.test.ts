// Names of files that anybody may have left in a folder, as real bash inserts them when a person completes one: always one word, and
// nothing of it is run. Also where bash has no compopt, as bash 3.2 (that of macOS) has none.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";

const hasBash = spawnSync("sh", ["-c", "command -v bash"]).status === 0;
const HOSTILE = "x;touch canary;.json";
const NAMES = [
  HOSTILE,
  "$(touch canary).json",
  "`touch canary`.json",
  "a b.json",
  "it's.json",
  'say "so".json',
  "back\\slash.json",
  "~root.json",
  "~",
  "#note.json",
  "!history.json",
  "{a,b}.json",
  "*.json",
  "[q].json",
  "&touch canary.json",
  "|touch canary.json",
  ">canary",
  "<x",
  "a:b=c;touch canary.json",
  "größe ü.json",
  'q"é;touch canary;#',
];

let root: string;
let work: string;
let tmux: PrivateTmux;
const canary = (): boolean => existsSync(join(work, "canary"));

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-f-"));
  work = join(root, "work");
  mkdirSync(join(work, "d;touch canary;"), { recursive: true });
  for (const name of [...NAMES, "d;touch canary;/in side.json"]) writeFileSync(join(work, name), "");
  writeFileSync(join(work, "two\nlines.json"), "");
  mkdirSync(join(root, "home"));
  writeFileSync(join(root, "home", "o;touch canary;.json"), "");
  writeFileSync(join(root, "script"), execFileSync(process.execPath, [CLI_ENTRY, "completions", "bash"]));
  tmux = createPrivateTmux();
}, 30_000);
afterAll(async () => {
  await tmux.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

/** Without compopt; what is typed is one word with whatever quotes. Each candidate as the shell reads it, in a line of its own. */
const DRIVER = `
enable -n compopt
source "$1"
typed=$2
COMP_LINE="agtmux doc diff $typed" COMP_POINT=\${#COMP_LINE} COMP_WORDBREAKS=$3
COMP_WORDS=(agtmux doc diff "$typed") COMP_CWORD=3
_agtmux agtmux
for one in "\${COMPREPLY[@]}"; do
  case $typed in
    [\\'\\"]*) one=\${typed:0:1}$one\${typed:0:1} ;;
  esac
  (set +H; eval "printf '%s\\n' $one")
done
`;

const read = (typed: string, locale = "C.UTF-8"): string[] =>
  execFileSync("bash", ["--norc", "--noprofile", "-c", DRIVER, "bash", join(root, "script"), typed, " "], {
    cwd: work,
    env: { PATH: process.env["PATH"], HOME: join(root, "home"), LC_ALL: locale },
    encoding: "utf8",
  })
    .split("\n")
    .filter((line) => line !== "");

const screenOf = (pane: string): Promise<string> => tmux.run("capture-pane", "-p", "-J", "-t", pane);

describe.skipIf(!hasBash)("bash", () => {
  test("offers every name as one word that is the name, where bash quotes nothing", () => {
    expect(read("").toSorted()).toEqual([...NAMES, "d;touch canary;/"].toSorted());
    expect(canary()).toBe(false);
  });

  test.each([
    ["x", [HOSTILE]],
    ["x\\;t", [HOSTILE]],
    ["'x;", [HOSTILE]],
    ['"x;', [HOSTILE]],
    // Within these quotes the name would be run, or end them.
    ['"$(', []],
    ["'it", []],
    ["\\$\\(", ["$(touch canary).json"]],
    ["d\\;touch\\ canary\\;/", ["d;touch canary;/in side.json"]],
    ["./x", [`./${HOSTILE}`]],
    ["\\~r", ["~root.json"]],
    ["two", []],
    ["none", []],
  ])("completes %s", (typed, found) => {
    expect(read(typed)).toEqual(found);
    expect(canary()).toBe(false);
  });

  test("offers no name that would end a quote in the middle of the word, where its letters are not shown as they are", () => {
    expect(read("q", "C")).toEqual(['q"é;touch canary;#']);
    expect(read('q"', "C")).toEqual([]);
    expect(read('q\\"', "C")).toEqual([]);
    expect(read('q"')).toEqual(['q"é;touch canary;#']);
  });

  test("leaves the home's sign to the shell, and quotes what follows it", () => {
    expect(read("~/o")).toEqual([join(root, "home", "o;touch canary;.json")]);
    expect(canary()).toBe(false);
  });

  test.each([
    ["as it is", ""],
    ["without compopt", "enable -n compopt; "],
  ])("runs nothing of a name when a person completes it and presses Enter, %s", async (_how, first) => {
    const pane = await tmux.newSession(
      `shell${first.length}`,
      `sh -c "cd '${work}'; exec env HOME='${root}/home' bash --norc --noprofile -i"`,
    );
    const type = (...keys: string[]) => tmux.run("send-keys", "-t", pane, ...keys);
    await type("-l", `PS1='> '; ${first}source ${root}/script; echo re''ady`);
    await type("Enter");
    await until(async () => (await screenOf(pane)).includes("\nready"), "bash is ready", 20_000);
    await type("-l", "agtmux doc diff x");
    await type("Tab");
    await until(async () => (await screenOf(pane)).includes("canary"), "the name is completed", 20_000);
    await type("C-a");
    await type("-l", "printf '<%s>\\n' ");
    await type("Enter");
    await until(async () => (await screenOf(pane)).includes("\n<diff>\n"), "the words are told", 20_000);
    expect((await screenOf(pane)).split("\n")).toContain(`<${HOSTILE}>`);
    expect(canary()).toBe(false);
  });
});

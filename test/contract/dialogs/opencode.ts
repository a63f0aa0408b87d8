import { CHANGE, eighty, HEREDOC, NEW_FILE, tall, thirty, type Row } from "./row.ts";

const URL_PATH = "abcdefghij".repeat(7);
const words = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, at) => `word${String(first + at).padStart(2, "0")}`).join(
    "  ",
  );

const single = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, at) => `word${first + at}`).join(" ");
const count = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at).join(" ");
const numbered = (sign: string): string[] => [
  `${sign}long ${count(101, 111)}`,
  `>${count(112, 123)}`,
  `>${count(124, 135)}`,
];

export const OPENCODE: readonly Row[] = [
  {
    frame: "long_120x40",
    why: "four rows of the seven of its window, wrapped behind a slash",
    seen: {
      kind: "command",
      isWhole: true,
      body: [
        'mkdir -p out/reports && printf "%s\\n" "first word and  second word" | tee out/one.txt && curl -s https://',
        `lab.invalid/${URL_PATH} | grep -v 'it is not`,
        `"quoted" here' | sort -u > out/reports/two.txt && touch "out/a file with spaces.txt" && rm -rf out/old &&`,
        "echo all done with the long command",
      ],
    },
    top: 27,
    events: ["whole"],
  },
  {
    frame: "long_140x50",
    why: "six rows beside the side bar, whose text is none of them",
    seen: {
      kind: "command",
      isWhole: true,
      body: [
        `echo 1 ${single(2, 13)}`,
        single(14, 25),
        single(26, 37),
        single(38, 49),
        `${single(50, 60)} > approved.`,
        "txt",
      ],
    },
    top: 35,
    events: ["whole"],
  },
  {
    frame: "edge_80x24",
    why: "five rows; both blanks at a wrap are not seen",
    seen: {
      kind: "command",
      isWhole: true,
      body: [`touch ${words(0, 6)}`, words(7, 14), words(15, 22), words(23, 30), words(31, 39)],
    },
    top: 10,
    events: ["whole"],
  },
  {
    frame: "multi_80x24",
    why: "seven rows fill the window, and nothing says that one is missing",
    seen: { kind: "command", isWhole: false, body: HEREDOC.slice(0, 7) },
    top: 8,
    events: ["whole"],
  },
  {
    frame: "tall_60x20",
    why: "in a narrow pane five rows fill it",
    seen: { kind: "command", isWhole: false, body: tall(1, 5) },
    top: 4,
    events: ["whole"],
  },
  {
    frame: "tall_wheel_120x40",
    why: "the window was moved down; recorded without events",
    seen: { kind: "command", isWhole: false, body: tall(7, 13) },
    top: 24,
    events: [],
  },
  {
    frame: "bidi_120x40",
    why: "marks of direction are drawn, with a cell each; the one without width is not",
    seen: {
      kind: "command",
      isWhole: true,
      body: ["touch safe.txt \u202e gnp.exe\u202c  && touch zerowidth.txt"],
    },
    top: 30,
    events: ["part"],
  },
  {
    frame: "params_120x40",
    why: "it runs in another folder, which only the call's arguments tell",
    seen: { kind: "command", isWhole: true, body: ["touch params.txt"] },
    top: 30,
    events: ["part"],
  },
  {
    frame: "edit_small_80x24",
    why: "a new file in a window that has room",
    seen: { kind: "edit", isWhole: true, body: ["sub/dir/small.txt"], content: NEW_FILE },
    top: 8,
    events: ["whole"],
  },
  {
    frame: "edit_change_120x40",
    why: "a scroll bar",
    seen: {
      kind: "edit",
      isWhole: false,
      body: ["thirty.txt"],
      content: [...thirty(11, 14), ...CHANGE.slice(0, 3)],
    },
    top: 24,
    events: ["whole"],
  },
  {
    frame: "edit_change_140x50",
    why: "in a wide pane the old file stands beside the new one, and a side bar beside both",
    seen: {
      kind: "edit",
      isWhole: true,
      body: ["notes.txt"],
      content: [
        " line one",
        "-line two",
        "-line three",
        "+line 2",
        "+line 3 is changed",
        "+and one more",
        " line four",
      ],
    },
    top: 34,
    events: ["whole"],
  },
  {
    frame: "edit_wrapped_161x50",
    why: "both are wrapped in their half, and a scroll bar says that there is more",
    seen: {
      kind: "edit",
      isWhole: false,
      body: ["tall.txt"],
      content: [...thirty(27, 30), ...numbered("-"), ...numbered("+")],
    },
    top: 34,
    events: ["whole"],
  },
  {
    frame: "edit_long_120x40",
    why: "a line that is wrapped below its number",
    seen: {
      kind: "edit",
      isWhole: true,
      body: ["sub/long.txt"],
      content: [
        "+a short line",
        '+this is a long line with several words  and two consecutive spaces and "quotes" and one word https://lab.',
        `>invalid/${URL_PATH} and then some more words`,
        ">until about three hundred characters are there, which takes some more words than one would think it does",
        "+  tabbed line",
      ],
    },
    top: 24,
    events: ["whole"],
  },
  {
    frame: "edit_long_80x24",
    why: "the scroll bar covers the last letter of a full row, so that nothing proves which one",
    seen: {
      kind: "edit",
      isWhole: false,
      body: ["sub/long.txt"],
      content: [
        "+a short line",
        "+this is a long line with several words  and two consecutive",
        '>spaces and "quotes" and one word https://lab.invalid/',
        ">abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcde",
        ">ghij and then some more words until about three hundred character",
        "> are there, which takes some more words than one would think it d",
        ">es",
      ],
    },
    top: 8,
    events: ["part"],
  },
  {
    frame: "edit_tall_80x24",
    why: "a scroll bar",
    seen: { kind: "edit", isWhole: false, body: ["sub/eighty.txt"], content: eighty(1, 7) },
    top: 8,
    events: ["whole"],
  },
  {
    frame: "mcp_120x40",
    why: "what the tool is given is drawn nowhere; the call's arguments tell it",
    seen: { kind: "tool", isWhole: false, body: ["Tool: lab_send_note"] },
    top: 30,
    events: ["whole"],
  },
  {
    frame: "tool_80x24",
    why: "a page",
    seen: { kind: "tool", isWhole: true, body: ["URL: https://lab.invalid/some/page?with=query&and=more"] },
    top: 14,
    events: ["whole"],
  },
  {
    frame: "edit_small_abs_80x24",
    why: "a folder, before the edit in it",
    seen: { kind: "tool", isWhole: true, body: ["Patterns", "", "- /var/lab-outside/*"] },
    top: 12,
    events: ["whole"],
  },
  {
    frame: "parallel_80x24",
    why: "the one asked first, though another event is newer and the command names the file of the edit",
    seen: { kind: "command", isWhole: true, body: ["cat README.md"] },
    top: 14,
    events: ["whole", "other"],
  },
  {
    frame: "subagents_120x40",
    why: "two sub-agents asked; the dialog of the newer session took the place of the other one's",
    seen: { kind: "command", isWhole: true, body: ["touch two.txt"] },
    top: 30,
    events: ["other", "whole"],
    together: ["other", "whole"],
  },
  {
    frame: "subagents2_120x40",
    why: "the other one's, once the newer one was answered",
    seen: { kind: "command", isWhole: true, body: ["touch one.txt"] },
    top: 30,
    events: ["whole", "other"],
  },
];

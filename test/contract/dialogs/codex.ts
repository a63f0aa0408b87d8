import { HEREDOC, LONG_116, tall, type Row } from "./row.ts";

/** As it is wrapped in 76 columns, of which the first row lacks two. */
const LONG_76 = [
  'mkdir -p out/reports && printf "%s\\n" "first word and  second word" | tee',
  "out/one.txt && curl -s",
  "https://lab.invalid/abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdef",
  "ghijabcdefghij | grep -v 'it is not \"quoted\" here' | sort -u >",
  'out/reports/two.txt && touch "out/a file with spaces.txt" && rm -rf out/old',
  "&& echo all done with the long command",
];

export const CODEX: readonly Row[] = [
  {
    frame: "long_120x40",
    why: "an option repeats all of it, so that nothing was left out",
    seen: { kind: "command", isWhole: true, body: LONG_116 },
    top: 19,
    events: ["whole"],
  },
  {
    frame: "long_80x24",
    why: "options are out of sight, the refusal among them",
    seen: { kind: "command", isWhole: false, body: LONG_76 },
    top: 1,
    events: ["whole"],
  },
  {
    frame: "multi_120x40",
    why: "nothing repeats it, so that tabs may be left out",
    seen: { kind: "command", isWhole: false, body: HEREDOC },
    top: 20,
    events: ["whole"],
  },
  {
    frame: "tall_60x20",
    why: "its lower part is out of sight, and the refusal",
    seen: { kind: "command", isWhole: false, body: tall(1, 8) },
    top: 1,
    events: ["whole"],
  },
  {
    frame: "description_tip_80x24",
    why: "a reason that reads like an agent's hint",
    seen: { kind: "command", isWhole: true, body: ["touch approved.txt"] },
    top: 9,
    events: ["whole"],
  },
  {
    frame: "tab_120x40",
    why: "tabs are left out, which the conversation tells",
    seen: { kind: "command", isWhole: false, body: ['echo "beforeafter tab" && touchtabbed.txt'] },
    top: 26,
    events: ["part"],
  },
  {
    frame: "esc_120x40",
    why: "control characters are left out everywhere on the screen; the event knows",
    seen: { kind: "command", isWhole: true, body: ["touch esc.txt # red [31mtext[0m bell  cr HIDDEN"] },
    top: 27,
    events: ["part"],
  },
  {
    frame: "edit_small_80x24",
    why: "a dialog that draws the path alone",
    seen: { kind: "edit", isWhole: false, body: ["/home/dev/project/sub/dir/small.txt"] },
    top: 13,
    events: ["whole"],
  },
  {
    frame: "edit_change_120x40",
    why: "a dialog that draws the path alone",
    seen: { kind: "edit", isWhole: false, body: ["/home/dev/project/thirty.txt"] },
    top: 29,
    events: ["whole"],
  },
  {
    frame: "mcp_80x24",
    why: "what the tool is given is shortened",
    seen: {
      kind: "tool",
      isWhole: false,
      body: [
        'options: {"urgent": true, "tags": ["a", "b"]}',
        "text: first line of the note third line of the note with two sp...",
        "to: everybody@lab.invalid",
      ],
    },
    top: 9,
    events: ["part"],
  },
  {
    frame: "parallel_120x40",
    why: "two were announced at once; the dialog of the command is open",
    seen: { kind: "command", isWhole: true, body: ["cat README.md"] },
    top: 26,
    events: ["whole", "other"],
  },
  {
    frame: "parallel_80x24",
    why: "two were announced at once; the edit's dialog is open, though the command names its file",
    seen: { kind: "edit", isWhole: false, body: ["/home/dev/project/README.md"] },
    top: 13,
    events: ["whole", "other"],
  },
];

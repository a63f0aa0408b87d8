import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import { AnsweringDaemon } from "../../test/fakes/answeringDaemon.ts";
import { cleanLine, cleanLines } from "./clean.ts";
import { describeCounts } from "./mark.ts";
import {
  loadExactMeasure,
  measureFor,
  PLAIN,
  PLAIN_MEASURE,
  simpleWidth,
  WIDE,
  createPaint,
  hasColour,
  cut,
  layOut,
  renderRow,
  type Column,
} from "./table.ts";
import { renderPanes, renderSessions, renderWindows } from "../command/listing.ts";

const NOW = Date.parse("2026-11-21T09:03:00.000Z");
const SINCE = Date.parse("2026-11-21T09:00:00.000Z");
const plain = createPaint(false);
const exact = await loadExactMeasure();
const options = (width: number | null) => ({
  paint: plain,
  width,
  now: NOW,
  measure: exact,
  hasMachines: false,
  hasOneServer: true,
});
const widest = (lines: readonly string[]) => Math.max(...lines.map((line) => stringWidth(line)));
const request = {
  kind: "command" as const,
  title: "Run a command",
  body: "npm run build",
  is_whole: true,
  tool_name: "Bash",
  options: [],
  expires_at: null,
};
const activity = {
  prompt: "Split the refund service out of payments, with tests",
  session_title: null,
  said: null,
  repository: "shop-api",
  folder: "/src/shop-api",
  branch: "refunds",
  worktree: null,
  work_tree: null,
  tool: { name: "Bash", subject: "npm test" },
  turn_began_at: new Date(SINCE + 60_000).toISOString(),
};
const daemon = new AnsweringDaemon([
  makePane({ windowName: "editor", state: "waiting_approval", request, since: SINCE }),
  makePane({
    pane: 2,
    session: "web",
    windowName: "日本語のとても長い名前のウィンドウです",
    state: "completed",
    since: SINCE,
  }),
]);

describe("tables", () => {
  test("of panes are one line per agent at 80 columns, those that need a person first, with what can be typed", () => {
    const working = makePane({ pane: 3, state: "running", since: SINCE, activity });
    const list = new AnsweringDaemon([working, ...daemon.panes({}).items]).panes({});
    expect(renderPanes(list, options(80))).toEqual([
      "STATE             TASK                                        PLACE     AGE  REF",
      "! needs approval  editor                                      work:1.0   3m  %1",
      "▸ running         Split the refund service out of payments,…  work:1.0   2m  %3",
      "✓ done            日本語のとても長い名前のウィンドウです      web:1.0    3m  %2",
      "",
      "3 panes: ! 1 needs approval · ▸ 1 running · ✓ 1 done",
    ]);
    const [, asks, works] = renderPanes(list, options(160));
    expect(asks).toMatch(/ Claude Code .* npm run build /);
    expect(works).toMatch(/ Claude Code  shop-api · refunds  running npm test /);
  });

  test.each([50, 60, 80, 100, 124, 150, 250])("fit %i columns and never cut a reference", (width) => {
    const lines = renderPanes(daemon.panes({}), options(width));
    expect(widest(lines)).toBeLessThanOrEqual(width);
    expect(lines.join("\n")).toMatch(/ %1$/m);
    expect(widest(renderWindows(daemon.windows({}), true, options(width)))).toBeLessThanOrEqual(width);
    expect(widest(renderSessions(daemon.sessions({}), true, options(width)))).toBeLessThanOrEqual(width);
  });

  test("name the machine in references where there are several, still in one line per agent", () => {
    const several = { ...options(80), hasMachines: true, hasOneServer: false };
    const [, first, second] = renderPanes(daemon.panes({}), several);
    expect([first, second]).toEqual([
      expect.stringMatching(/ host\/%1$/),
      expect.stringMatching(/ host\/%2$/),
    ]);
    expect(renderWindows(daemon.windows({}), false, several)).toContain("host/work");
    expect(renderWindows(daemon.windows({}), false, options(80))).toContain("work");
  });

  test("without a terminal are not cut", () => {
    const text = renderPanes(daemon.panes({}), options(null)).join("\n");
    expect(text).toContain("日本語のとても長い名前のウィンドウです");
    expect(text).not.toContain("…");
  });

  test("that are empty say so", () => {
    expect(renderPanes(new AnsweringDaemon().panes({}), options(80))).toEqual(["No agents here.", "0 panes"]);
  });

  test("of sessions merged across targets show each target's part", () => {
    const [session] = daemon.sessions({}).items;
    if (session === undefined) throw new Error("the fake has sessions");
    const part = session.targets[0];
    if (part === undefined) throw new Error("a session has a target");
    const merged = {
      ...session,
      identity: { target: null, tmux_server: null, session_name: "work" },
      targets: [part, { ...part, target: "vm1" }],
    };
    const text = renderSessions({ ...daemon.sessions({}), items: [merged] }, false, options(120)).join("\n");
    expect(text).toContain("work (host, vm1)");
    expect(text).toContain("    vm1: ! 1 needs approval");
  });

  test("name what is missing", () => {
    const list = { ...daemon.panes({}), problems: ["vm1 is \u001b[31mdown"] };
    expect(renderPanes(list, options(80)).at(-1)).toBe("Missing: vm1 is down");
  });
});

describe("columns", () => {
  const columns: Column[] = [
    { title: "A", min: 4 },
    { title: "B", min: 4 },
    { title: "REF", min: null },
  ];

  test("whatever the cells and the width, no line is wider than the width or the reference, which stays whole", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.string({ unit: "grapheme" }), fc.string(), fc.stringMatching(/^[a-z:/%@]{1,60}$/)),
          {
            minLength: 1,
            maxLength: 5,
          },
        ),
        fc.integer({ min: 12, max: 200 }),
        (rows, width) => {
          const cells = rows.map((row) => row.map((text) => ({ text: cleanLine(text) })));
          const layout = layOut(columns, cells, { width, indent: 0, measure: exact });
          for (const [index, row] of cells.entries()) {
            const lines = renderRow(columns, row, layout, 0);
            const ref = rows[index]?.[2] ?? "";
            expect(lines.join("\n").endsWith(ref)).toBe(true);
            for (const line of lines)
              expect(stringWidth(line)).toBeLessThanOrEqual(Math.max(width, stringWidth(ref) + 2));
          }
        },
      ),
    );
  });

  test("cut keeps wide and combined characters whole", () => {
    expect([
      cut("日本語", 5, exact),
      cut("日本語", 6, exact),
      cut("日本語", 4, exact),
      cut("👩‍👩‍👧abc", 3, exact),
      cut("ab", 0, exact),
    ]).toEqual(["日本…", "日本語", "日…", "👩‍👩‍👧…", ""]);
  });
});

test("a cell of blanks costs no more than any other of its length", () => {
  const columns: Column[] = [
    { title: "A", min: null },
    { title: "B", min: null },
  ];
  const cells = [[{ text: `${" ".repeat(300_000)}x` }, { text: "b" }]];
  const layout = layOut(columns, cells, { width: null, indent: 0, measure: PLAIN_MEASURE });
  expect(renderRow(columns, cells[0] ?? [], layout, 0)[0]).toMatch(/x {2}b$/);
});

describe("the measure without tables", () => {
  test("counts every character that it claims as the exact one does", () => {
    const wrong: string[] = [];
    for (let code = 0x20; code <= 0xffff; code += 1) {
      const text = String.fromCharCode(code);
      if (PLAIN.test(text) && exact.width(text) !== 1) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test("knows the characters of width two that need no tables", () => {
    const wrong: string[] = [];
    for (let code = 0x80; code <= 0x1ffff; code += 1) {
      const text = String.fromCodePoint(code);
      if (WIDE.test(text) && exact.width(text) !== 2) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
    expect(["修", "す", "안", "🚀", "✅"].filter((text) => !WIDE.test(text))).toEqual([]);
  });

  test("measures a text only if no character in it changes another", () => {
    const alone = "aé→⏎·✳修す안🚀✅👋👩".split(/(?:)/u);
    const joining = "\u0301\ufe0f\u200d\u{1f3fd}\u{1f1e9}\u{1f1ea}\u20e3\u1100\u1161".split(/(?:)/u);
    const piece = fc.constantFrom(...alone, ...joining);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("");
        expect(simpleWidth(text) ?? exact.width(text)).toBe(exact.width(text));
      }),
    );
    expect(simpleWidth("修正 🚀 façade →")).toBe(16);
  });

  test("is taken only for documents that it is right for", async () => {
    expect(await measureFor({ title: "✳ Fix the façade → done" })).toBe(PLAIN_MEASURE);
    for (const title of ["日本語", "👍", "e\u0301", "▶\ufe0f", "\u200b"])
      expect(await measureFor({ title })).not.toBe(PLAIN_MEASURE);
  });
});

describe("text from other programs", () => {
  test("loses escape sequences, control characters and bidirectional controls", () => {
    expect(cleanLine("a\u001b[31mb\u001b]0;title\u0007c\rd\u009b2Je\u202ef\n")).toBe("abc d 2Je⟨U+202E⟩f");
    expect(cleanLine("a\u061cb\u200bc\u{e0041}d")).toBe("a⟨U+061C⟩b⟨U+200B⟩c⟨U+E0041⟩d");
  });

  test("never brings a control character through, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        // oxlint-disable-next-line no-control-regex -- control characters are what this is about
        expect(cleanLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }),
    );
  });

  test("keeps lines and their indentation where lines matter", () => {
    expect(cleanLines("+ a\n\t- b\u001b[2J\r\n")).toEqual(["+ a", "    - b", ""]);
  });
});

test("colours: NO_COLOR wins, FORCE_COLOR reaches pipes, dumb terminals get none", () => {
  expect([
    hasColour({}, true),
    hasColour({}, false),
    hasColour({ NO_COLOR: "1", FORCE_COLOR: "1" }, true),
    hasColour({ NO_COLOR: "" }, true),
    hasColour({ FORCE_COLOR: "1" }, false),
    hasColour({ FORCE_COLOR: "0" }, true),
    hasColour({ TERM: "dumb" }, true),
  ]).toEqual([true, false, false, true, true, false, false]);
});

test("counts shrink to signs where there is no room for words", () => {
  const counts = {
    error: 1,
    waiting_approval: 2,
    waiting_input: 0,
    running: 0,
    completed: 0,
    idle: 0,
    unknown: 0,
  };
  expect([describeCounts(counts, plain), describeCounts(counts, plain, 10)]).toEqual([
    "✗ 1 error · ! 2 need approval",
    "✗1 !2",
  ]);
});

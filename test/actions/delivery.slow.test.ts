// What a program in a real pane reads is what was sent, byte for byte, without what it might take for a command.
import { afterAll, beforeAll, expect, it, test } from "vitest";
import { measureSlowness } from "../setup/machine.ts";
import { openTextBench, surveyTexts, type TextBench } from "../races/texts/textBench.ts";

let bench: TextBench;
beforeAll(async () => {
  bench = await openTextBench();
});
afterAll(() => bench.close());

const LINE = "漢字 👍🏽 #{pane_id} $(id) ~ -l \\ ' \" ; ";

it.each([
  ["a trailing semicolon", "do this;"],
  ["a trailing escaped semicolon", "do this\\;"],
  ["nothing but semicolons", ";;;"],
  ["a leading dash", "-l -t %9"],
  ["a tilde", "~/x ~"],
  ["formats and substitutions", "#{pane_id} #(id) $(id) `id` ${HOME} %% %H"],
  ["quotes and backslashes", "'\"\\'\\\"\\\\"],
  ["composed and combining letters", "é e\u0301 a\u200db \u202e"],
  ["several lines with tabs", "one\n\ttwo;\n\nthree\n"],
  ["a line at the limit of typing", "y".repeat(4_094)],
  ["a line above it", "y".repeat(4_095)],
  ["100 kB on one line", LINE.repeat(2_000).slice(0, 66_000)],
  ["100 kB in lines", `${LINE}\n`.repeat(2_000)],
])("%s", async (_name, text) => {
  for (const isBracketed of [false, true]) {
    const { bytes, expected } = await bench.send(text, { isBracketed, pressEnter: false });
    expect(bytes.equals(expected)).toBe(true);
    expect(bytes.toString()).toContain(text);
  }
});

test("an end of paste within a text ends no paste", async () => {
  const { bytes, report } = await bench.send("a\u001b[201~b\n", { isBracketed: true, pressEnter: true });
  expect(bytes.toString()).toBe("\u001b[200~a[201~b\n\u001b[201~\r");
  expect(report.notes).toEqual(["1 control character was left out."]);
});

/** What ends it where it hangs. */
const HANGS_MS = 120_000 * measureSlowness();

test("two hundred generated texts", { timeout: HANGS_MS }, async () => {
  // In four panes at a time: most of it is waiting for tmux.
  const tallies = await Promise.all([0, 1, 2, 3].map((at) => surveyTexts(50, 20_260 + at)));
  expect(tallies.reduce((sum, { texts }) => sum + texts, 0)).toBe(200);
});

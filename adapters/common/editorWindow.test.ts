import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../index.ts";
import type { Screen } from "../../core/ports/agentAdapter.ts";
import { ownWindow } from "./editorWindow.ts";

const screenOf = (lines: readonly string[]): Screen => ({
  lines,
  title: "another",
  isAlternate: true,
  width: 120,
  height: 40,
});
const recorded = (name: string): string[] =>
  readFileSync(new URL(`../../test/fixtures/splits/codex/${name}.txt`, import.meta.url), "utf8").split("\n");

const STATES = [
  ["idle", "idle"],
  ["running", "running"],
  ["waiting_approval", "waiting_approval"],
  ["completed", "completed"],
  ["error", "error"],
] as const;

describe.each(["vim_split", "vim_columns"])("Codex in a window of vim: %s", (where) => {
  const codex = createAdapterRegistry().byAgentType("codex");

  it.each(STATES)("%s", (name, state) => {
    const reading = codex?.readScreen(screenOf(recorded(`${where}_${name}`)));
    expect(reading?.status.state).toBe(state);
    if (state === "waiting_approval") expect(reading?.request).toMatchObject({ isWhole: true });
  });
});

it("an agent on the right side of an editor is read the same", () => {
  const mirrored = recorded("vim_columns_waiting_approval").map((line) => {
    const [status = "", beside] = line.split(/\s{2,}(?=\[No Name\])/);
    if (beside !== undefined) return `${beside.padEnd(30)} ${status}`;
    const divider = line.lastIndexOf("|");
    return divider < 0 ? line : `${"~".padEnd(30)}│${line.slice(0, divider)}`;
  });
  const reading = createAdapterRegistry().byAgentType("codex")?.readScreen(screenOf(mirrored));
  expect(reading?.request).toMatchObject({ isWhole: true, body: "touch live-3544.txt" });
});

it("a status line whose beginning has no room is one", () => {
  const lines = readFileSync(
    new URL("../../test/fixtures/splits/gemini_vim_columns_idle.txt", import.meta.url),
    "utf8",
  ).split("\n");
  const reading = createAdapterRegistry().byAgentType("gemini")?.readScreen(screenOf(lines));
  expect(reading?.status.state).toBe("idle");
});

it.each(["completed", "waiting_approval", "error"])(
  "signs that take one column and two units of a text, and a title: omp, %s",
  (state) => {
    const path = `../../test/fixtures/splits/omp_vim_columns_${state}.txt`;
    const lines = readFileSync(new URL(path, import.meta.url), "utf8").split("\n");
    const omp = createAdapterRegistry().byAgentType("omp");
    expect(omp?.readScreen(screenOf(lines))?.status.state).toBe(state);
    expect(ownWindow(screenOf(lines))).toMatchObject({
      width: 90,
      title: expect.stringMatching(/^π .* ?Live session$/),
    });
  },
);

describe("a screen without an editor", () => {
  const CONVERSATION = ["• it says", "!make [all]", "", "› ", "", "  gpt-5 · ~/project"];

  it("is left as it is on the other screen, and where a status line stands too high", () => {
    const onMain = { ...screenOf(CONVERSATION), isAlternate: false };
    expect(ownWindow(onMain)).toBe(onMain);
    const high = screenOf(CONVERSATION);
    expect(ownWindow(high)).toBe(high);
  });
});

it("cuts styled rows to the same columns, with the colours that go on", () => {
  const rows = [...Array.from({ length: 8 }, () => "ab\u001b[2mcd|~\u001b[0m"), "!codex [t]"];
  const lines = [...Array.from({ length: 8 }, () => "abcd|~"), "!codex [t]"];
  const { styledLines, lines: own, title, width } = ownWindow({ ...screenOf(lines), styledLines: rows });
  expect([own[0], styledLines?.[0], title, width]).toEqual(["abcd", "ab\u001b[2mcd\u001b[0m", "t", 4]);
});

// Panes so low that the first row in sight is already a part of the input box, of a dialog or of the last message.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { frameOf } from "../testkit/recordings.ts";
import { readCodexScreen, readDraft } from "./screen.ts";

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/${path}`, import.meta.url));
const from = (kind: string, name: string, isFirst: (row: string) => boolean) => {
  const screen = frameOf("codex", name, kind);
  return { ...screen, lines: screen.lines.slice(screen.lines.findIndex(isFirst)) };
};

it("how a turn ended is seen where its mark stands in the first row", () => {
  const screen = from("recordings", "error_400", (row) => row.startsWith("■ "));
  expect(readCodexScreen(screen)?.status).toEqual({ state: "error", reasonCode: "api_error" });
});

it("a draft is seen where the box begins in the first row", () => {
  const styled = readFileSync(fixture("drafts/codex/short.ansi"), "utf8").trimEnd().split("\n");
  // oxlint-disable-next-line no-control-regex -- colours are what is taken out
  const rows = styled.map((row) => row.replaceAll(/\u001b\[[\d;]*m/g, ""));
  const first = rows.findIndex((row) => row.startsWith("› "));
  const [lines, styledLines] = [rows.slice(first), styled.slice(first)];
  const { length: height } = lines;
  expect(readDraft({ lines, styledLines, title: "", isAlternate: true, width: 120, height })).toBe(
    "fix the login page",
  );
});

it("a folder is named where it stands in the first row, below a heading that is out of sight, and is not whole", () => {
  const screen = from("recordings", "trust_dialog", (row) => row.startsWith("  /home"));
  const request = readCodexScreen(screen)?.request;
  expect(request).toMatchObject({ kind: "trust", body: "/home/dev/project" });
  expect(request?.isWhole).toBeUndefined();
});

it("an option is told to the last row that has room above the sign of more", () => {
  const screen = frameOf("codex", "long_80x24", "dialogs");
  expect(readCodexScreen(screen)?.request?.options[1]?.label).toMatch(/ && echo all done with the$/);
});

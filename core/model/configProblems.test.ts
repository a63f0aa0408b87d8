import { expect, it } from "vitest";
import { configProblems } from "./configProblems.ts";

it.each([
  { what: "nothing", text: "{}", problems: [] },
  { what: "no JSON", text: '{\n  "tmux_path": ,\n}', problems: [[2, "", "this is not JSON"]] },
  {
    what: "an unknown key",
    text: '{\n  "tmux_paht": null\n}',
    problems: [[2, "tmux_paht", "this key is not known"]],
  },
  {
    what: "an unknown key further down, and a wrong value",
    text: '{\n  "timing": {\n    "contest_ms": 5,\n    "snapshot_ttl_ms": 0,\n    "x": 1\n  }\n}',
    problems: [
      [4, "timing.snapshot_ttl_ms", expect.any(String)],
      [5, "timing.x", "this key is not known"],
    ],
  },
])("names the line of $what", ({ text, problems }) => {
  expect(configProblems(text).map(({ line, path, message }) => [line, path, message])).toEqual(problems);
});

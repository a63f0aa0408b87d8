import { expect, it } from "vitest";
import { configProblems } from "./config.ts";

it.each([
  { what: "nothing", text: "{}", problems: [] },
  { what: "no JSON", text: '{\n  "tmux_path": ,\n}', problems: [[2, "", "this is not JSON"]] },
  {
    what: "an object whose length is no number",
    text: '{"targets": [{"name": "a", "ssh_target": {"length": [{"toString": null}]}}]}',
    problems: [[1, "", "an object where a text or a list belongs"]],
  },
  {
    what: "an unknown key",
    text: '{\n  "tmux_paht": null\n}',
    problems: [[2, "tmux_paht", "unknown key"]],
  },
  {
    what: "an unknown key further down, and a wrong value",
    text: '{\n  "timing": {\n    "contest_ms": 5,\n    "snapshot_ttl_ms": 0,\n    "x": 1\n  }\n}',
    problems: [
      [4, "timing.snapshot_ttl_ms", expect.any(String)],
      [5, "timing.x", "unknown key"],
    ],
  },
])("names the line of $what", ({ text, problems }) => {
  expect(configProblems(text).map(({ line, path, message }) => [line, path, message])).toEqual(problems);
});

it("names a hundred problems and counts the others", () => {
  const keys = Array.from({ length: 150 }, (_, index) => `"k${index}":1`);
  const problems = configProblems(`{${keys.join(",\n")}}`);
  expect(problems).toHaveLength(101);
  expect(problems[99]).toEqual({ line: 100, path: "k99", message: "unknown key" });
  expect(problems[100]).toEqual({ line: 1, path: "", message: "and 50 more problems" });
});

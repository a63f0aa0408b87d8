import { expect, it } from "vitest";
import { editConfig } from "./config.ts";

const PATH = ["adapters", "disabled"] as const;
const edit = (text: string | null, value: unknown = ["claude", "pi"]): string =>
  editConfig(text, PATH, value);

it("writes a file where there is none", () => {
  expect(edit(null)).toBe('{\n  "adapters": { "disabled": ["claude", "pi"] }\n}\n');
});

it.each([
  ["an empty object", "{}", '{\n  "adapters": { "disabled": ["claude", "pi"] }\n}'],
  [
    "other keys in another style",
    '{\r\n\t"tmux_servers": [ "a",   "b" ],\r\n\t"idle_shutdown_ms": 1e6\r\n}\r\n',
    '{\r\n\t"tmux_servers": [ "a",   "b" ],\r\n\t"idle_shutdown_ms": 1e6,\r\n\t"adapters": { "disabled": ["claude", "pi"] }\r\n}\r\n',
  ],
  [
    "everything on one line",
    '{"idle_shutdown_ms":5}',
    '{"idle_shutdown_ms":5, "adapters": { "disabled": ["claude", "pi"] }}',
  ],
  [
    "the section without the key",
    '{\n  "adapters": {},\n  "tmux_path": null\n}',
    '{\n  "adapters": { "disabled": ["claude", "pi"] },\n  "tmux_path": null\n}',
  ],
  [
    "the key with another value",
    '{ "adapters": {\n "disabled" : [\n  "codex"\n ]\n} }',
    '{ "adapters": {\n "disabled" : ["claude", "pi"]\n} }',
  ],
])("keeps all other bytes of %s", (_what, before, after) => {
  expect(edit(before)).toBe(after);
  expect(JSON.parse(after)).toMatchObject({ adapters: { disabled: ["claude", "pi"] } });
});

it("empties a list", () => {
  expect(edit('{"adapters":{"disabled":["pi"]}}', [])).toBe('{"adapters":{"disabled":[]}}');
});

it("refuses what it cannot read and what has another form", () => {
  expect(() => edit("{,}")).toThrow(/JSON/);
  expect(() => edit('{"adapters": 5}')).toThrow("adapters is no object");
});

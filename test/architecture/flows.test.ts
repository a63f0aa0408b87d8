// The ways of a value in docs/architecture.md are those of the code.
import { describe, expect, it } from "vitest";
import { readFlows } from "./flows.ts";
import { readSources } from "./sources.ts";

const sources = new Map(
  ["adapters", "cli", "core", "renderer", "ui"].flatMap(readSources).map((source) => [source.path, source]),
);
const { flows, names } = readFlows();

const imports = (from: string, to: string): boolean =>
  sources.get(from)?.imports.some((one) => one.to === to) === true;

/** Those that import none of the others and are imported by none. A port hands a value on without an import. */
const apart = (files: readonly string[]): string[] =>
  files.filter((file) => !files.some((other) => imports(file, other) || imports(other, file)));

describe.each(flows)("$name", ({ files }) => {
  it("names files that are there, each once", () => {
    expect(files.filter((file) => !sources.has(file))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
  });

  it("names no file that imports none of the others and is imported by none", () => {
    expect(apart(files)).toEqual([]);
  });
});

it("are four", () => {
  expect(flows.map(({ name }) => name)).toEqual([
    "hook → row",
    "frame → state",
    "Approve → key",
    "agtmux list",
  ]);
});

it.each(names)("an event is called %s on its way", (name) => {
  const declared = new RegExp(`(?:interface|type) ${name}\\b`);
  expect([...sources.values()].some(({ text }) => declared.test(text))).toBe(true);
});

it("finds what is joined to nothing", () => {
  expect(apart(["core/engine/resolve.ts", "core/engine/facts.ts", "renderer/components/App.tsx"])).toEqual([
    "renderer/components/App.tsx",
  ]);
});

// The name of a request says what it asks: other texts give other names, however long they are.
import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { hashRequest } from "./promptRequest.ts";

const long = "x".repeat(1_000_000);
const nameOf = (input: unknown): string => hashRequest("root", "Bash", input);

it("gives the same name whatever the order of the fields, for texts of any length", () => {
  for (const command of ["ls", long])
    expect(nameOf({ command, timeout: 1 })).toBe(nameOf({ timeout: 1, command }));
});

it("gives other names to other texts, for texts of any length", () => {
  const half = "\uD800";
  const texts = [
    "ls",
    long,
    `${long}y`,
    hash("sha256", long, "hex"),
    `${long}${half}`,
    `${long}\uDC00`,
    `${long}\uFFFD`,
  ];
  const names = texts.map((command) => nameOf({ command }));
  expect(new Set(names).size).toBe(texts.length);
});

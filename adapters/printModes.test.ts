// What agents really printed when they were asked without a pane, by `npm run live:print -- --record`, and by which arguments.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "./index.ts";

const FIXTURES = join(import.meta.dirname, "..", "test", "fixtures", "print");
const AGENTS = createAdapterRegistry()
  .list()
  .flatMap(({ agentType, printMode }) => (printMode === undefined ? [] : [[agentType, printMode] as const]));

describe.each(AGENTS)("%s", (agent, { argv, parse, forks }) => {
  const printed = (name: string): string => readFileSync(join(FIXTURES, `${agent}-${name}.txt`), "utf8");

  it("answers, names its conversation, and goes on with it", () => {
    const [first, second] = [parse(printed("first")), parse(printed("second"))];
    expect([first.text.trim(), second.text.trim()]).toEqual(["over the bridge", "and then left"]);
    expect(first.session).toMatch(/^[A-Za-z0-9][\w-]{7,}$/);
    expect(second.session).toBe(first.session);
  });

  it("gets the conversation and the model as arguments, and never the question", () => {
    const question = {
      prompt: "the question",
      session: "talk-1",
      isFork: false,
      model: "small",
      acceptsEdits: true,
    };
    const words = argv(question);
    expect(words.join(" ")).toMatch(/talk-1/);
    expect(words).toContain("small");
    expect(words.join(" ")).not.toContain("the question");
    const bare = argv({ ...question, session: null, model: null }).join(" ");
    expect(bare).not.toMatch(/talk-1|small|resume|null/);
    // What it may do without asking stays as the person has set it.
    expect(bare).not.toMatch(/dangerously|yolo|allow-all|bypass|full-auto/);
  });

  it("begins a copy of a conversation with other words, where it can", () => {
    const question = {
      prompt: "the question",
      session: "talk-1",
      isFork: false,
      model: null,
      acceptsEdits: true,
    };
    const [goesOn, copies] = [argv(question), argv({ ...question, isFork: true })];
    expect(copies.join(" ") !== goesOn.join(" ")).toBe(forks !== "none");
    expect(copies).toContain(goesOn.find((word) => word.includes("talk-1")));
    if (forks === "last too")
      expect(argv({ ...question, session: null, isFork: true })).toContain("--continue");
  });

  it("understands nothing else", () => {
    for (const text of ["", "{", "[]", '{"type":"other"}\n'])
      expect(() => {
        if (parse(text).text === "") throw new Error("no answer");
      }).toThrow();
  });
});

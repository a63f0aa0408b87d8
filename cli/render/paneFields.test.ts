import { describe, expect, test } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import { describePane } from "./field.ts";

describe("what a pane is at", () => {
  test("is its reason and what it says of its work, without what a terminal would obey", () => {
    const pane = makePane({ state: "running", reason: "retrying", progress: "retry 3\u001b[2J of 10" });
    expect(describePane(pane)).toBe("retrying · retry 3 of 10");
  });

  test("is its reason alone where it says nothing", () => {
    expect(describePane(makePane({ state: "running", reason: "tool" }))).toBe("using a tool");
  });

  test("is a reason of a newer daemon as it is, also one with a name that every object has", () => {
    for (const reason of ["toString", "__proto__", "brand_new"])
      expect(describePane(makePane({ state: "running", reason }))).toContain(reason.split("_")[0]);
  });

  test("is what it asks, whatever else it says", () => {
    const request = {
      kind: "command" as const,
      title: "Run a command",
      body: "ls",
      is_whole: true,
      tool_name: null,
      options: [],
      expires_at: null,
    };
    expect(describePane(makePane({ request, progress: "1 queued prompt" }))).toBe("ls");
  });
});

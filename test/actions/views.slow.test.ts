// Every recorded view of an agent: no text is typed into it.
import { expect, it } from "vitest";
import { describeViews, viewsOf } from "./views.ts";

it("is known of more than ten views each", () => {
  for (const agent of ["claude", "codex"]) expect(viewsOf(agent).length).toBeGreaterThan(10);
});
describeViews("claude", viewsOf("claude"));
describeViews("codex", viewsOf("codex"));

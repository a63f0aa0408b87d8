// Every recorded view of an agent: no text is typed into it.
import { expect, it } from "vitest";
import { describeViews, viewsOf } from "./views.ts";

const AGENTS = ["claude", "codex", "copilot", "gemini", "omp", "opencode", "pi"];

it("is known of eight views and more each", () => {
  for (const agent of AGENTS) expect(viewsOf(agent).length, agent).toBeGreaterThanOrEqual(8);
});
for (const agent of AGENTS) describeViews(agent, viewsOf(agent));

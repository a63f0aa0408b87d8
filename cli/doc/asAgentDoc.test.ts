// The command under its other name, as editors and skills call it.
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ok, useDocumentProject } from "../testing/documentProject.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const project = useDocumentProject();

describe("as agent-doc", () => {
  const agentDoc = (...args: string[]) => {
    const link = join(project.home, "agent-doc");
    if (!existsSync(link)) symlinkSync(join(ROOT, "bin", "agtmux"), link);
    return project.call(link, args);
  };

  it("has the version and the verbs that editors ask for", () => {
    expect(agentDoc("--version")).toEqual(ok("agent-doc 0.17.14\n"));
    const commands: { name: string; args: string; description: string }[] = JSON.parse(
      agentDoc("commands").stdout,
    );
    expect(commands).toContainEqual({ name: "diff", args: "<file>", description: expect.any(String) });
    expect(commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["init", "write", "patch", "skill"]),
    );
    expect(agentDoc("diff", "plan.md").stdout).toContain("+Which way?\n");
  });

  it("has its exit codes alone", () => {
    expect(agentDoc("patch", "plan.md", "none", "x").status).toBe(1);
    expect(agentDoc("diff", "none.md").status).toBe(2);
    expect(agentDoc("no-such-verb").status).toBe(2);
    expect(agentDoc("commit", "plan.md").status).toBe(1);
  });
});

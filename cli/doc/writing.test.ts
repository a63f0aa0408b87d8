// A document from its beginning to the agent's answer in it. What can come between is in writing.slow.test.ts.
import { describe, expect, it } from "vitest";
import { ok, useDocumentProject } from "../testing/documentProject.ts";

const project = useDocumentProject();

describe("a document from its beginning", () => {
  it("is begun, answered, and compared with what the agent has seen", () => {
    expect(project.doc(["init", "new/first.md", "The plan", "--agent", "some"])).toEqual(
      ok("Created new/first.md.\n"),
    );
    const begun = project.read("new/first.md");
    expect(begun).toMatch(
      /^---\nagent_doc_session: "?[0-9a-f-]{36}"?\nagent_doc_format: inline\nagent: some\n---\n\n# The plan\n\n## User\n\n$/,
    );
    const again = project.doc(["init", "new/first.md"]);
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining("exists already")]);
    expect(project.read("new/first.md")).toBe(begun);

    const asked = `${begun}Which way?\n`;
    project.write(asked, "new/first.md");
    expect(project.doc(["diff", "new/first.md"]).stdout).toBe(
      asked.replaceAll(/^/gm, "+").replace(/\+$/, ""),
    );
    project.write(asked, "seen");
    const written = project.doc(["write", "new/first.md", "--baseline-file", "seen"], "This way.\n");
    expect(written).toEqual(ok("Written into new/first.md.\n"));
    expect(project.doc(["diff", "new/first.md"])).toEqual(ok(""));
    const answered = project.read("new/first.md");
    expect(answered).toBe(`${asked}\n## Assistant\n\nThis way.\n\n## User\n\n`);
    project.write(`${answered}Thanks. <!-- a note -->\n`, "new/first.md");
    expect(project.doc(["diff", "new/first.md", "--strip-comments"]).stdout.split("\n").at(-2)).toBe(
      "+Thanks. ",
    );
    expect(project.doc(["reset", "new/first.md"]).stdout).toBe("The agent begins again with new/first.md.\n");
    expect(project.doc(["reset", "new/first.md"]).stdout).toBe("new/first.md had nothing to forget.\n");
  });

  it("is outlined as a table and as JSON", () => {
    project.write("# One\n\ntext\n## Two\n");
    expect(JSON.parse(project.doc(["outline", "plan.md", "--json"]).stdout)).toEqual([
      { heading: "One", depth: 1, line: 1, lines: 2, tokens: 2 },
      { heading: "Two", depth: 2, line: 4, lines: 0, tokens: 0 },
    ]);
    expect(project.doc(["outline", "plan.md"]).stdout).toMatch(
      /^SECTION +LINE +LINES +TOKENS\nOne +1 +2 +2\n {2}Two +4 +0 +0\n$/,
    );
  });
});

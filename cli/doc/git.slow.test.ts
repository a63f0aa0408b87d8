// Documents in git: their own commits, and nobody else's.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DOC, ok, useDocumentProject } from "../testing/documentProject.ts";

const project = useDocumentProject();

const subjects = (): string[] => project.git("log", "--format=%s").trim().split("\n");

describe("git", () => {
  it("has the document alone in a commit, also where it is ignored, and no hook runs", () => {
    project.begin();
    project.write("*.md\n.home\n", ".gitignore");
    mkdirSync(join(project.folder, ".git", "hooks"), { recursive: true });
    writeFileSync(join(project.folder, ".git", "hooks", "pre-commit"), "#!/bin/sh\nexit 1\n", {
      mode: 0o755,
    });
    project.write("staged\n", "other.txt");
    project.git("add", "other.txt");
    expect(project.doc(["commit", "plan.md"])).toEqual(ok("Committed plan.md.\n"));
    expect(project.git("log", "-1", "--format=%s")).toMatch(/^agent-doc: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n$/);
    expect(project.git("show", "--format=", "--name-only").trim()).toBe("plan.md");
    expect(project.git("diff", "--cached", "--name-only").trim()).toBe("other.txt");
    expect(project.doc(["commit", "plan.md"])).toEqual(ok("plan.md has nothing to commit.\n"));
  });

  it.each(["merge", "rebase", "cherry-pick"])("in the middle of a %s is refused and left alone", (what) => {
    project.begin();
    const first = project.commitAs("first");
    project.git("checkout", "-q", "-b", "side");
    project.write(DOC.replace("nothing", "side"));
    project.commitAs("side");
    project.git("checkout", "-q", "-b", "other", first);
    project.write(DOC.replace("nothing", "other"));
    project.commitAs("other");
    spawnSync("git", [what, "side"], { cwd: project.folder, env: project.env });
    const before = [project.read(), project.git("status", "--porcelain"), project.git("rev-parse", "HEAD")];
    for (const verb of ["commit", "clean"]) {
      const { status, stderr } = project.doc([verb, "plan.md"]);
      expect([status, stderr]).toEqual([74, expect.stringContaining(`in the middle of a ${what}`)]);
    }
    expect([project.read(), project.git("status", "--porcelain"), project.git("rev-parse", "HEAD")]).toEqual(
      before,
    );
    expect(project.doc(["write", "plan.md"], "x").status).toBe(0);
  });

  it("is not there outside of a repository, which is said", () => {
    expect(project.doc(["commit", "plan.md"]).stderr).toContain("isn't in a git repository [E_GIT_FAILED]");
  });

  it.each(["a root commit", "a commit of others"])(
    "squashes its own commits down to %s; what is staged stays",
    (below) => {
      project.begin();
      if (below !== "a root commit") project.commitAs("project", ".gitignore");
      for (const count of [1, 2, 3]) {
        project.write(DOC.replace("nothing", String(count)));
        project.doc(["commit", "plan.md"]);
      }
      project.write("staged\n", "other.txt");
      project.git("add", "other.txt");
      const tree = project.git("rev-parse", "HEAD^{tree}");
      expect(project.doc(["clean", "plan.md"])).toEqual(ok("3 commits of plan.md squashed into one.\n"));
      expect(subjects()).toEqual([
        expect.stringMatching(/^agent-doc: /),
        ...(below === "a root commit" ? [] : ["project"]),
      ]);
      expect(project.git("rev-parse", "HEAD^{tree}")).toBe(tree);
      expect(project.git("status", "--porcelain", "-uno").trim()).toBe("A  other.txt");
      expect(project.doc(["clean", "plan.md"]).stdout).toBe("plan.md has no commits to squash.\n");
    },
  );

  it("does not squash across commits of others, of other documents, merges, or what is pushed", () => {
    project.begin();
    project.doc(["commit", "plan.md"]);
    project.write("code\n", "code.txt");
    project.commitAs("somebody's work", "code.txt");
    project.write("# Other\n", "other.md");
    project.doc(["commit", "other.md"]);
    project.git("update-ref", "refs/remotes/origin/main", "HEAD");
    project.write(DOC.replace("nothing", "more"));
    project.git("add", "plan.md");
    project.git("commit", "-q", "-m", "agent-doc(plan): an old form");
    const head = project.git("rev-parse", "HEAD");
    const { status, stderr } = project.doc(["clean", "plan.md"]);
    expect(status).toBe(74);
    for (const reason of [
      "somebody else's: somebody's work",
      "has other files as well",
      "is pushed already, to origin/main",
    ])
      expect(stderr).toContain(reason);
    expect(project.git("rev-parse", "HEAD")).toBe(head);
    // Another document's are nobody's to give away here.
    const forced = project.doc(["clean", "plan.md", "--force"]);
    expect([forced.status, forced.stderr]).toEqual([74, expect.stringContaining("is of other.md")]);
    expect(project.git("rev-parse", "HEAD")).toBe(head);
  });

  it("squashes across commits of others where the person says so", () => {
    project.begin();
    project.doc(["commit", "plan.md"]);
    project.write("code\n", "code.txt");
    project.commitAs("somebody's work", "code.txt");
    project.git("update-ref", "refs/remotes/origin/main", "HEAD");
    project.write(DOC.replace("nothing", "more"));
    project.doc(["commit", "plan.md"]);
    expect(project.doc(["clean", "plan.md", "--force"]).stdout).toBe(
      "3 commits of plan.md squashed into one.\n",
    );
    expect(subjects()).toHaveLength(1);
  });

  it("lists the versions of the conversation, and puts one of them above the present one", () => {
    project.begin();
    project.doc(["commit", "plan.md"]);
    const first = project.git("rev-parse", "--short", "HEAD").trim();
    project.write(
      DOC.replace("Which way?", "Why?\n\u001b[31mBecause").replace("0b1c\n", "0b1c\nresume: talk-7\n"),
    );
    project.doc(["commit", "plan.md"]);
    const { stdout } = project.doc(["history", "plan.md"]);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/).slice(2))).toEqual([
      ["CONVERSATION", "ENDS WITH"],
      ["talk-7", "Because"],
      ["-", "Which way?"],
      [],
    ]);
    expect(project.doc(["history", "plan.md", "--restore", first]).status).toBe(0);
    expect(project.read()).toContain("<!-- agent:exchange mode=append -->\nWhich way?\nWhy?\n");
    const none = project.doc(["history", "plan.md", "--restore", "--output=x"]);
    expect([none.status === 0, existsSync(join(project.folder, "x"))]).toEqual([false, false]);
    expect(project.doc(["history", "plan.md", "--restore", "HEAD~9"]).stderr).toContain(
      "there is no commit 'HEAD~9'",
    );
  });

  it("merges for documents that ask for its merge", () => {
    const asking = DOC.replace("0b1c\n", "0b1c\nagent_doc_write: merge\n");
    project.write(asking, "seen");
    project.write(asking.replace("nothing yet", "typed"));
    expect(project.doc(["write", "plan.md", "--baseline-file", "seen"], "This way.\n").status).toBe(0);
    expect(project.read()).toBe(
      asking.replace("nothing yet", "typed").replace("Which way?\n", "Which way?\nThis way.\n"),
    );
  });
});

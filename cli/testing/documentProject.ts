// A project with a document, for tests of `agtmux doc …` as a person and an editor call it: real files, real git, the real command line.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { CLI_ENTRY } from "./cliEntry.ts";

export const DOC = `---
agent_doc_session: 0b1c
---

<!-- agent:status -->
nothing yet
<!-- /agent:status -->

<!-- agent:exchange mode=append -->
Which way?
<!-- /agent:exchange -->
`;

export interface Called {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Of a command that succeeds and warns of nothing. */
export const ok = (stdout: string): Called => ({ status: 0, stdout, stderr: "" });

/** A new one for each test of the file, with `plan.md` in it. */
export class DocumentProject {
  folder = "";
  home = "";
  env: Record<string, string | undefined> = {};

  call(program: string, args: readonly string[], input = ""): Called {
    const { folder: cwd, env } = this;
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, input, encoding: "utf8" });
    return { status, stdout, stderr };
  }

  doc(args: readonly string[], input = ""): Called {
    return this.call(process.execPath, [CLI_ENTRY, "doc", ...args], input);
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.folder, env: this.env, encoding: "utf8" });
  }

  read(name = "plan.md"): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  write(text: string, name = "plan.md"): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** Makes it a repository. */
  begin(): void {
    this.git("init", "-q", "-b", "main");
    this.write(".home\n", ".gitignore");
  }

  commitAs(message: string, name = "plan.md"): string {
    this.git("add", "-f", name);
    this.git("commit", "-q", "-m", message);
    return this.git("rev-parse", "HEAD").trim();
  }

  open(): void {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-docs-")));
    this.home = join(this.folder, ".home");
    mkdirSync(this.home);
    mkdirSync(join(this.folder, ".agent-doc"));
    const { TMUX: _tmux, TMUX_PANE: _pane, ...outer } = process.env;
    this.env = {
      ...outer,
      HOME: this.home,
      AGTMUX_HOME: join(this.home, "agtmux"),
      AGTMUX_NO_START: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.invalid",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.invalid",
    };
    this.write(DOC);
  }
}

export const useDocumentProject = (): DocumentProject => {
  const project = new DocumentProject();
  beforeEach(() => project.open());
  afterEach(() => rmSync(project.folder, { recursive: true, force: true }));
  return project;
};

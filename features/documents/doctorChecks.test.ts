// The doctor on another agent-doc beside agtmux: named where both answer in one project, silent elsewhere.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { Diagnosis } from "../../core/model/doctor.ts";
import type { PaneView } from "../../core/model/view.ts";
import { documentChecks } from "./documents.ts";
import { claimsPath } from "./files/registry.ts";
import { partOf } from "../../test/fakes/partOf.ts";

let home: string;
let project: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-other-")));
  project = join(home, "project");
  mkdirSync(join(project, ".agent-doc"), { recursive: true });
  mkdirSync(join(home, "bin"));
});

/** What the doctor says of the project, in which an agent works. */
const examine = async (target = "host"): Promise<readonly Diagnosis[] | null> => {
  const row = { identity: { target }, activity: { folder: project } } as unknown as PaneView;
  const [check] = documentChecks(
    partOf({
      env: { HOME: home, PATH: `relative:${home}/bin` },
      homePath: join(home, ".agtmux"),
      rows: partOf({ all: () => [row] }),
    }),
  );
  return (await check?.run()) as readonly Diagnosis[] | null;
};
const write = (path: string, text: string): void => {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), text);
};
const useAgtmux = (): void => {
  const claims = '{"a":{"life":null,"shownPrompt":null}}';
  write("project/.agent-doc/agtmux.json", claims);
  write(relative(home, claimsPath(join(home, ".agtmux"), project)), claims);
};

it("says nothing of a project in which agtmux answers in no document, or where it alone does", async () => {
  write("bin/agent-doc", "");
  write("project/.agent-doc/locks/one", "");
  expect(await examine()).toBeNull();
  useAgtmux();
  expect(await examine("vm1")).toBeNull();
  execFileSync("rm", ["-r", join(home, "bin", "agent-doc"), join(project, ".agent-doc", "locks")]);
  write("bin/agtmux", "");
  symlinkSync("agtmux", join(home, "bin", "agent-doc"));
  write("project/.claude/skills/agent-doc/SKILL.md", "Run agtmux doc diff.\n");
  write(".claude/settings.json", JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: "notify" }] }] } }));
  expect(await examine()).toEqual([]);
});

it("names what the other one has left in the project, and what to do", async () => {
  useAgtmux();
  const entry = { pane: "%1", pid: 1, cwd: "/", started: "", file: "a.md" };
  write("project/.agent-doc/sessions.json", JSON.stringify({ a: entry, b: entry }));
  write("project/.agent-doc/locks/one", "");
  write("project/.claude/skills/agent-doc/SKILL.md", "Run agent-doc diff.\n");
  expect(await examine()).toEqual([
    {
      status: "warning",
      summary: expect.stringContaining(project),
      evidence: "found: its locks, its skill in .claude, its claims in sessions.json (1)",
      remedy: expect.stringContaining("agtmux doc skill install"),
    },
  ]);
});

it("names the program and what Claude Code has of it for all projects", async () => {
  useAgtmux();
  write("bin/agent-doc", "");
  write(".claude/skills/agent-doc/SKILL.md", "Run agent-doc diff.\n");
  const hook = { hooks: [{ type: "command", command: "agent-doc hook stop" }] };
  write(".claude/settings.json", JSON.stringify({ hooks: { Stop: [hook] } }));
  const found = (await examine()) ?? [];
  expect(found.map(({ status, summary }) => [status, summary])).toEqual([
    ["warning", expect.stringContaining(join(home, "bin", "agent-doc"))],
    ["warning", expect.stringContaining("skill and the hooks")],
  ]);
});

it("reads nothing that has no end or is broken", async () => {
  useAgtmux();
  mkdirSync(join(project, ".claude", "skills", "agent-doc"), { recursive: true });
  execFileSync("mkfifo", [join(project, ".claude", "skills", "agent-doc", "SKILL.md")]);
  write("project/.agent-doc/sessions.json", "{ broken");
  symlinkSync("/dev/zero", join(home, ".claude"));
  expect(await examine()).toEqual([]);
});

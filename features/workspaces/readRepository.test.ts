import { describe, expect, it } from "vitest";
import { readExcludesFile, readSettings, settingsText } from "./readRepository.ts";

const NORMAL = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	autocrlf = input
	fsmonitor = /tmp/evil
	hooksPath = /tmp/evil
	pager = "less; evil"
[remote "origin"]
	url = git@host:x.git
	fetch = +refs/heads/*:refs/remotes/origin/*
	uploadpack = /tmp/evil
[branch "feat/x"]
	remote = origin
	merge = refs/heads/feat/x
[alias]
	status = !evil
`;

describe("the settings of a repository", () => {
  it("give facts and nothing that names a program", () => {
    const settings = readSettings(NORMAL);
    expect([...settings.facts]).toEqual([
      ["core.filemode", "true"],
      ["core.autocrlf", "input"],
    ]);
    expect(settings.obstacle).toBeNull();
    const text = settingsText(settings, "feat/x");
    expect(text).not.toContain("evil");
    expect(text).not.toContain("git@host");
    expect(text).toContain('[branch "feat/x"]\n\tremote = origin\n\tmerge = refs/heads/feat/x\n');
    expect(settingsText(settings, "other")).not.toContain("remote");
  });

  it.each([
    ['[filter "lfs"]\n\tclean = git-lfs clean', "its files go through a filter, and a filter is a program"],
    ["[FILTER.lfs]\nclean=x", "its files go through a filter, and a filter is a program"],
    ["[include]\npath = /x", "its settings include other files"],
    ['[includeIf "gitdir:/x"] path = /x', "its settings include other files"],
    [
      "[extensions]\n refStorage = reftable",
      "its branches are kept in the form 'reftable', which is not read",
    ],
  ])("that %s keep git from being asked", (text, obstacle) => {
    expect(readSettings(`[core]\n\tbare = false\n${text}\n`).obstacle).toBe(obstacle);
  });

  it.each([
    ['[branch "a\\"]\n[core]\n\tfsmonitor = evil\n#"]\nremote = origin\nmerge = refs/heads/a'],
    ['[branch "a b"]\nremote = origin\nmerge = refs/heads/a'],
    ['[branch "a"]\nremote = o"r\nmerge = refs/heads/a'],
    ['[branch "a"]\nremote = origin\nmerge = refs/heads/a\\\n\tfsmonitor = evil'],
    ['[branch "a"]\nremote = origin\nmerge = refs/tags/a'],
    ["[core]\nautocrlf = true\\\nfsmonitor = evil"],
    ["[core]\neol = lf # evil"],
    ["[extensions]\nobjectformat = evil"],
  ])("in a form that is not plain are left out: %s", (text) => {
    const settings = readSettings(text);
    for (const branch of ["a", "a b", 'a"]\n[core]\n'])
      expect(settingsText(settings, branch)).toBe(settingsText(readSettings(""), null));
  });

  it("of the person name the list of ignored files", () => {
    expect(readExcludesFile("[core]\n\texcludesFile = ~/.gitignore", "/home/me")).toBe("/home/me/.gitignore");
    expect(readExcludesFile("[core]\n\texcludesfile = relative", "/home/me")).toBeNull();
    expect(readExcludesFile('[core "x"]\n\texcludesfile = /x', "/home/me")).toBeNull();
  });
});

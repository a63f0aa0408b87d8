// Who may start the tmux program: whoever does so beside the one function hands the person's files to any server that lies there.
import { describe, expect, it } from "vitest";
import { readSources, TOP_FOLDERS } from "./sources.ts";

const SOURCES = TOP_FOLDERS.flatMap(readSources);

/** An option that chooses a tmux server, as a word or within a text that a shell could get. */
const CHOOSES_SERVER = /^["'`]?-[SL]["'`]?$/;
const MAY_CHOOSE: Readonly<Record<string, string>> = {
  "core/targets/ownSocket.ts": "-S: looks at the socket directly before",
  "core/tmux/tmuxCalls.ts": "-L: tmux looks at its own folder by itself",
  "core/tmux/tmuxCommand.ts": "-S: the first line of a capture",
  "core/actions/paneClient.ts": "-S: the first line of a capture",
  "core/targets/executors/openSshTransport.ts": "-S: the control socket of ssh",
  "core/targets/sshKeys.ts": "-L: the keys of ssh-add",
  "features/documents/git.ts": "-L: the names that git merge-file writes",
};
/** The program's name as a word of its own. */
const PROGRAM = /^["'`]tmux["'`]$/;
const MAY_NAME: Readonly<Record<string, string>> = {
  "core/connections/localTmux.ts": "goes through the one function",
  "cli/verbs/report.ts": "asks for the version, and connects to nothing",
};
/** Words that start no program: a format, a source, a setting, a chapter, what another process is called. */
const OTHER_NAMES = new Set([
  "cli/verbs/status.ts",
  "cli/grammar/lists.ts",
  "core/model/evidence.ts",
  "core/collect/spoolDrain.ts",
  "cli/reference/pages.ts",
  "core/collect/workWatch.ts",
  "core/collect/insideWatch.ts",
  "core/ports/screenAlone.ts",
  "core/doctor/doctor.ts",
  "core/doctor/targetChecks.ts",
  "core/ingest/activity.ts",
  "ui/setup/setupScreen.ts",
]);

const filesWith = (pattern: RegExp): string[] =>
  SOURCES.filter(({ words }) => words.some(({ text }) => pattern.test(text))).map(({ path }) => path);

describe("the tmux program", () => {
  it("is told which server by the one function alone: ask for TmuxCalls (core/tmux/tmuxCalls.ts)", () => {
    expect(filesWith(CHOOSES_SERVER).toSorted()).toEqual(Object.keys(MAY_CHOOSE).toSorted());
  });

  it("is named nowhere else", () => {
    const named = filesWith(PROGRAM).filter((path) => !OTHER_NAMES.has(path));
    expect(named.toSorted()).toEqual(Object.keys(MAY_NAME).toSorted());
  });

  it("is not started by its path either: what reaches it keeps that to itself", () => {
    const holders = SOURCES.filter(
      ({ path, words }) => !path.startsWith("core/tmux/") && words.some(({ text }) => text === "tmuxPath"),
    ).map(({ path }) => path);
    // Settings that name it, and the doctor, who asks for its version.
    const expected = [
      "cli/grammar/targets.ts",
      "cli/verbs/target.ts",
      "core/api/calls.ts",
      "core/connections/connectedTarget.ts",
      "core/connections/localTmux.ts",
      "core/connections/targetService.ts",
      "core/doctor/doctorTarget.ts",
      "core/doctor/doctor.ts",
      "core/doctor/targetChecks.ts",
    ];
    expect(holders.filter((path) => !expected.includes(path))).toEqual([]);
  });
});

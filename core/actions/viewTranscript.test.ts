import { expect, it } from "vitest";
import type { StateFileRequest } from "../ports/agentAdapter.ts";
import type { TranscriptEntry } from "../ports/agentFiles.ts";
import { renderTranscript, viewTranscript } from "./viewOutput.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const say = (role: TranscriptEntry["role"], text: string): TranscriptEntry => ({ role, text, at: null });
const view = (readTranscript: (() => Promise<readonly TranscriptEntry[] | null>) | undefined, lines = 100) =>
  viewTranscript({
    paneRef: "pane:host/w/@1/%1",
    adapter: partOf({ displayName: "Agent", readTranscript }),
    request: partOf<StateFileRequest>({ pane: partOf({ paneId: "%1" }) }),
    lines,
  });

it("marks every line with who is quoted, so that no text can pass for another's", () => {
  const entries = [
    say("user", "fix it\n  please"),
    say("tool", "Bash  ls"),
    say("tool", "Read  a.ts"),
    say("agent", "done\n> approve everything\n\u001b[2J\u009b1m\ttab"),
    say("note", "interrupted"),
  ];
  expect(renderTranscript(entries)).toEqual([
    "> fix it",
    ">   please",
    "",
    "* Bash  ls",
    "* Read  a.ts",
    "",
    "  done",
    "  > approve everything",
    "  [2J1m  tab",
    "",
    "! interrupted",
  ]);
});

it("gives the newest lines within the bound", async () => {
  const shown = await view(async () => [say("agent", "1\n2\n3")], 2);
  expect(shown).toEqual({ lines: ["  2", "  3"], cut: "lines" });
});

it.each([
  ["an agent whose log is not known", undefined, "the format of Agent's log is unknown"],
  [
    "a process to which no log belongs",
    async () => null,
    "can't tell which log belongs to this Agent process",
  ],
  [
    "a log that may not be read",
    () => Promise.reject(Object.assign(new Error("no"), { code: "EACCES" })),
    "Agent's log cannot be read",
  ],
])("says so for %s, and makes nothing up", async (_what, reader, why) => {
  await expect(view(reader)).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
    message: `No transcript of pane:host/w/@1/%1: ${why}`,
  });
});

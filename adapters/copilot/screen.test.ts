import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadRecording, screenOf } from "../testkit/recordings.ts";
import { readCopilotScreen } from "./screen.ts";

const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/${path}/copilot`, import.meta.url));
const read = (name: string) => readCopilotScreen(screenOf(loadRecording(fixture("recordings"), name)));
const readVariant = (name: string) => readCopilotScreen(screenOf(loadRecording(fixture("variants"), name)));

describe("what Copilot's dialogs ask", () => {
  it("is the command, with a digit for each option", () => {
    expect(read("waiting_approval")?.request).toEqual({
      kind: "command",
      title: "Lab command",
      body: "touch approved.txt",
      toolName: null,
      options: [
        { label: "Yes", keys: ["1"], role: "approve" },
        {
          label: "Yes, and don't ask again for `touch` in this repo (~/project)",
          keys: ["2"],
          role: "approve_always",
        },
        { label: "No, and tell Copilot what to do differently (Esc to stop)", keys: ["3"], role: "deny" },
      ],
      expiresAt: null,
    });
  });

  it("is whole in a narrow pane", () => {
    const request = readVariant("approval_42_columns")?.request;
    expect(request?.options.map(({ label }) => label)).toEqual(
      read("waiting_approval")?.request?.options.map(({ label }) => label),
    );
    expect(request?.body?.replaceAll("\n", " ")).toContain("echo removed everything that was newer");
  });

  it("is the file, the folder, the question", () => {
    expect(readVariant("approval_edit")?.request).toMatchObject({ kind: "edit", body: "edit.txt" });
    expect(read("trust_dialog")?.request).toMatchObject({
      kind: "trust",
      body: "/home/dev/project",
      options: [{ keys: ["Enter"] }, { keys: ["Down", "Enter"] }, { keys: ["Down", "Down", "Enter"] }],
    });
    expect(read("waiting_input_question")?.request).toMatchObject({
      kind: "question",
      body: "Which colour should the lab use?",
      options: [
        { label: "Red", keys: ["Enter"] },
        { label: "Blue", keys: ["Down", "Enter"] },
        { label: "Other (type your answer)", keys: null },
      ],
    });
    expect(readVariant("question_60_columns_second_selected")?.request?.options).toMatchObject([
      { keys: ["Up", "Enter"] },
      { keys: ["Enter"] },
      { keys: null },
    ]);
    expect(readVariant("question_free_text")?.request).toMatchObject({
      body: "What is the name of the lab?",
      options: [],
    });
  });
});

describe("why a turn failed", () => {
  it.each([
    ["error_400", "api_error"],
    ["error_401", "auth_failed"],
    ["error_500", "api_error"],
    ["error_cut", "api_error"],
  ])("%s: %s", (name, reason) => {
    expect(read(name)?.status.reasonCode).toBe(reason);
  });
});

import { describe, expect, it } from "vitest";
import { frameOf } from "../testkit/recordings.ts";
import { readCopilotScreen } from "./screen.ts";

const read = (name: string) => readCopilotScreen(frameOf("copilot", name));
const readVariant = (name: string) => readCopilotScreen(frameOf("copilot", name, "variants"));

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
        {
          label: "No, and tell Copilot what to do differently (Esc to stop)",
          keys: ["Escape"],
          role: "deny",
        },
      ],
      expiresAt: null,
      isWhole: true,
      columns: 111,
      hasJoints: true,
    });
  });

  const approval = frameOf("copilot", "waiting_approval");
  const changed = (from: string, to: readonly string[]) =>
    readCopilotScreen({
      ...approval,
      lines: approval.lines.flatMap((line) => (line.includes(from) ? to : [line])),
    })?.request;
  const inFrame = (text: string) => `│ ${text.padEnd(116)} │`;
  const inBox = (text: string) => inFrame(`│ ${text.padEnd(112)} │`);

  it("is not whole where the conversation tells more than the box, or nothing of it", () => {
    expect(changed("│ touch approved", [inBox("touch approved")])).toMatchObject({ body: "touch approved" });
    expect(changed("│ touch approved", [inBox("touch approved")])?.isWhole).toBeUndefined();
    expect(changed("   touch approved.txt ", [])?.isWhole).toBeUndefined();
  });

  it("is the box above the question, whatever the description draws", () => {
    const fake = [
      inFrame("Lab"),
      inFrame("─".repeat(116)),
      inFrame(`╭${"─".repeat(114)}╮`),
      inBox("echo harmless"),
      inFrame(`╰${"─".repeat(114)}╯`),
      inFrame(""),
      inFrame("Do you want to run this command?"),
      inFrame(""),
    ];
    expect(changed("│ Lab command", fake)?.body).toBe("touch approved.txt");
  });

  it("has a digit for each of nine options, and no key for a tenth", () => {
    const last = approval.lines.find((line) => line.includes("3. No")) ?? "";
    const more = [4, 5, 6, 7, 8, 9, 10].map((number) => inFrame(`  ${number}. Yes, but otherwise`));
    const keys = changed("3. No", [last, ...more])?.options.map((option) => option.keys);
    expect(keys?.slice(7)).toEqual([["8"], ["9"], null]);
  });

  it("is whole in a narrow pane", () => {
    const request = readVariant("approval_42_columns")?.request;
    expect(request?.options.map(({ label }) => label)).toEqual(
      read("waiting_approval")?.request?.options.map(({ label }) => label),
    );
    expect(request?.body).toBe(
      'find . -name "*.tmp" -newer stamp\n-print0 | xargs -0 rm -f && echo\nremoved everything that was newer',
    );
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

// What tells whose machine a recording was made on is gone from it, and frames stay frames.
import { describe, expect, it } from "vitest";
import { cleanPayload, cleanScreen, cleanText, type Replacement } from "./clean.ts";

const MINE: readonly Replacement[] = [
  ["/tmp/agt-x1Y2z3", "/home/dev/run"],
  ["/tmp/agt-x1Y2z3/home", "/home/dev"],
  ["mymachine.example", "devbox"],
  ["ada", "dev"],
  ["", "never"],
];

describe("names of the machine", () => {
  it("are replaced, the longer folder first, and names only as words", () => {
    expect(cleanText("cd /tmp/agt-x1Y2z3/home/project # ada@mymachine.example", MINE)).toBe(
      "cd /home/dev/project # dev@devbox",
    );
    expect(cleanText("adapters of ada-lovelace and canada", MINE)).toBe(
      "adapters of ada-lovelace and canada",
    );
  });

  it("are replaced in every text of a payload, and nothing else of it changes", () => {
    const payload = { cwd: "/tmp/agt-x1Y2z3/home", tool: { args: ["ada", 3, null] }, ok: true };
    expect(cleanPayload(payload, MINE)).toEqual({
      cwd: "/home/dev",
      tool: { args: ["dev", 3, null] },
      ok: true,
    });
  });

  it("leave frames whole: what stands behind them keeps its column", () => {
    const screen = ["╭────────────────────────╮", "│ ~ /tmp/agt-x1Y2z3/home │", "╰────────────────────────╯"];
    const cleaned = cleanScreen(screen.join("\n"), MINE).split("\n");
    expect(cleaned[1]).toBe("│ ~ /home/dev            │");
    expect(new Set(cleaned.map((row) => row.length))).toEqual(new Set([26]));
    expect(cleanScreen("in mymachine.example    main", MINE)).toBe("in devbox               main");
  });
});

describe("secrets", () => {
  it("are taken out of screens, command lines and payloads", () => {
    const key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123";
    for (const cleaned of [
      cleanScreen(`│ key ${key} │`, []),
      cleanText(`agent --api-key ${key}`, []),
      JSON.stringify(cleanPayload({ env: [`API_KEY=${key}`] }, [])),
    ])
      expect(cleaned).not.toContain(key);
  });
});

// The command line of `npm run live`.
import { describe, expect, it } from "vitest";
import { AGENT_IDS } from "./agents/agentIds.ts";
import { readOptions, UsageError } from "./options.ts";

const read = (...args: string[]) => readOptions(args, ["idle", "error"]);

describe("readOptions", () => {
  it("drives everything at the versions last driven, unless told otherwise", () => {
    const options = read();
    expect(options).toMatchObject({
      command: "run",
      agents: [...AGENT_IDS],
      modes: ["screen", "integrated"],
      sizes: null,
      steps: null,
      kinds: [
        "states",
        "hard",
        "actions",
        "turns",
        "queue",
        "rules",
        "documents",
        "sessions",
        "handoff",
        "stall",
        "background",
        "accounts",
      ],
      isFresh: false,
    });
    expect(options.versionOf("claude")).toBeNull();
  });

  it("takes agents, modes, sizes and kinds by name", () => {
    expect(read("--agent", "pi,omp", "--mode", "screen", "--size", "60x20", "--actions")).toMatchObject({
      agents: ["pi", "omp"],
      modes: ["screen"],
      sizes: ["60x20"],
      kinds: ["actions"],
    });
  });

  it("takes only kinds that look at states where states are named", () => {
    expect(read("--state", "error")).toMatchObject({ steps: ["error"], kinds: ["states", "hard"] });
  });

  it("takes the newest of all agents, or one version of one of them", () => {
    expect(read("--versions", "latest").versionOf("pi")).toBe("latest");
    const some = read("install", "--agents", "pi", "--versions", "pi=0.87.1");
    expect([some.command, some.versionOf("pi"), some.versionOf("omp")]).toEqual(["install", "0.87.1", null]);
  });

  it.each([
    [["--agent", "vim"], "agent 'vim' is none of claude"],
    [["--mode", "both"], "mode 'both' is none of screen, integrated"],
    [["--size", "1x1"], "size '1x1' is none of"],
    [["--state", "happy"], "state 'happy' is none of idle, error"],
    [["--versions", "2.0"], "--versions takes latest or agent=1.2.3"],
    [["--versions", "vim=2"], "agent 'vim' is none of"],
    [["remove"], "command 'remove' is none of run, install, table, drift, help"],
    [["drift", "--before", "then"], "drift takes --before and --issues"],
    [["run", "--before", "then", "--issues", "out"], "and nothing else does"],
    [["run", "table"], "one command at a time"],
    [["--loud"], "--loud"],
  ])("says what %j should have been", (args, message) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(message);
  });
});

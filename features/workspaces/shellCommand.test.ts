import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { literal, sessionNameOf } from "./startAgent.ts";
import { launchWords, shellCommand } from "./startableAgents.ts";

const ID = "5f2d5b0a-4b7e-4f0a-9c61-0b1f6f0c5b11";

describe("the command of a new pane", () => {
  it("has only plain words of every agent, with and without a session", () => {
    const words = (agentType: string): (string | null)[] => {
      const launch = createAdapterRegistry().byAgentType(agentType)?.launch ?? expect.fail(agentType);
      const again = launch.resume === undefined ? null : launchWords(launch, ID).join(" ");
      return [launchWords(launch, null).join(" "), again];
    };
    const expected: Readonly<Record<string, [string, string | null]>> = {
      claude: ["claude", `claude --resume ${ID}`],
      codex: ["codex", `codex resume ${ID}`],
      gemini: ["gemini", `gemini --resume ${ID}`],
      opencode: ["opencode", `opencode -s ${ID}`],
      cline: ["cline", `cline --id ${ID}`],
      kilo: ["kilo", `kilo -s ${ID}`],
      copilot: ["copilot", `copilot --resume=${ID}`],
      pi: ["pi", `pi --session ${ID}`],
      qwen: ["qwen", `qwen --resume ${ID}`],
      omp: ["omp", `omp --resume=${ID}`],
      gjc: ["gjc", null],
      antigravity: ["agy", null],
      arcane: ["arc", null],
      cursor: ["cursor-agent", null],
    };
    const agents = createAdapterRegistry()
      .list()
      .map(({ agentType }) => agentType);
    expect(Object.fromEntries(agents.map((agent) => [agent, words(agent)]))).toEqual(expected);
  });

  it.each(["", "-x", "a b", "a;b", "$(id)", "a\nb", "'", "../../x", "a".repeat(129), "é"])(
    "is refused for the session %j",
    (id) => {
      expect(() => launchWords({ program: "p", resume: (one) => [one] }, id)).toThrow("isn't a session id");
    },
  );

  it.each([
    ["/bin/bash", ["/bin/bash", "-l", "-i", "-c", "p x; exec /bin/bash -l"]],
    [
      "/opt/homebrew/bin/fish",
      ["/opt/homebrew/bin/fish", "-l", "-i", "-c", "p x; exec /opt/homebrew/bin/fish -l"],
    ],
    ["/bin/tcsh", ["/bin/sh", "-l", "-i", "-c", "p x; exec /bin/tcsh"]],
    ["", ["/bin/sh", "-l", "-i", "-c", "p x; exec /bin/sh -l"]],
    ["/bin/sh; rm -rf /", ["/bin/sh", "-l", "-i", "-c", "p x; exec /bin/sh -l"]],
    ["zsh", ["/bin/sh", "-l", "-i", "-c", "p x; exec /bin/sh -l"]],
  ])("goes through the shell %j", (shell, command) => {
    expect(shellCommand(shell, ["p", "x"])).toEqual(command);
  });
});

it("takes texts to the letter where tmux expands formats and ends commands", () => {
  expect(literal("#(touch x)#{pane_id};")).toBe("##(touch x)##{pane_id}\\;");
  expect(literal("a;b")).toBe("a;b");
  expect(literal("#[x]##[y]#a##")).toBe("#[x]##[y]##a####");
});

it.each(["", " ", "a:b", "a.b", "a\\b", "a\nb", "x".repeat(101)])("refuses the session name %j", (name) => {
  expect(() => sessionNameOf(name)).toThrow("cannot be the name of a session");
});

import { describe, expect, it } from "vitest";
import { makePane, makeTarget } from "../../test/factories/view.ts";
import type { AccountLimits } from "../../core/model/view.ts";
import type { StartableAgent } from "../../core/model/workspace.ts";
import {
  agentChoices,
  agentToHandTo,
  currentLimits,
  isFree,
  isUsedUp,
  limitLine,
  nearlyUsedText,
} from "./limitText.ts";
import { startInput } from "./sessionText.ts";

const NOW = Date.UTC(2026, 10, 29, 12);
const HOUR = 3_600_000;
const iso = (at: number): string => new Date(at).toISOString();
const windowOf = (used: number, hours = 2, minutes: number | null = 300) => ({
  minutes,
  used_percent: used,
  resets_at: iso(NOW + hours * HOUR),
});
const limits = (more: Partial<AccountLimits> = {}): AccountLimits => ({
  agent: "codex",
  agent_name: "Codex",
  account: null,
  source: "its session log",
  said_at: iso(NOW - 4 * 60_000),
  windows: [windowOf(12.9), windowOf(40, 72, 10_080)],
  reached_until: null,
  ...more,
});

describe("an account's limits", () => {
  it("are said window by window, with when that was written", () => {
    expect(limitLine(limits(), NOW)).toBe(
      "Codex: 12 % of 5 hours used, resets in 2h; 40 % of 7 days used, resets in 3d (as of 4m ago)",
    );
    expect(limitLine(limits({ account: "work" }), NOW)).toContain("Codex (work): ");
    expect(limitLine(limits({ windows: [windowOf(5, 1, null)] }), NOW)).toContain("5 % of the limit used");
  });

  it("are not said any more once their time has passed", () => {
    const later = NOW + 3 * HOUR;
    expect(limitLine(limits(), later)).toBe("Codex: 40 % of 7 days used, resets in 2d (as of 3h ago)");
    expect(limitLine(limits(), NOW + 73 * HOUR)).toBe("");
    expect(currentLimits([limits({ windows: [], reached_until: iso(NOW) })], NOW)).toEqual([]);
  });

  it("begin with the limit at which an agent stopped", () => {
    const stopped = limits({ windows: [], said_at: null, source: null, reached_until: iso(NOW + HOUR) });
    expect(limitLine(stopped, NOW)).toBe("Codex: limit reached, resets in 1h");
    expect([isUsedUp(stopped, NOW), isFree(stopped, NOW)]).toEqual([true, false]);
    expect([isUsedUp(stopped, NOW + HOUR), isFree(stopped, NOW + HOUR)]).toEqual([false, false]);
  });

  it("draw no control character of an agent or a folder", () => {
    expect(limitLine(limits({ agent_name: "Co\u001b[31mdex", account: "a\u202eb" }), NOW)).not.toMatch(
      // oxlint-disable-next-line no-control-regex -- what is looked for
      /[\u001b\u202e]/,
    );
  });
});

describe("the quiet line", () => {
  const target = (name: string, ...all: AccountLimits[]) =>
    makeTarget({ target: name, kind: name === "host" ? "local" : "ssh", limits: all });

  it.each([
    [80, ""],
    [80.1, "Codex: 80 % of 5 hours used, resets in 2h"],
    [100, "Codex: 100 % of 5 hours used, resets in 2h"],
  ])("at %s %%: %j", (used, text) => {
    expect(nearlyUsedText([target("host", limits({ windows: [windowOf(used)] }))], NOW)).toBe(text);
  });

  it("names the two that are used most, and where", () => {
    const near = (account: string, used: number) => limits({ account, windows: [windowOf(used)] });
    const all = [target("host", near("a", 81), near("b", 95)), target("vm1", near("c", 90))];
    expect(nearlyUsedText(all, NOW)).toBe(
      "Codex (b): 95 % of 5 hours used, resets in 2h · Codex (c) on vm1: 90 % of 5 hours used, resets in 2h · and 1 more",
    );
  });

  it("goes when the window resets", () => {
    const all = [target("host", limits({ windows: [windowOf(99)] }))];
    expect(nearlyUsedText(all, NOW + 2 * HOUR)).toBe("");
  });
});

describe("handing over from an agent that stopped at a limit", () => {
  const found = (agent: string, name: string, is: boolean | null = true): StartableAgent => ({
    agent,
    agent_name: name,
    is_found: is,
  });
  const AGENTS = [found("codex", "Codex"), found("claude", "Claude Code"), found("gemini", "Gemini CLI")];
  const stopped = { ...makePane({ agent: "codex", state: "error", reason: "usage_limit" }), account: "home" };
  const to = (...all: AccountLimits[]): string => agentToHandTo(AGENTS, stopped, all, NOW);
  const claude = (more: Partial<AccountLimits> = {}) =>
    limits({ agent: "claude", agent_name: "Claude Code", ...more });

  it("chooses the account with the most room, of the same agent too", () => {
    const work = limits({ account: "work", windows: [windowOf(10)] });
    expect(to(limits({ account: "home", windows: [windowOf(100)] }), work)).toBe("codex work");
    expect(to(work, claude({ windows: [windowOf(3)] }))).toBe("claude");
  });

  it("never chooses the account that it comes from, nor one that is used up", () => {
    const home = limits({ account: "home", windows: [windowOf(5)] });
    expect(to(home)).toBe("claude");
    expect(to(home, claude({ windows: [windowOf(100)] }))).toBe("gemini");
    expect(to(home, claude({ windows: [], reached_until: iso(NOW + HOUR) }))).toBe("gemini");
    expect(to(limits({ windows: [windowOf(5)] }))).toBe("claude");
  });

  it("goes by the kind of agent where no file says anything", () => {
    expect(to()).toBe("claude");
    const absent = [found("codex", "Codex"), found("claude", "Claude Code", false)];
    expect(agentToHandTo(absent, stopped, [], NOW)).toBe("codex");
    expect(agentToHandTo([], stopped, [], NOW)).toBe("");
  });

  it("goes by the kind of agent where the other one did not stop at a limit", () => {
    const fine = makePane({ agent: "codex", state: "idle" });
    expect(agentToHandTo(AGENTS, fine, [limits({ account: "work", windows: [windowOf(1)] })], NOW)).toBe(
      "claude",
    );
  });

  it("offers each account by itself, with what it says of its room", () => {
    const all = [limits({ account: "work dir" }), claude({ windows: [windowOf(100)] })];
    expect(agentChoices(AGENTS, all, NOW)).toEqual([
      { value: "codex", label: "Codex", room: "" },
      { value: "codex work dir", label: "Codex (work dir), 40 % used", room: ", 40 % used" },
      {
        value: "claude",
        label: "Claude Code, 100 % of 5 hours used, resets in 2h",
        room: ", 100 % of 5 hours used, resets in 2h",
      },
      { value: "gemini", label: "Gemini CLI", room: "" },
    ]);
    const form = { target: "host", folder: "/p", branch: "", text: "" };
    expect(startInput({ ...form, agent: "codex work dir" })).toMatchObject({
      agent: "codex",
      account: "work dir",
    });
    expect(startInput({ ...form, agent: "codex" })).toMatchObject({ agent: "codex", account: null });
  });
});

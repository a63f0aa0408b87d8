import { describe, expect, it } from "vitest";
import type { ProcessInfo } from "../model/runtime.ts";
import { whyNoAgent } from "./processWatch.ts";

const process = (comm: string, path?: string): ProcessInfo => ({
  pid: 1,
  ppid: 0,
  comm,
  args: comm,
  startedAt: 0,
  ...(path === undefined ? {} : { file: { path, runtime: null } }),
});

describe("why a pane has no agent", () => {
  it.each([
    ["ssh", /^its program is ssh: add the machine as a target/],
    ["mosh-client", /^its program is mosh-client: add the machine/],
    ["tmux: client", /tmux_servers/],
    ["podman", /container/],
  ])("names what it cannot look behind: %s", (comm, reason) => {
    expect(whyNoAgent([process("zsh"), process(comm)])).toMatch(reason);
  });

  it("goes by the file, not by what a program calls itself", () => {
    expect(whyNoAgent([process("work", "/usr/bin/ssh")])).toMatch(/^its program is ssh:/);
    expect(whyNoAgent([process("ssh", "/usr/bin/sleep")])).toMatch(/it runs sleep$/);
  });

  it("says what runs there, and where nothing can be read", () => {
    expect(whyNoAgent([process("zsh"), process("vim")])).toMatch(/it runs zsh, vim$/);
    expect(whyNoAgent([])).toMatch(/cannot be read$/);
  });
});

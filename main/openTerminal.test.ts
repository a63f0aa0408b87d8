import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTerminal, terminalCommand } from "./openTerminal.ts";

const HOSTILE = ["/usr/bin/tmux", "-S", "/tmp/a b/$(touch x)", "attach", "-t", "it's; rm -rf \"\n`id`"];
let folder: string;

const install = (name: string, script: string): void => {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
};
const linux = () => ({
  platform: "linux" as const,
  env: { PATH: folder, TMUX: "/tmp/t,1,0", TMUX_PANE: "%1" },
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-term-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("the terminal's command", () => {
  it("is a constant script on macOS; what varies follows as arguments", () => {
    const darwin = { platform: "darwin" as const, env: {} };
    const [file, flag, script, ...rest] = terminalCommand(HOSTILE, darwin);
    expect([file, flag]).toEqual(["/usr/bin/osascript", "-e"]);
    expect(script).toBe(terminalCommand(["other"], darwin)[2]);
    expect(script).toContain("quoted form of");
    expect(rest).toEqual(HOSTILE);
  });

  it("is the first terminal that is there on Linux", () => {
    install("xterm", "");
    expect(terminalCommand(["tmux"], linux())).toEqual([join(folder, "xterm"), "-e", "tmux"]);
    install("gnome-terminal", "");
    expect(terminalCommand(["tmux"], linux())).toEqual([join(folder, "gnome-terminal"), "--", "tmux"]);
    install("x-terminal-emulator", "");
    expect(terminalCommand(["tmux"], linux())[0]).toBe(join(folder, "x-terminal-emulator"));
  });

  it("says what to install where there is none", () => {
    expect(() => terminalCommand(["tmux"], linux())).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED" }),
    );
  });
});

describe("opening a terminal", () => {
  it("hands every argument over untouched and leaves the app's own pane out", async () => {
    const log = join(folder, "log");
    install("xterm", `printf '%s\\0' "\${TMUX-none}" "\${TMUX_PANE-none}" "$@" > ${log}`);
    await openTerminal(HOSTILE, linux());
    await vi.waitUntil(() => existsSync(log));
    expect(readFileSync(log, "utf8").split("\0")).toEqual(["none", "none", "-e", ...HOSTILE, ""]);
  });

  it("fails when the terminal does", async () => {
    install("xterm", "exit 3");
    await expect(openTerminal(["tmux"], linux())).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });
});

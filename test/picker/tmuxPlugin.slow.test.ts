// `agtmux.tmux`, the plugin for tmux, as a plugin manager runs it: from the configuration of a real server, with a command that
// writes down how it was called in place of ours, and with a client in another tmux where a person has to see something.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

const PLUGIN = join(import.meta.dirname, "..", "..", "agtmux.tmux");
const LIMIT = { timeout: 10_000 };
const MISSING = "the command is not installed";

let folder: string;
let terminal: PrivateTmux;
let conf: string;
let socket: string;
let env: NodeJS.ProcessEnv;

/** Without the folders in which a person may have a real agtmux. */
const SYSTEM_PATH = (process.env["PATH"] ?? "")
  .split(":")
  .filter((part) => !existsSync(join(part, "agtmux")))
  .join(":");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-plugin-"));
  conf = join(folder, "tmux.conf");
  socket = join(folder, "sock");
  mkdirSync(join(folder, "bin"));
  env = {
    ...process.env,
    HOME: join(folder, "a home"),
    PATH: `${join(folder, "bin")}:${SYSTEM_PATH}`,
    TERM: "xterm-256color",
    LC_ALL: "C.UTF-8",
    TMUX: undefined,
  };
  terminal = createPrivateTmux();
});
afterEach(async () => {
  if (existsSync(socket)) tmux("kill-server");
  await terminal.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

const tmux = (...args: readonly string[]): string =>
  execFileSync("tmux", ["-u", "-S", socket, "-f", conf, ...args], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();

/** Writes down the pane and the arguments of each call; `next` ends with `status`. */
const installCommand = (where = join(folder, "bin"), status = 0): void => {
  mkdirSync(where, { recursive: true });
  const path = join(where, "agtmux");
  writeFileSync(
    path,
    `#!/bin/sh\nprintf '%s|' "$TMUX_PANE" "$@" >>'${folder}/calls'\necho >>'${folder}/calls'\n` +
      `case $1 in status) echo '2 ask' ;; pick) echo PICKER; sleep 30 ;; next) exit ${status} ;; esac\n`,
  );
  chmodSync(path, 0o755);
};
const calls = (): string[] =>
  existsSync(join(folder, "calls")) ? readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n") : [];

/** The server with a configuration that sets these lines and ends as with a plugin manager, which discards what a plugin prints. */
const start = (...lines: readonly string[]): void => {
  writeFileSync(conf, [...lines, `run-shell '"${PLUGIN}" >/dev/null 2>&1'`, ""].join("\n"));
  tmux("new-session", "-d", "-s", "base", "-x", "120", "-y", "30", "exec cat");
};
const reload = (): void => void tmux("source-file", conf);
/** The line of the list; all of it is asked for, because tmux 3.7 says nothing of one key. */
const keyOf = (key: string): string =>
  tmux("list-keys", "-T", "prefix")
    .split("\n")
    .find((line) => line.split(/ +/)[line.includes(" -r ") ? 4 : 3] === key) ?? "";
const optionOf = (name: string): string => tmux("show-options", "-gqv", name);
/** How many keys the server has: nothing else may be bound. */
const keyCount = (): number => tmux("list-keys", "-T", "prefix").split("\n").length;

/** A client with a screen of its own. */
const attach = async (): Promise<{
  readonly screen: () => Promise<string>;
  readonly press: (...keys: string[]) => Promise<void>;
}> => {
  const path = env["PATH"] ?? "";
  await terminal.newSession(
    "outside",
    `TMUX= PATH='${path}' exec tmux -u -S '${socket}' -f '${conf}' attach-session -t base`,
  );
  await expect.poll(() => tmux("list-clients"), LIMIT).not.toBe("");
  return {
    screen: () => terminal.run("capture-pane", "-p", "-t", "outside:"),
    press: async (...keys) => void (await terminal.run("send-keys", "-t", "outside:", ...keys)),
  };
};

describe("with the command", () => {
  it("opens the picker and goes to the next agent by the keys of the documentation", async () => {
    installCommand();
    start();
    const client = await attach();
    await client.press("C-b", "a");
    await expect.poll(client.screen, LIMIT).toContain("PICKER");
    expect(calls()).toEqual([expect.stringMatching(/^(%\d+)?\|pick\|$/)]);
    await client.press("C-c");
    await expect.poll(client.screen, LIMIT).not.toContain("PICKER");
    await client.press("C-b", "N");
    const pane = tmux("display-message", "-p", "-t", "base:", "#{pane_id}");
    await expect.poll(() => calls().at(-1), LIMIT).toBe(`${pane}|next|`);
  });

  it("says that nothing waits", async () => {
    installCommand(undefined, 1);
    start("set -g display-time 10000");
    const client = await attach();
    await client.press("C-b", "N");
    await expect.poll(client.screen, LIMIT).toContain("Nothing waits");
  });

  it("takes the keys of the options, and none where an option is none", () => {
    installCommand();
    start("set -g @agtmux-picker-key C-a", "set -g @agtmux-next-key none");
    expect(keyOf("C-a")).toContain("agtmux pick");
    expect([keyOf("a"), keyOf("N")]).toEqual(["", ""]);
  });

  it("leaves a key that the person has bound, but takes it where an option names it", () => {
    installCommand();
    start("bind-key a kill-server", "bind-key N resize-pane -Z", "set -g @agtmux-next-key N");
    expect(keyOf("a")).toContain("kill-server");
    expect(keyOf("N")).toContain("agtmux next");
  });

  it("runs nothing that an option says", async () => {
    installCommand();
    const marker = join(folder, "ran");
    start(
      `set -g @agtmux-picker-key '$(touch ${marker}); x'`,
      `set -g @agtmux-next-key '#(touch ${marker})'`,
      `set -g @agtmux-status '#(touch ${marker})'`,
    );
    const client = await attach();
    await expect.poll(client.screen, LIMIT).toContain("agtmux: ");
    expect([keyOf("a"), keyOf("N"), existsSync(marker)]).toEqual(["", "", false]);
  });

  it("shows the states once, on the side that the option names, however often the file is read", async () => {
    installCommand();
    start("set -g @agtmux-status right", "set -g status-interval 1");
    expect(optionOf("status-right")).toMatch(/^#\(agtmux status --format tmux --no-start\) ./);
    expect(optionOf("status-right-length")).toBe("80");
    const before = [optionOf("status-right"), optionOf("status-left"), keyCount()];
    reload();
    expect([optionOf("status-right"), optionOf("status-left"), keyCount()]).toEqual(before);
    const client = await attach();
    await expect.poll(client.screen, LIMIT).toContain("2 ask");
  });

  it("shows the states on the left where the option says so, and the right is left alone", () => {
    installCommand();
    start("set -g @agtmux-status left", "set -g status-right mine");
    expect(optionOf("status-left")).toMatch(/^#\(agtmux status/);
    expect(optionOf("status-right")).toBe("mine");
  });

  it("leaves the status line where no option names a side", () => {
    installCommand();
    start("set -g status-right mine", "set -g status-left too");
    expect([optionOf("status-left"), optionOf("status-right")]).toEqual(["too", "mine"]);
  });

  it("finds the command where install.sh puts it, also with a space in the path", async () => {
    installCommand(join(folder, "a home", ".local", "bin"));
    start("set -g @agtmux-status right", "set -g status-interval 1");
    const client = await attach();
    await expect.poll(client.screen, LIMIT).toContain("2 ask");
    await client.press("C-b", "a");
    await expect.poll(client.screen, LIMIT).toContain("PICKER");
  });
});

describe("without the command", () => {
  it("changes nothing, and says so once, to the first who comes", async () => {
    start("set -g @agtmux-status right", "set -g status-right mine");
    expect([keyOf("a"), keyOf("N"), optionOf("status-right")]).toEqual(["", "", "mine"]);
    const client = await attach();
    await expect.poll(client.screen, LIMIT).toContain(MISSING);
    await client.press("x");
    await expect.poll(client.screen, LIMIT).not.toContain(MISSING);
    reload();
    tmux("switch-client", "-c", tmux("list-clients", "-F", "#{client_name}"), "-t", "base:");
    // The server has done what it was asked for before it answers the next question.
    await client.press("y");
    await expect.poll(client.screen, LIMIT).toContain("y");
    expect(await client.screen()).not.toContain(MISSING);
    expect(tmux("show-hooks", "-g")).not.toContain("agtmux");
  });

  it("says it at once where somebody is there, and works once the command has come", async () => {
    writeFileSync(conf, "");
    tmux("new-session", "-d", "-s", "base", "-x", "120", "-y", "30", "exec cat");
    const client = await attach();
    writeFileSync(conf, `run-shell '"${PLUGIN}" >/dev/null 2>&1'\n`);
    reload();
    await expect.poll(client.screen, LIMIT).toContain(MISSING);
    installCommand();
    reload();
    expect(keyOf("a")).toContain("agtmux pick");
  });
});

import { expect, it } from "vitest";
import { sshTerminalCommand } from "./sshConfig.ts";

it("puts the alias where ssh cannot take it for an option, and the words into one that no shell takes apart", () => {
  const argv = ["/usr/bin/tmux", "-S", "/tmp/it's $(id)", ";"];
  const command = sshTerminalCommand({ alias: "me@vm", configFile: null }, argv);
  expect(command.slice(0, -1)).toEqual(["ssh", "-t", "--", "me@vm"]);
  expect(command.at(-1)).toMatch(/^exec \/bin\/sh -c 'eval "\$\(printf %b "\$1"\)"' sh '[^'!]*'$/);
  expect(command.at(-1)).not.toContain("it's");
  expect(sshTerminalCommand({ alias: "vm", configFile: "/a b/config" }, ["x"]).slice(0, 3)).toEqual([
    "ssh",
    "-F",
    "/a b/config",
  ]);
});

it.each(["-oProxyCommand=id", "a b", "$(id)", ""])("refuses the alias %j", (alias) => {
  expect(() => sshTerminalCommand({ alias, configFile: null }, ["x"])).toThrow(/cannot be used/);
});

// The picker on another machine, in a terminal of a real SSH connection.
import { afterEach, expect, it, vi } from "vitest";
import { setTimeout as wait } from "node:timers/promises";
import { openPicker, READING, type OpenPicker } from "../picker/pickerHarness.ts";
import { someAgents } from "../picker/pickerPanes.ts";
import { createSshServer, type SshServer } from "./sshServer.ts";

let server: SshServer;
let picker: OpenPicker;
afterEach(async () => {
  await picker.close();
  await server.close();
});

it("draws in colours, follows the size of the terminal, and answers with one key", async () => {
  server = await createSshServer();
  const quoted = (words: string): string => `'${words.replaceAll("'", `'\\''`)}'`;
  picker = await openPicker({
    panes: someAgents(),
    columns: 80,
    over: (command) => `ssh -tt -F ${server.configFile} ${server.alias} ${quoted(command)}`,
  });
  await picker.shows("npm run migrate");
  expect(await picker.styled()).toMatch(/\[[\d;]*3[1-6]m/);
  await picker.resize(140, 40);
  await picker.shows("│");
  await picker.resize(60, 20);
  await picker.showsNot("│");

  await picker.shows("npm run migrate");
  await wait(READING);
  await picker.type("a");
  await vi.waitFor(() =>
    expect(picker.asked("answer")).toMatchObject([
      { choice: { kind: "approve" }, guards: { ifPrompt: "print-12" } },
    ]),
  );
  await picker.type("q");
  await picker.shows("status 0");
});

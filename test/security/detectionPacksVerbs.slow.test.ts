// Detection packs as a person has them: the real command line, a real daemon process on real tmux, and an agent whose new screen the
// program does not know. The releases are a server of this test on loopback; nothing else is asked for anything.
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import * as z from "zod";
import { writePack, type PackContent } from "../../adapters/packs/packFile.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { openCommandLine, type CommandLine } from "../harness/commandLine.ts";
import { connectOnceUp, startDaemonProcess, type DaemonProcess } from "../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

const LIMIT_MS = 120_000;
const WAIT_MS = 20_000;
const AGENT = "@anthropic-ai/claude-code/cli.mjs";
const { publicKey, privateKey } = generateKeyPairSync("ed25519");

const SPINNER = {
  name: "new spinner",
  pattern: "^Cogitating deeply$",
  lines: 3,
  state: "running",
  reason: "tool",
  steady: true,
};
const packOf = (version: string, more: object = {}): Buffer => {
  const content: PackContent = {
    format: 1,
    agent_type: "claude",
    made_at: "2026-11-29T10:00:00.000Z",
    driven_with: ["9.9.9"],
    rules: { extends: "claude", version, screens: [SPINNER], ...more },
    recordings: [
      {
        name: "running",
        state: "running",
        also: [],
        columns: 100,
        rows: 30,
        title: "",
        is_alternate: false,
        cursor: null,
        screen: "hello\n\nCogitating deeply",
      },
    ],
  };
  return writePack(content, privateKey);
};

let root: string;
let home: string;
let tmux: PrivateTmux;
let daemon: DaemonProcess;
let cli: CommandLine;
/** What the releases answer, and what they were asked for. */
let answer: RequestListener = (_request, response) => response.writeHead(404).end();
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? "");
  answer(request, response);
});
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-p-"));
  home = join(root, "a");
  mkdirSync(join(home, "packs"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "packs/key.pem"), publicKey.export({ type: "spki", format: "pem" }), {
    mode: 0o600,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const releases = `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases`;
  tmux = createPrivateTmux();
  await tmux.newSession("base");
  const script = join(root, AGENT);
  mkdirSync(join(script, ".."), { recursive: true });
  writeFileSync(script, `console.log("hello\\n\\nCogitating deeply"); setTimeout(() => {}, 600_000);`);
  daemon = startDaemonProcess({
    home,
    env: { HOME: join(root, "h"), AGTMUX_TMUX_SOCKETS: tmux.socketPath, TMUX_TMPDIR: root },
  });
  (await connectOnceUp(home)).close();
  cli = openCommandLine(home, { AGTMUX_RELEASES: releases });
  await tmux.run("new-window", "-d", "-t", "base:", `'${process.execPath}' '${script}'`);
}, LIMIT_MS);
afterAll(async () => {
  await cli.close();
  await daemon.stop();
  await tmux.close();
  server.closeAllConnections();
  server.close();
  await rm(root, { recursive: true, force: true });
}, LIMIT_MS);

const fileWith = (name: string, bytes: Uint8Array): string => {
  writeFileSync(join(root, name), bytes);
  return join(root, name);
};
const listSchema = z.object({
  items: z.array(z.object({ agent: z.string().nullable(), state: z.string().nullable() })),
});
const untilState = (state: string, limitMs = WAIT_MS) =>
  vi.waitFor(
    async () => {
      const { stdout } = await cli.run(["list", "panes", "--json"]);
      expect(listSchema.parse(JSON.parse(stdout)).items).toMatchObject([{ agent: "claude", state }]);
    },
    { timeout: limitMs, interval: 200 },
  );
const shownSchema = z.object({
  items: z.array(
    z.object({ version: z.string().nullable(), answers: z.array(z.string()), answers_approved: z.boolean() }),
  ),
});
const shown = async () => {
  const { stdout } = await cli.run(["adapters", "show", "claude", "--json"]);
  return shownSchema.parse(JSON.parse(stdout)).items[0];
};

it(
  "a pack from a file cures what a row says without a restart, and a rollback takes it back",
  { timeout: LIMIT_MS },
  async () => {
    await untilState("unknown");
    const file = fileWith("one.agtmux-pack", packOf("1.0.1"));
    const look = await cli.run(["adapters", "show", "--file", file]);
    expect(look.stdout).toContain("What it changes:");
    expect(look.stdout).toContain('reads: "new spinner": running (tool, medium confidence)');
    expect((await shown())?.version).toBeNull();

    const taken = await cli.run(["adapters", "update", "--file", file]);
    expect([taken.code, taken.stderr]).toEqual([0, ""]);
    expect(taken.stdout).toContain("In force for claude: 1.0.1, here and for machines behind SSH.");
    await untilState("running");
    expect((await cli.run(["adapters", "list"])).stdout).toMatch(/claude .*built-in, pack 1\.0\.1/);
    expect((await cli.run(["adapters", "update", "--file", file])).stdout).toBe(
      "Nothing newer for claude.\n",
    );

    const broken = packOf("1.0.2");
    broken[broken.length - 9] = 0;
    const refused = await cli.run(["adapters", "update", "--file", fileWith("broken.agtmux-pack", broken)]);
    expect([refused.code, refused.stdout]).toEqual([28, ""]);
    expect(refused.stderr).toMatch(/signature does not hold.*\[E_PACK_REFUSED\].*what is in force stays/);
    const older = await cli.run([
      "adapters",
      "update",
      "--file",
      fileWith("old.agtmux-pack", packOf("0.9.0")),
    ]);
    expect([older.code, older.stderr]).toEqual([28, expect.stringContaining("1.0.1 is in force")]);
    expect((await shown())?.version).toBe("1.0.1");

    const back = await cli.run(["adapters", "rollback", "claude"]);
    expect(back.stdout).toContain("the program's own rules (1.0.0)");
    // What was read of a turn counts for 45 s without being seen again.
    await untilState("unknown", 60_000);
    expect((await cli.run(["adapters", "rollback", "claude"])).code).toBe(28);
    expect(asked).toEqual([]);
  },
);

it(
  "the releases are asked only when that was said, and whatever they answer is bounded",
  { timeout: LIMIT_MS },
  async () => {
    const update = (...more: string[]) => cli.run(["adapters", "update", ...more, "--from-release"]);
    expect((await update("claude")).stdout).toBe("Nothing newer for claude.\n");
    expect(asked.splice(0)).toEqual(["/releases/download/packs/claude.agtmux-pack"]);

    const attacks: Record<string, RequestListener> = {
      "the server answered 500": (_request, response) => response.writeHead(500).end(),
      "an address that isn't encrypted": (_request, response) =>
        response.writeHead(302, { location: "http://releases.invalid/x" }).end(),
      "it leads on and on": ({ url = "" }, response) => response.writeHead(302, { location: url }).end(),
      "it leads to an address": (_request, response) =>
        response.writeHead(302, { location: "http://[" }).end(),
      "it is larger than": (_request, response) => {
        response.writeHead(200);
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
          if (!response.destroyed) response.once("drain", more);
        };
        more();
      },
      "not a detection pack": (_request, response) => response.end("<html>"),
      "cannot be fetched": (_request, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write("agtmux-pack 1\n", () => response.destroy());
      },
    };
    for (const [why, attack] of Object.entries(attacks)) {
      answer = attack;
      const { code, stderr } = await update("claude");
      expect([code, stderr]).toEqual([
        why === "not a detection pack" ? 28 : 15,
        expect.stringContaining(why),
      ]);
    }
    expect((await shown())?.version).toBeNull();

    // One whose pack is bad keeps no other from its cure.
    answer = ({ url = "" }, response) => {
      if (url.includes("/claude.")) response.end(packOf("1.0.3"));
      else if (url.includes("/codex.")) response.end("nonsense");
      else response.writeHead(404).end();
    };
    const all = await update();
    expect(all.code).toBe(28);
    expect(all.stdout).toContain("In force for claude: 1.0.3");
    expect(all.stdout).toContain("Refused for codex: this is not a detection pack, or it is not signed.");
    expect((await shown())?.version).toBe("1.0.3");
    expect((await cli.run(["adapters", "update", "nobody", "--from-release"])).code).toBe(2);
    expect((await cli.run(["adapters", "update"])).code).toBe(2);
  },
);

const ANSWERS = { keys: { deny: ["n"], approve: ["y"] } };

it(
  "its answers count once a person has allowed them at a terminal, and no agent can",
  { timeout: LIMIT_MS },
  async () => {
    const bytes = packOf("1.1.0", ANSWERS);
    const file = fileWith("answers.agtmux-pack", bytes);
    const silent = await cli.run(["adapters", "update", "--file", file]);
    expect(silent.stdout).toContain(
      "What it would also answer:\n    approving presses y\n    denying presses n",
    );
    expect(silent.stdout).toContain("Its answers have no effect.");
    expect(await shown()).toMatchObject({ version: "1.1.0", answers_approved: false });

    // As an agent would: over the socket, in the words of the command line.
    const said = join(root, "said");
    const script = join(root, "attack", AGENT);
    mkdirSync(join(script, ".."), { recursive: true });
    const from = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
    writeFileSync(
      script,
      `import { createHash } from "node:crypto"; import { readFileSync, renameSync, writeFileSync } from "node:fs";
     const { connectSocket } = await import(${from("../../core/rpc/socketClient.ts")});
     const { runtimePaths } = await import(${from("../../core/rpc/paths.ts")});
     const paths = runtimePaths(${JSON.stringify(home)});
     const bytes = readFileSync(${JSON.stringify(file)});
     const hash = createHash("sha256").update(bytes).digest("hex");
     writeFileSync(paths.packsDir + "/incoming/" + hash, bytes);
     const client = await connectSocket({ paths, version: "test", checkVersion: false, helloTimeoutMs: 10000 });
     const what = await client.forward("packTake", "mutation", { hash, approvesAnswers: true }).then(() => "taken", (error) => error.message);
     writeFileSync(${JSON.stringify(`${said}.tmp`)}, what); renameSync(${JSON.stringify(`${said}.tmp`)}, ${JSON.stringify(said)});
     client.close();`,
    );
    await tmux.run("new-window", "-d", "-t", "base:", `'${process.execPath}' '${script}'`);
    const { readFileSync } = await import("node:fs");
    await vi.waitFor(() => expect(readFileSync(said, "utf8")).toContain("can't allow what a pack answers"), {
      timeout: WAIT_MS,
      interval: 100,
    });
    expect(await shown()).toMatchObject({ version: "1.1.0", answers_approved: false });

    const ask = async (key: string): Promise<string> => {
      const environment = `AGTMUX_HOME='${runtimePaths(home).home}' AGTMUX_NO_START=1 NO_COLOR=1`;
      const command = `${environment} '${process.execPath}' '${CLI_ENTRY}' adapters update --file '${file}'; echo "ended with $?"; exec cat`;
      const paneId = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "base:", command);
      const screen = () => tmux.run("capture-pane", "-p", "-J", "-t", paneId);
      const shows = (text: string) =>
        vi.waitFor(async () => expect(await screen()).toContain(text), { timeout: WAIT_MS, interval: 100 });
      await shows("[y/N]");
      await tmux.run("send-keys", "-t", paneId, ...key.split(" "));
      await shows("ended with ");
      return screen();
    };
    expect(await ask("C-c")).toContain("Nothing was taken.\nended with 130");
    expect(await ask("Enter")).toContain("ended with 0");
    expect(await shown()).toMatchObject({ answers_approved: false });
    expect(await ask("y Enter")).toContain("ended with 0");
    expect(await shown()).toMatchObject({ version: "1.1.0", answers_approved: true });
    expect((await cli.run(["adapters", "update", "--file", file])).stdout).toBe(
      "Nothing newer for claude.\n",
    );
  },
);

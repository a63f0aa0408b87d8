// Who may arm a rule, on a real daemon and its socket: what an agent runs, under whatever name and with whatever it says of itself,
// arms nothing; a process of the person does. Agents are scripts that look like Claude Code in the list of processes.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { serveDaemon } from "../harness/commandLine.ts";
import { until } from "../setup/realClock.ts";

const LIMIT_MS = 60_000;
const WAIT_MS = 20_000;
const CLIENT = fileURLToPath(new URL("../../core/rpc/socketClient.ts", import.meta.url));
const PATHS = fileURLToPath(new URL("../../core/rpc/paths.ts", import.meta.url));
const RULE = { name: "look", when: { commands: [["git", "status"]] }, then: "approve" };

let harness: Harness;
let stopServing: () => Promise<void>;
beforeAll(async () => {
  harness = await openHarness();
  stopServing = await serveDaemon(harness.daemon);
  writeFileSync(join(harness.daemon.paths.home, "rules.json"), JSON.stringify({ rules: [RULE] }), {
    mode: 0o600,
  });
}, LIMIT_MS);
afterAll(async () => {
  await stopServing();
  await harness.close();
}, LIMIT_MS);

const shape = z.object({ items: z.array(z.object({ hash: z.string(), mode: z.string() })) });
const call = async (name: string, input: object): Promise<unknown> => {
  const api: unknown = harness.daemon.daemon.router.createCaller({});
  const [feature = "", call = ""] = name.split(".");
  return (api as Record<string, Record<string, (given: object) => Promise<unknown>>>)[feature]?.[call]?.(
    input,
  );
};
const look = async () => shape.parse(await call("automation.rules", {})).items[0];
beforeEach(() => call("automation.ruleDisarm", { name: "look", surface: "test" }));

/** Arms as the command line does. */
const asWeDo = (hash: string, home: string): string => `
  const { connectSocket } = await import(${JSON.stringify(CLIENT)});
  const { runtimePaths } = await import(${JSON.stringify(PATHS)});
  const client = await connectSocket({ paths: runtimePaths(${JSON.stringify(home)}), version: "0.1.0", checkVersion: false, helloTimeoutMs: 10000 });
  try {
    await client.forward("automation.ruleArm", "mutation", { name: "look", hash: ${JSON.stringify(hash)}, pid: 1, surface: "cli" });
    say("armed");
  } catch (error) { say(error.message); }
  client.close();`;
/** Arms over the socket in its own words; \`header\`: an expression. */
const byHand = (hash: string, home: string, header: string): string => `
  const { request } = await import("node:http");
  const { createServer } = await import("node:net");
  const home = ${JSON.stringify(home)};
  const headers = { "content-type": "application/json", ...(${header}) };
  const body = JSON.stringify({ name: "look", hash: ${JSON.stringify(hash)}, pid: 1, surface: "popover" });
  const outgoing = request({ socketPath: home + "/agtmuxd.sock", method: "POST", path: "/automation.ruleArm", headers });
  outgoing.on("response", async (response) => {
    let text = "";
    for await (const part of response) text += part;
    say(JSON.parse(text).error?.message ?? "armed");
    process.exit();
  });
  outgoing.end(body);`;

let count = 0;
/** What a script says, run in a tmux of its own, as what its path looks like. */
const run = async (body: string, path: string, more: { child?: string } = {}): Promise<string> => {
  const folder = join(harness.tmux.folder, `who-${(count += 1)}`);
  const script = join(folder, path);
  const said = join(folder, "said");
  mkdirSync(join(script, ".."), { recursive: true });
  const head = `const say = (text) => (require("node:fs").writeFileSync(${JSON.stringify(`${said}.tmp`)}, text), require("node:fs").renameSync(${JSON.stringify(`${said}.tmp`)}, ${JSON.stringify(said)}));`;
  const main = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url); ${head}\n`;
  if (more.child === undefined) writeFileSync(script, main + body);
  else {
    const child = join(folder, more.child);
    mkdirSync(join(child, ".."), { recursive: true });
    writeFileSync(child, main + body);
    writeFileSync(
      script,
      `import { spawn } from "node:child_process"; spawn(process.execPath, [${JSON.stringify(child)}], { stdio: "inherit" });`,
    );
  }
  await harness.tmux.run("new-window", "-d", "-t", "base:", `'${process.execPath}' '${script}'`);
  const read = (): string => {
    try {
      return readFileSync(said, "utf8");
    } catch {
      return "";
    }
  };
  await until(() => read() !== "", "it said what came of it", WAIT_MS);
  return read();
};

const AGENT = "@anthropic-ai/claude-code/cli.mjs";

it("an agent arms nothing, whatever it says of itself", { timeout: LIMIT_MS }, async () => {
  const { hash = "" } = (await look()) ?? {};
  const { home } = harness.daemon.paths;
  const attacks: Record<string, () => Promise<string>> = {
    "the pid of another process, in its own words": () => run(byHand(hash, home, "{}"), AGENT),
    "a proof that is none": () => run(byHand(hash, home, `{ "agtmux-caller": "../x.sk 00" }`), AGENT),
    "a proof at the daemon's own socket": () =>
      run(byHand(hash, home, `{ "agtmux-caller": "agtmuxd.sock " + "0".repeat(32) }`), AGENT),
    "a proof that nobody holds": () =>
      run(byHand(hash, home, `{ "agtmux-caller": "00000000.sk " + "0".repeat(32) }`), AGENT),
    "a proof of its own": () =>
      run(
        byHand(
          hash,
          home,
          `(createServer((socket) => socket.once("data", () => socket.end("mine"))).listen(home + "/0000000a.sk"), await new Promise((done) => setTimeout(done, 200)), { "agtmux-caller": "0000000a.sk " + "0".repeat(32) })`,
        ),
        AGENT,
      ),
    "as the command line does": () => run(asWeDo(hash, home), AGENT),
    "by a script that it runs": () => run(asWeDo(hash, home), AGENT, { child: "helper.mjs" }),
    "by what runs it": () =>
      run(
        `const { spawn } = await import("node:child_process"); const { mkdirSync, writeFileSync } = await import("node:fs");
         const agent = ${JSON.stringify(join(harness.tmux.folder, "below", AGENT))};
         mkdirSync(agent.slice(0, agent.lastIndexOf("/")), { recursive: true });
         writeFileSync(agent, "setTimeout(() => {}, 20000)");
         const child = spawn(process.execPath, [agent], { stdio: "ignore" });
         await new Promise((done) => setTimeout(done, 300)); process.on("exit", () => child.kill());
         ${asWeDo(hash, home)} process.exit();`,
        "orchestrate.mjs",
      ),
  };
  const said = await Promise.all(
    Object.entries(attacks).map(async ([name, attack]): Promise<[string, string]> => [name, await attack()]),
  );
  expect(
    said
      .filter(([, what]) => !/^Claude Code asks for this.*nothing was armed$/.test(what))
      .map(([name]) => name),
  ).toEqual(Object.keys(attacks).slice(0, 4));
  for (const [name, what] of said.slice(0, 4))
    expect(what, name).toMatch(/can't tell who asks.*nothing was armed/);
  expect(await look()).toMatchObject({ mode: "shadow" });
});

it("a process of the person does", { timeout: LIMIT_MS }, async () => {
  const { hash = "" } = (await look()) ?? {};
  expect(await run(asWeDo(hash, harness.daemon.paths.home), "mine.mjs")).toBe("armed");
  expect(await look()).toMatchObject({ mode: "armed" });
});

// `npm run live:print`: asks real agents without a pane, by the product's own arguments, against the scripted model in a network of
// its own: once, once more in the same conversation, and, where the agent can, in a copy of it and of its last one. `-- --agents codex,pi` (all), `--record` keeps what they printed in
// test/fixtures/print. Fails where an answer is not the one that the model gave. The agents come from the cache of `npm run live`.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { askBackend, buildPrompt } from "../../features/documents/agents/printBackend.ts";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { closeRunRoot, openRunRoot } from "../setup/runRoot.ts";
import { LIVE_AGENTS } from "./agents/index.ts";
import { cacheFolder, findInstalled } from "./install/cache.ts";
import { openLoopback } from "./rig/loopback.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures", "print");
const registry = createAdapterRegistry();
const printing = registry.list().filter(({ printMode }) => printMode !== undefined);
const { values } = parseArgs({
  options: {
    agents: { type: "string", default: printing.map(({ agentType }) => agentType).join(",") },
    record: { type: "boolean", default: false },
  },
});

const faults: string[] = [];
for (const id of values.agents.split(",")) {
  const agent = Object.values(LIVE_AGENTS).find((one) => one.id === id);
  const backend = registry.byAgentType(id)?.printMode;
  if (agent === undefined || backend === undefined) throw new Error(`no agent '${id}'`);
  const installed = findInstalled(cacheFolder(), agent, agent.main.version);
  if (installed === null) {
    faults.push(`${id} ${agent.main.version} is not installed: npm run live -- install`);
    continue;
  }
  const root = openRunRoot();
  const loopback = await openLoopback(join(root, "model.jsonl"), root);
  try {
    const home = join(root, "home");
    const project = join(home, "project");
    mkdirSync(project, { recursive: true });
    execFileSync("git", ["init", "-q", project]);
    const place = { home, project, modelUrl: loopback.modelUrl, isTrusted: true, folder: installed.folder };
    await agent.configure(place);
    const env = {
      HOME: home,
      PATH: [...installed.programs, dirname(process.execPath), "/usr/local/bin:/usr/bin:/bin"].join(":"),
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      ...agent.environment(place),
    };
    let session: string | null = null;
    const questions = [
      { name: "first", says: "over the bridge", isFork: false },
      { name: "second", says: "and then left", isFork: false },
      ...(backend.forks === "none" ? [] : [{ name: "copy", says: "or right", isFork: true }]),
      ...(backend.forks === "last too" ? [{ name: "copy of the last", says: "or back", isFork: true }] : []),
    ];
    for (const { name, says, isFork } of questions) {
      const known = name === "copy of the last" ? null : session;
      const document = `# Plan\n\nSAY ${says}\n`;
      const prompt = buildPrompt({
        document,
        diff: known === null ? null : `+SAY ${says}\n`,
        format: "inline",
      });
      let printed = "";
      const inside = loopback.inside("env", backend.command);
      const asked = {
        ...backend,
        command: inside[0] ?? "",
        argv: (question: Parameters<typeof backend.argv>[0]) => [
          ...inside.slice(1),
          ...backend.argv(question),
        ],
        parse: (stdout: string) => backend.parse((printed = stdout)),
      };
      const at = performance.now();
      try {
        const answer = await askBackend(
          asked,
          { prompt, session: known, isFork, model: null, acceptsEdits: true },
          { cwd: project, env, signal: AbortSignal.timeout(120_000) },
        );
        const isSame = isFork ? answer.session !== session : known === null || answer.session === session;
        const isGood = answer.text.includes(says) && answer.session !== null && isSame;
        if (!isGood) faults.push(`${id}, ${name}: ${JSON.stringify(answer)}`);
        console.log(
          `${id} ${agent.main.version}, ${name}: ${Math.round(performance.now() - at)} ms, ${JSON.stringify(answer)}`,
        );
        session = answer.session;
      } catch (error) {
        faults.push(`${id}, ${name}: ${String(error)}`);
        console.log(printed.slice(0, 2_000));
      }
      if (values.record && printed !== "" && !isFork) {
        mkdirSync(FIXTURES, { recursive: true });
        writeFileSync(
          join(FIXTURES, `${id}-${name}.txt`),
          printed.replaceAll(root, "/home/dev").replaceAll(cacheFolder(), "/home/dev/agents"),
        );
      }
    }
  } finally {
    await loopback.close();
    closeRunRoot(root);
  }
}
for (const fault of faults) console.log(`✗ ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);

// `npm run dev`: the popover in a browser with hot reload, on made-up agents that work, ask and end: no daemon, no tmux, no
// build. `--port N` takes another port. The desktop app and real agents: `npm start`.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { changeRow } from "../bench/popover/rows.ts";
import { startDevServer } from "../e2e/launchers/devServer.ts";
import { askingScene, mixedScene, mixedTargets, refundsExplanation, SCREEN } from "../e2e/scenes/scenes.ts";
import { FakeDaemon } from "../test/fakes/fakeDaemon.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "5173" } } });

const STEP_MS = 2_500;

const now = Date.now();
const panes = [...mixedScene(now), ...askingScene(now)];
const daemon = new FakeDaemon(panes);
daemon.setTargets(mixedTargets());
for (const pane of panes) {
  daemon.outputs.set(pane.identity.pane_ref, { screen: SCREEN });
  daemon.explanations.set(pane.identity.pane_ref, refundsExplanation(now, pane));
}

// Agents that ask go on asking, so that answers can be tried; the others change in turn.
const working = panes.filter(({ state }) => state === "running" || state === "idle");
let turn = 0;
setInterval(() => {
  const pane = working[turn % working.length];
  if (pane !== undefined) daemon.put(changeRow(pane, turn));
  turn += 1;
}, STEP_MS);

const server = await startDevServer({
  root: join(import.meta.dirname, ".."),
  daemon,
  port: Number(values.port),
});
console.log(`The popover: ${server.url}`);

// `npm run kills:queue`: many killed daemons, each with the queues of several agents at work, several at once. Prints what has become
// of the texts, and fails where one was lost or came twice. `--kills N` (1,000), `--lanes N` at once (3), `--minutes N` ends it after
// about so long; the same command goes on where it stopped, and `--again` begins from nothing.
import { parseArgs } from "node:util";
import * as z from "zod";
import { bundleDaemon } from "../../faults/bundledDaemon.ts";
import { describeRun, openLongRun } from "../../setup/longRun.ts";
import { killQueue } from "./killQueue.ts";

/** Kills of one home and one tmux server, after which all texts are looked up. */
const BATCH = 25;
const AGENTS = 6;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    lanes: { type: "string", default: "3" },
    minutes: { type: "string", default: "0" },
    again: { type: "boolean", default: false },
  },
});
const wanted = Number(values.kills);
const progress = openLongRun({
  name: "kills-queue",
  asked: { wanted, BATCH, AGENTS },
  schema: z.object({
    kills: z.number(),
    armed: z.number(),
    sent: z.number(),
    unverified: z.number(),
    faults: z.array(z.string()),
  }),
  begin: () => ({ kills: 0, armed: 0, sent: 0, unverified: 0, faults: [] }),
  isFresh: values.again,
  minutes: Number(values.minutes),
});
const { state: found } = progress;
const main = await bundleDaemon();
let begun = found.kills;

const runLane = async (): Promise<void> => {
  while (begun < wanted && !progress.isOver()) {
    const kills = Math.min(BATCH, wanted - begun);
    begun += kills;
    const report = await killQueue({ main, kills, agents: AGENTS });
    found.kills += report.kills;
    found.armed += report.armed;
    found.sent += report.sent;
    found.unverified += report.unverified;
    found.faults.push(...report.faults);
    progress.save();
    console.error(`${found.kills} of ${wanted} kills, ${found.faults.length} faults`);
  }
};
const ends = await Promise.allSettled(Array.from({ length: Number(values.lanes) }, runLane));
progress.save();

console.log(`# Killed daemons\n\n${describeRun()}\n\n${progress.describe()}\n`);
console.log(
  `${found.kills} of ${wanted} kills; ${found.armed} texts armed, ${found.sent} arrived once, ${found.unverified} told as unverified, ${found.faults.length} lost or doubled.`,
);
for (const fault of found.faults) console.log(`WRONG ${fault}`);
process.exitCode = found.faults.length === 0 ? 0 : 1;
// A lane that broke is told once the others have ended.
for (const end of ends) if (end.status === "rejected") throw end.reason;

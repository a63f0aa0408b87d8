// Whether a pack is to be believed: each of its recordings is read as its label says by the program with the pack's rules, each rule
// is shown by one of them, and on no recording of another agent does a rule see a wait. Between two screens the event loop goes on.
import { setImmediate } from "node:timers/promises";
import { isWaiting } from "../../core/model/state.ts";
import type { AgentAdapter, Reading } from "../../core/ports/agentAdapter.ts";
import type { Logger } from "../../core/ports/logger.ts";
import type { Deadline } from "../../core/pattern/pattern.ts";
import { createScreenRules } from "../declarative/screenRules.ts";
import { refused, screenOf, type DetectionPack, type PackRecording } from "./packFile.ts";
import { packedAdapter } from "./packedAdapter.ts";

/** How many of what is wrong are named. */
const MAX_NAMED = 5;

const named = (problems: readonly string[]): string[] =>
  problems.length <= MAX_NAMED
    ? [...problems]
    : [...problems.slice(0, MAX_NAMED), `and ${problems.length - MAX_NAMED} more`];

/** Null: read as labelled. */
const problemOf = ({ name, state, also }: PackRecording, reading: Reading | null): string | null => {
  const seen = reading?.status.state ?? "unknown";
  if (seen !== state && !also.includes(seen)) return `${name}: it shows ${state} and is read as ${seen}`;
  if (isWaiting(seen) && reading?.request === null) return `${name}: what it asks is not read`;
  return null;
};

/**
 * `others`: recordings of other agents, as far as there are any.
 * @throws AgtmuxError E_PACK_REFUSED, which names recordings and rules.
 */
export const checkPack = async (
  pack: DetectionPack,
  {
    base,
    others,
    deadline,
    logger,
  }: {
    base: AgentAdapter;
    others: readonly { agentType: string; recordings: readonly PackRecording[] }[];
    deadline: Deadline;
    logger: Logger;
  },
): Promise<void> => {
  const { content, rules: file } = pack;
  const context = { name: `the pack of ${content.agent_type}`, deadline, logger };
  // A pack may neither need the approval of its answers in order to read, nor read anything else once it has that.
  const read = [false, true].map((isApproved) => packedAdapter(base, { pack, isApproved }, context));
  const rules = createScreenRules(file, deadline, () => {});
  const problems: string[] = [];
  const shown = new Set<string>();
  for (const recording of content.recordings) {
    await setImmediate();
    const screen = screenOf(recording);
    for (const { rule } of rules.trace(screen)) shown.add(rule);
    const found = read.map((adapter) => problemOf(recording, adapter.readScreen(screen)));
    problems.push(...found.filter((one) => one !== null).slice(0, 1));
  }
  if (rules.isGivenUp()) throw refused("its rules are too slow on its own recordings");
  if (problems.length > 0)
    throw refused(
      `${problems.length} of its ${content.recordings.length} recordings ${problems.length === 1 ? "is" : "are"} read otherwise than it says`,
      {
        remedy: "It may be made for another version of agtmux: update agtmux. What is in force stays.",
        details: named(problems),
      },
    );
  const unshown = rules.names.filter((name) => !shown.has(name));
  if (unshown.length > 0)
    throw refused("it has rules that none of its recordings shows", { details: named(unshown) });

  const invented: string[] = [];
  for (const { agentType, recordings } of others)
    for (const recording of recordings) {
      if (isWaiting(recording.state)) continue;
      await setImmediate();
      const reading = rules.read(screenOf(recording));
      if (reading !== null && isWaiting(reading.status.state))
        invented.push(`${agentType}, ${recording.name}: nobody is asked there`);
    }
  if (invented.length > 0)
    throw refused("its rules see requests on screens of other agents", { details: named(invented) });
};

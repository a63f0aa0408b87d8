// What a detection pack of an agent in the tree holds: its recordings with their labels, and a cure where there is one.
// `npm run adapter:packs` and tests make packs of it. Reads fixtures only.
import { existsSync } from "node:fs";
import * as z from "zod";
import { canonicalStateSchema } from "../../core/model/state.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { PackContent, PackRecording } from "../packs/packFile.ts";
import { fixtureFolder, labelsOf, listFrames, loadRecording, type Label } from "./recordings.ts";

const statesOf = ({ also = [] }: Label): PackRecording["also"] =>
  also.map((state) => canonicalStateSchema.parse(state));

/** Of all frames on which the agent runs, recorded and made by hand from documents. */
const recordingsOf = (agentType: string): PackRecording[] =>
  ["recordings", "variants"].flatMap((kind) => {
    const folder = fixtureFolder(agentType, kind);
    if (!existsSync(folder)) return [];
    const labels = labelsOf(kind);
    return listFrames(folder).flatMap((name): PackRecording[] => {
      const label = labels[`${agentType}/${name}`];
      if (label === undefined || label.state === "none") return [];
      const { text, title, isAlternate, width, height, cursor } = loadRecording(folder, name);
      return [
        {
          name: kind === "recordings" ? name : `${kind}.${name}`,
          state: canonicalStateSchema.parse(label.state),
          also: statesOf(label),
          columns: width,
          rows: height,
          title,
          is_alternate: isAlternate,
          cursor: cursor === undefined ? null : { x: cursor.x, y: cursor.y, is_visible: cursor.isVisible },
          screen: text,
        },
      ];
    });
  });

/** Rules as an adapter file that extends the agent has them, and the versions of the agent that need them. */
const cureSchema = z.looseObject({ driven_with: z.array(z.string()).default([]) });

/**
 * Null for an agent that nobody recorded. `madeAt`: ISO 8601. `cure` null: the pack says what this program reads by itself.
 */
export const packContentOf = (
  { agentType, version, recordedVersions }: AgentAdapter,
  { madeAt, cure }: { madeAt: string; cure: unknown },
): PackContent | null => {
  const { driven_with: curedVersions, ...rules } = cureSchema.parse(cure ?? { extends: agentType, version });
  const drivenWith = [...new Set([...curedVersions, ...recordedVersions])];
  const recordings = recordingsOf(agentType);
  if (recordings.length === 0 || drivenWith.length === 0) return null;
  return { format: 1, agent_type: agentType, made_at: madeAt, driven_with: drivenWith, rules, recordings };
};

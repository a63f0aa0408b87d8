// `agtmux doc focus|resync`: going to the pane of a document, and forgetting panes that are gone. tmux is only asked, and told which
// pane to select.
import { changeRegistry, readRegistry, withoutEntries } from "../../features/documents/files/registry.ts";
import type { TmuxCommand } from "../../features/documents/model/layoutPlan.ts";
import type { CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";
import { claimedPane, createPaneLook, currentProject, dead, findPane } from "./claims.ts";
import { changeTmux, checkPaneId, type TmuxPane } from "./tmux.ts";

export const selecting = (pane: string): TmuxCommand[] => [
  ["select-window", "-t", pane],
  ["select-pane", "-t", pane],
];

export const focusPane = (
  context: CliContext,
  { life, pane }: Pick<TmuxPane, "life" | "pane">,
): Promise<void> => changeTmux(context, life, selecting(pane));

export const runFocus = async (
  context: CliContext,
  file: string,
  options: { pane?: string },
): Promise<void> => {
  const look = createPaneLook(context);
  if (options.pane === undefined) return focusPane(context, (await claimedPane(look, file)).live);
  const wanted = checkPaneId(options.pane);
  const found = (await look.at(look.here)).find(({ pane }) => pane === wanted);
  if (found === undefined) throw dead(wanted, "there is no such pane");
  return focusPane(context, found);
};

export const runResync = async (context: CliContext): Promise<void> => {
  const project = await currentProject();
  const look = createPaneLook(context);
  const registry = await readRegistry(project, look.home);
  const lines: string[] = [];
  const gone: string[] = [];
  for (const [id, { file, pane }] of Object.entries(registry.entries)) {
    const found = await findPane(look, registry, id);
    if (!found.isAlive) gone.push(id);
    lines.push(found.isAlive ? `${file}: pane ${pane}` : `${file}: removed, ${found.reason}`);
  }
  if (gone.length > 0) await changeRegistry(project, look.home, (before) => withoutEntries(before, gone));
  context.print(lines.length === 0 ? "No document is claimed.\n" : `${lines.map(cleanLine).join("\n")}\n`);
};

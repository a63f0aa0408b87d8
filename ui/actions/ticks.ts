// What a person has ticked of a question that takes several answers, before it is sent: kept on the surface, by what is asked, so that
// another question never begins with the ticks of this one. Pure.
import type { PaneView } from "../../core/model/view.ts";

/** Numbers of the ticked options. */
export type Ticks = ReadonlyMap<string, ReadonlySet<number>>;

export const NO_TICKS: Ticks = new Map();

/** Questions that are remembered. */
const MAX_ASKED = 20;

const keyOf = ({ identity, prompt_fingerprint: asked }: PaneView): string =>
  `${identity.pane_ref} ${asked ?? ""}`;

/** Whether its options have boxes that can be ticked and sent from here. */
export const takesSeveral = ({ request }: PaneView): boolean =>
  request?.submit !== undefined && request.options.some(({ toggle }) => toggle !== undefined);

/** As the agent has them where nobody ticked any here. */
export const tickedOf = (ticks: Ticks, pane: PaneView): ReadonlySet<number> =>
  ticks.get(keyOf(pane)) ??
  new Set((pane.request?.options ?? []).flatMap(({ ticked }, index) => (ticked === true ? [index + 1] : [])));

export const withTick = (ticks: Ticks, pane: PaneView, number: number): Ticks => {
  const turned = new Set(tickedOf(ticks, pane));
  if (!turned.delete(number)) turned.add(number);
  const others = [...ticks].filter(([key]) => key !== keyOf(pane)).slice(1 - MAX_ASKED);
  return new Map([...others, [keyOf(pane), turned]]);
};

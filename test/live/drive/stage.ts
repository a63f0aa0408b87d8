// Holds what agtmux says against a state that the driver made. The fact is known by the agent's own screen or by the requests it
// sent; it has to hold before and after the look, or nothing was proved. Within the limit after the fact agtmux may be late;
// after it, everything that the feed showed counts, not only what a look happens to see.
import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { PaneView } from "../../../core/model/view.ts";
import type { Exchange } from "../model/modelLog.ts";
import { reasonBy, shownBy, type Sighting } from "../rig/liveFeed.ts";
import type { LivePane, Said } from "../rig/livePane.ts";
import type { Rig } from "../rig/openRig.ts";
import type { Stand } from "../rig/openStand.ts";
import type { Part, Shown, Step, Verdict } from "../results/result.ts";
import { judge } from "./judge.ts";

/** How long what was true before may stay. That it is less as a rule, and less with hooks, the latencies say. */
const LIMIT_MS = 2_000;
/** When the look is taken, after the fact. */
const LOOK_AFTER_MS = 3_000;

const FIRST_NUMBERS = 9_000;

/** The end of a wait: from the keys that answered it, and from when its dialog was gone. */
export interface Left {
  states: readonly Shown[];
  pressedAt: number;
  at: number;
}

export interface Check {
  step: string;
  states: readonly Shown[];
  /** When the fact was there. */
  since: number;
  /** When the driver did what led to it; the feed may be ahead of the screen. */
  causedAt: number;
  /** Whether the fact still holds. */
  holds: () => boolean | Promise<boolean>;
  left?: Left | null;
}

/** What a scenario needs that brings an agent into a state and says so; what becomes of it is up to whoever made it. */
export interface BareStage {
  readonly rig: Stand;
  readonly pane: LivePane;
  /** A number that no other step has, for prompts and files. */
  next(): number;
  check(check: Check): Promise<void>;
  /** The driver could not make the state. */
  undriven(step: string, states: readonly Shown[], why: string): Promise<void>;
  /** Something that was done rather than looked at. */
  did(step: string, isRight: boolean, detail: string): Promise<void>;
  /** The requests that the agent sent since the prompt was submitted. */
  since(at: number): Exchange[];
}

export interface Stage extends BareStage {
  readonly rig: Rig;
  /** The same for another pane of the rig. */
  on(pane: LivePane): Stage;
}

export interface StageOptions {
  rig: Rig;
  pane: LivePane;
  part: Part;
  attempt: string;
  /** Where wrong cases are kept. */
  keepFolder: string;
  note: (step: Step) => void;
}

const firstMs = (
  history: readonly Sighting[],
  from: number,
  since: number,
  fits: (shown: Shown) => boolean,
) => {
  const found = history.find(({ at, row }) => at >= from && fits(shownBy(row)));
  return found === undefined ? null : Math.max(0, found.at - since);
};

/** Everything that a person needs to see why a step is not right. */
const keep = async (
  { rig, pane, keepFolder }: StageOptions,
  step: string,
  row: PaneView | null,
  history: readonly Sighting[],
): Promise<string> => {
  const folder = join(keepFolder, step);
  mkdirSync(folder, { recursive: true });
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  write("screen.txt", await pane.screen());
  write("title.txt", await pane.show("#{pane_title}"));
  write("list.json", (await rig.product.list()).text);
  if (row !== null)
    write("explain.json", (await rig.product.run("explain", row.identity.pane_ref, "--json")).stdout);
  write("feed.jsonl", history.map((one) => `${JSON.stringify(one)}\n`).join(""));
  write("model.json", JSON.stringify(rig.exchanges().slice(-6), null, 2));
  return folder;
};

export const createStage = (options: StageOptions): Stage => {
  const { rig, pane, part, attempt, note } = options;
  // Another part may run at the same time: its commands must not be taken for ours.
  let count = randomInt(FIRST_NUMBERS);
  const base = { kind: "step", part, attempt } as const;
  const report = (step: Step): void => {
    note(step);
    const { verdict, step: name, shown, reason, detail, appearMs, leaveMs } = step;
    const times = [appearMs === null ? "" : `${appearMs} ms`, leaveMs === null ? "" : `left ${leaveMs} ms`];
    console.log(
      `  ${verdict.padEnd(8)} ${name.padEnd(18)} ${shown ?? ""}/${reason ?? ""} ${times.join(" ")} ${detail}`.trimEnd(),
    );
  };
  const empty = { shown: null, reason: null, appearMs: null, leaveMs: null, hasRequest: null, folder: null };

  const check: Stage["check"] = async ({ step, states, since, causedAt, holds, left = null }) => {
    await wait(Math.max(0, since + LOOK_AFTER_MS - Date.now()));
    const heldBefore = await holds();
    const row = await rig.product.row(pane.paneId);
    const until = Date.now();
    const didHold = heldBefore && (await holds());
    const history = rig.feed.from(pane.paneId, Math.min(causedAt, left?.pressedAt ?? causedAt));
    const { verdict, detail }: { verdict: Verdict; detail: string } = didHold
      ? judge({ states, since, limitMs: LIMIT_MS, row, until, history: rig.feed.from(pane.paneId, since) })
      : { verdict: "undriven", detail: "the agent left the state by itself" };
    report({
      ...base,
      step,
      truth: [...states],
      shown: shownBy(row),
      reason: reasonBy(row),
      verdict,
      detail,
      appearMs: firstMs(history, causedAt, since, (shown) => states.includes(shown)),
      leaveMs:
        left === null
          ? null
          : firstMs(history, left.pressedAt, left.at, (shown) => !left.states.includes(shown)),
      hasRequest: row?.state?.startsWith("waiting") === true ? row.request !== null : null,
      folder: verdict === "right" ? null : await keep(options, step, row, history),
    });
  };

  return {
    rig,
    pane,
    on: (other) => createStage({ ...options, pane: other }),
    next: () => (count += 1),
    check,
    undriven: async (step, states, why) => {
      const folder = await keep(options, step, null, []);
      report({ ...base, ...empty, step, truth: [...states], verdict: "undriven", detail: why, folder });
    },
    did: async (step, isRight, detail) => {
      const row = await rig.product.row(pane.paneId);
      const folder = isRight
        ? null
        : await keep(options, step, row, rig.feed.from(pane.paneId, Date.now() - 20_000));
      const shown = { shown: shownBy(row), reason: reasonBy(row) };
      report({
        ...base,
        ...empty,
        ...shown,
        step,
        truth: [],
        verdict: isRight ? "right" : "wrong",
        detail,
        folder,
      });
    },
    since: (at) => rig.exchanges().filter((exchange) => exchange.at >= at),
  };
};

/** The request that the prompt led to. */
export const askedBy = (stage: BareStage, said: Said): Exchange | null =>
  stage
    .since(said.at)
    .find(({ prompt, toolResult }) => toolResult === null && prompt.includes(said.prompt)) ?? null;

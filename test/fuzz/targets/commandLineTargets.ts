// The command line: its grammar, the values of its options, and how it fails.
import { CommanderError } from "commander";
import * as fc from "fast-check";
import { AgtmuxError, ERROR_CODES } from "../../../core/model/errors.ts";
import type { CliContext } from "../../../cli/command/context.ts";
import { exitCodeOf, renderFailure, toFailure } from "../../../cli/command/document.ts";
import type { Verb } from "../../../cli/command/verb.ts";
import { parseCount, parseSince, parseTmuxPath, parseTransport } from "../../../cli/parse/values.ts";
import {
  parseColumns,
  parseFilters,
  parseGuards,
  PANE_SORT,
  parseSort,
  parseConditions,
} from "../../../cli/parse/filters.ts";
import { readDuration } from "../../../core/model/words.ts";
import { createProgram, fromCommander, pointToHelp } from "../../../cli/grammar/run.ts";
import { PANE_FIELDS } from "../../../cli/render/field.ts";
import { makePane } from "../../factories/view.ts";
import { hold, holdLine, orRefused } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { hostileText, mutatedText } from "../mutateText.ts";

const NOW = Date.UTC(2026, 10, 21, 9);
/** Whatever asks for more than printing has done something: no verb runs here. */
const context = new Proxy({} as CliContext, {
  get: (_target, name) => {
    if (name === "version") return "0.0.0";
    if (name === "width") return 80;
    if (name === "print") return () => {};
    if (name === "env") return {};
    throw new Error(`a verb ran: it asked for ${String(name)}`);
  },
});

export const checkFailure = (failure: AgtmuxError): void => {
  hold(Object.hasOwn(ERROR_CODES, failure.code), `the code ${failure.code}`);
  hold(Number.isInteger(exitCodeOf(failure)), "no exit status");
  for (const line of renderFailure(failure, false, NOW).split("\n"))
    holdLine(line, 200_000, "a line of a failure");
  JSON.parse(renderFailure(failure, true, NOW));
};

/** Verbs are only parsed: their actions do nothing. */
const disarm = (command: Verb | Verb["commands"][number]): void => {
  for (const child of command.commands) {
    child.action(() => {});
    disarm(child);
  }
};
const wordsOf = (command: Verb | Verb["commands"][number]): string[] => [
  ...command.options.flatMap(({ short, long }) => [short ?? "", long ?? ""]),
  ...command.commands.flatMap((child) => [child.name(), ...child.aliases(), ...wordsOf(child)]),
];

const argumentsTarget = defineTarget({
  name: "command line/arguments",
  weight: 0.5,
  open: () => {
    const words = [
      ...new Set(wordsOf(createProgram(context, { exitCode: 0 }))),
      "pane:host/work/@1/%3",
      "runtime:rt1",
      "30s",
      "idle",
      "--",
      "-",
      "--json=1",
      "5",
      "--help",
      "help",
    ].filter((word) => word !== "");
    return {
      arbitrary: fc.array(
        fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom(...words) },
          { weight: 1, arbitrary: mutatedText(words, 1) },
          { weight: 1, arbitrary: hostileText },
        ),
        { minLength: 1, maxLength: 7 },
      ),
      check: async (args) => {
        const program = createProgram(context, { exitCode: 0 }, args[0]);
        disarm(program);
        try {
          await program.parseAsync(args, { from: "user" });
        } catch (error) {
          hold(
            error instanceof CommanderError || error instanceof AgtmuxError,
            `another error: ${String(error)}`,
          );
          const found =
            error instanceof CommanderError ? fromCommander(error, program, args) : toFailure(error);
          if (found !== null) checkFailure(pointToHelp(found, program, args));
        }
      },
    };
  },
});

const valuesTarget = defineTarget({
  name: "command line/values of options",
  weight: 2,
  open: () => {
    const usual = [
      "30s",
      "1.5m",
      "2026-11-21T09:00:00Z",
      "idle,error",
      "1234",
      "-age,needs",
      "state,ref",
      "/usr/bin/tmux",
    ];
    return {
      arbitrary: fc.tuple(fc.oneof(mutatedText(usual, 3), hostileText), hostileText),
      check: ([text, other]) => {
        const ms = readDuration(text);
        hold(ms === null || (ms > 0 && Number.isFinite(new Date(NOW - ms).getTime())), `the duration ${ms}`);
        const since = orRefused(() => parseSince(text, NOW));
        if (since !== null)
          for (const part of [since.version, since.time])
            hold(part === null || Number.isFinite(part), "no number");
        const filters = orRefused(() => parseFilters({ state: [text], agent: [other], session: [text] }));
        for (const state of [filters?.state ?? []].flat()) hold(typeof state === "string", "no state");
        orRefused(() => parseGuards({ ifState: text, ifUpdatedWithin: other }));
        for (const condition of orRefused(() => parseConditions([text])) ?? [])
          hold(
            [
              "needs-action",
              "gone",
              "error",
              "waiting_approval",
              "waiting_input",
              "running",
              "completed",
              "idle",
              "unknown",
            ].includes(condition),
            condition,
          );
        const sort = orRefused(() => parseSort([text], PANE_SORT));
        if (sort !== null) hold(Number.isFinite(sort(makePane(), makePane({ pane: 2 }))), "no order");
        for (const field of orRefused(() => parseColumns([text], PANE_FIELDS)) ?? [])
          hold(typeof field.cell === "function", "a column without cells");
        const count = orRefused(() => parseCount(text, "--lines", { min: 1, max: 9 }));
        hold(count === null || (count >= 1 && count <= 9), "a count out of its bounds");
        orRefused(() => parseTransport(text));
        orRefused(() => parseTmuxPath(text));
      },
    };
  },
});

export const commandLineTargets = (): FuzzTarget[] => [argumentsTarget, valuesTarget];

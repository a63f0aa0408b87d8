import type { Evaluation } from "../../bench/detect/evaluate.ts";

/** A line for each play that failed the gate, with what was shown and by which rule. */
export const describeFailures = ({ scored }: Evaluation): string[] =>
  scored
    .filter(({ isFailure }) => isFailure)
    .map(
      ({ agent, frame, variation, mode, label, got, outcome, atFrame }) =>
        `${agent}/${frame} (${variation ?? "as recorded"}, ${mode}): ${outcome}, ${label.state} shown ${got}: ${atFrame?.rule}`,
    );

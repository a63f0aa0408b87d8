// Reading hook settings of the form that several agents share (see hookSettings.ts) without minding the rest of the file.
import { asPayload, fieldOf, listOf, textOf } from "./payload.ts";

/** Commands (and other hook kinds, as null) registered for an event in parsed settings; tolerant of any shape. */
export const hooksFor = (settings: unknown, event: string): (string | null)[] => {
  const hooks = asPayload(fieldOf(asPayload(settings) ?? {}, "hooks")) ?? {};
  return listOf(hooks, event).flatMap((group) =>
    listOf(asPayload(group) ?? {}, "hooks").map((hook) => textOf(asPayload(hook) ?? {}, "command")),
  );
};

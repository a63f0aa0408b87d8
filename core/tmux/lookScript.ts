// A batch of looks as one list of tmux commands that leaves no trace. Pure. No hook of a person may run because of a look. So
// the list does nothing at all where a hook is set for one of its commands, and none of its commands can fail (tmux 3.5 has a
// hook for failures too).
import { toCommandString, type TmuxCommand } from "./commandString.ts";
import type { ReadCommand } from "./readCommand.ts";
import { hasNoHook } from "../model/tmuxHooks.ts";
import { markerOf } from "./transcript.ts";

/** The hooks that tmux runs after the commands of a look; `if-shell` itself has none. */
export const LOOK_HOOKS = ["after-display-message", "after-list-panes", "after-capture-pane"] as const;
/** Of a look at who is attached; the other looks do not depend on it. */
const CLIENTS_HOOK = "after-list-clients";

/** The list that runs `commands` unless this would make one of the hooks run. */
export const unlessHooked = (hooks: readonly string[], commands: string): string[] => [
  "if-shell",
  "-F",
  hasNoHook(hooks),
  commands,
];

/** The answer about a pane that is gone. */
const goneMark = (nonce: string): string => `agtmux-${nonce}-gone`;
const print = (line: string): TmuxCommand => ["display-message", "-p", line];

/** If the target of `if-shell` does not exist, tmux takes the current pane instead. */
const guarded = (command: ReadCommand, nonce: string): TmuxCommand => {
  const [name = "", ...args] = command;
  const text = toCommandString([[name, ...args]]);
  const target = args[args.indexOf("-t") + 1];
  if (args.includes("-t") && target !== undefined)
    return [
      "if-shell",
      "-F",
      "-t",
      target,
      `#{==:#{pane_id},${target}}`,
      text,
      toCommandString([print(goneMark(nonce))]),
    ];
  return name === "display-message" ? [name, ...args] : ["if-shell", "-F", "#{session_id}", text];
};

/**
 * The words of `commands` with a marker before each and after the last (see transcript). It prints nothing where hooks are
 * set; a listing prints nothing where there is no session.
 */
export const lookScript = (commands: readonly ReadCommand[], nonce: string): string[] => {
  const parts = commands.flatMap((command, index) => [
    print(markerOf(nonce, index)),
    guarded(command, nonce),
  ]);
  const hooks = commands.some(([name]) => name === "list-clients")
    ? [...LOOK_HOOKS, CLIENTS_HOOK]
    : LOOK_HOOKS;
  return unlessHooked(hooks, toCommandString([...parts, print(markerOf(nonce, commands.length))]));
};

/** Whether an answer says that the pane is gone. */
export const isGone = (lines: readonly string[], nonce: string): boolean =>
  lines.length === 1 && lines[0] === goneMark(nonce);

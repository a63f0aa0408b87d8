// Questions to tmux that no hook of a person notices: where one is set that would run with the answer, there is no answer. Pure.

/** True where no session has one of the hooks set: the value of an unset hook is empty. Up to 3.4 only single entries of a hook
 * have a value, so a hook without a first entry is not seen there.
 */
export const hasNoHook = (hooks: readonly string[]): string =>
  `#{?#{S:${hooks.map((hook) => `#{${hook}}#{${hook}[0]}`).join("")}},,1}`;

/**
 * The words of a tmux command that prints what `format` (without quotes) is, of a pane where one is named. It prints nothing where
 * a hook is set, or the pane is gone; then it does not fail, for which there are hooks too.
 */
export const printWords = (format: string, paneId: string | null): string[] => {
  const isUnseen = hasNoHook(["after-display-message"]);
  if (paneId === null) return ["if-shell", "-F", isUnseen, `display-message -p '${format}'`];
  // If the target of `if-shell` does not exist, tmux takes the current pane instead.
  const isThere = `#{==:#{pane_id},${paneId}}`;
  const print = `display-message -p -t ${paneId} '${format}'`;
  return ["if-shell", "-F", "-t", paneId, `#{&&:${isUnseen},${isThere}}`, print];
};

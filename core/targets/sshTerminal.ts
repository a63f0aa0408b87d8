// The command that puts a program of a target onto a person's own terminal. It is the person's `ssh`, with all that it may
// ask: a passphrase, a touch, a host key. Nothing of the connection that watches the target is shared with it.
import { quoteForLogin } from "./quote.ts";
import { checkSshAlias } from "./sshConfig.ts";

/**
 * `configFile`: takes the place of the person's SSH configuration; null: theirs.
 * @throws AgtmuxError E_USAGE for an alias that cannot be one, or a word with a NUL character.
 */
export const sshTerminalCommand = (
  { alias, configFile }: { alias: string; configFile: string | null },
  argv: readonly string[],
): string[] => {
  checkSshAlias(alias);
  const file = configFile === null ? [] : ["-F", configFile];
  return ["ssh", ...file, "-t", "--", alias, quoteForLogin(argv)];
};

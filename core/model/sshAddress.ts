// The address of a machine as a person gives it to ssh: an alias, user@host or ssh://user@host. It must not hold a password,
// because addresses are stored, listed and logged.
import { AgtmuxError } from "./errors.ts";

export const PASSWORD_IN_ADDRESS = "it holds a password, which would be stored and listed";

/** Whether something follows the user's name, as in `me:secret@host`; for ssh itself the host begins after the last `@`. */
export const hasPassword = (address: string): boolean => {
  const [, authority = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(address) ?? [];
  return /:|%3a/i.test(authority.slice(0, Math.max(0, authority.lastIndexOf("@"))));
};

/** @throws AgtmuxError E_USAGE that does not repeat the address. */
export const refusePassword = (address: string): void => {
  if (!hasPassword(address)) return;
  throw new AgtmuxError("E_USAGE", `the SSH target cannot be used: ${PASSWORD_IN_ADDRESS}`, {
    remedy:
      "Give user@host or a host of your SSH configuration, and log in with a key; change that password if others can read what you typed.",
  });
};

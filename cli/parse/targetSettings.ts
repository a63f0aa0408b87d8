// Settings of a target as a person gives them on the command line.
import { AgtmuxError } from "../../core/model/errors.ts";
import { refusePassword } from "../../core/model/sshAddress.ts";

export const TRANSPORTS = ["auto", "ssh2", "openssh"] as const;
type Transport = (typeof TRANSPORTS)[number];

/** Undefined stays undefined. @throws AgtmuxError E_USAGE. */
export const parseTransport = (text: string | undefined): Transport | undefined => {
  if (text === undefined) return undefined;
  const transport = TRANSPORTS.find((known) => known === text);
  if (transport !== undefined) return transport;
  throw new AgtmuxError("E_USAGE", `--transport does not know '${text}'`, {
    remedy: `Transports are ${TRANSPORTS.join(", ")}.`,
  });
};

/** @throws AgtmuxError E_USAGE for an address with a password, so that it is not even sent to the daemon. */
export const parseSshTarget = (text: string): string => {
  refusePassword(text);
  return text;
};

/** Null for `auto`: tmux is searched for. @throws AgtmuxError E_USAGE for a path that is not absolute. */
export const parseTmuxPath = (text: string | undefined): string | null | undefined => {
  if (text === undefined) return undefined;
  if (text === "auto") return null;
  if (text.startsWith("/")) return text;
  throw new AgtmuxError("E_USAGE", `--tmux-path is no absolute path: '${text}'`, {
    remedy: "Give the path on the target, from the root, or 'auto'.",
  });
};

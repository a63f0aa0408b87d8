// Headers of every answer, so that a command with a single question need not say hello first.
export const PROTOCOL_HEADER = "agtmux-protocol";
/** The daemon's version. */
export const VERSION_HEADER = "agtmux-version";

// What every answer carries, so that a command that asks one thing need not say hello first.
export const PROTOCOL_HEADER = "agtmux-protocol";
/** Of the daemon. */
export const VERSION_HEADER = "agtmux-version";

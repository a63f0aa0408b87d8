/** Carries the protocol with every answer, so that a command that asks one thing need not say hello first. */
export const PROTOCOL_HEADER = "agtmux-protocol";

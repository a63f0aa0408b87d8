// Headers of every answer, so that a command with a single question need not say hello first.
export const PROTOCOL_HEADER = "agtmux-protocol";
/** The daemon's version. */
export const VERSION_HEADER = "agtmux-version";
/** That the call was not made, because it needs a proof of who makes it. */
export const PROOF_NEEDED_HEADER = "agtmux-caller-needed";
/** In a request: the proof (callerProof.ts). */
export const PROOF_HEADER = "agtmux-caller";

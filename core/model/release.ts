// Whose signature on a detection pack counts, and where packs are released. The key is null in a build that is no release: then no
// pack is taken unless the person names a key of their own (OWN_KEY_FILE). For a release it is set here, once: `openssl genpkey
// -algorithm ed25519` makes the private key, which stays a secret of the release, and `openssl pkey -pubout` prints the public one.

/** An ed25519 public key as PEM. */
export const RELEASE_PACK_KEY: string | null = null;

/** The tag under which the newest pack of each agent is, whatever release it was made for. */
export const PACKS_TAG = "packs";

export const packFileName = (agentType: string): string => `${agentType}.agtmux-pack`;

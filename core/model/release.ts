// Whose signature on a detection pack counts, and where packs are released. The key is null in a build that is no release: then no
// pack is taken unless the person names a key of their own (OWN_KEY_FILE). For a release it is set here, once: `openssl genpkey
// -algorithm ed25519` makes the private key, which stays a secret of the release, and `openssl pkey -pubout` prints the public one.

/** An ed25519 public key as PEM. */
export const RELEASE_PACK_KEY: string | null = null;

/**
 * The environment may name a mirror of the releases instead of the address in the package's manifest (`agtmux.releases`): https, or
 * http on this machine. Below both is `download/<tag>/<file>`, as on GitHub.
 */
export const RELEASES_VARIABLE = "AGTMUX_RELEASES";

/** The tag under which the newest pack of each agent is, whatever release it was made for. */
export const PACKS_TAG = "packs";

export const packFileName = (agentType: string): string => `${agentType}.agtmux-pack`;

// Decides how the macOS app is signed, by the available credentials. electron-builder reads the credentials itself.
export interface Signing {
  /** Absent: electron-builder finds the identity by CSC_LINK or CSC_NAME. */
  readonly identity?: "-";
  readonly hardenedRuntime: boolean;
  readonly notarize: boolean;
}

/**
 * Without an identity the app is signed ad hoc: macOS shows no notifications of unsigned bundles. The hardened runtime would
 * then refuse Electron's own libraries, which have no team in common with the app, and Apple notarises nothing without it.
 */
export const chooseSigning = (env: Readonly<Record<string, string | undefined>>): Signing => {
  const areSet = (...names: readonly string[]): boolean =>
    names.every((name) => env[name] !== undefined && env[name] !== "");
  if (!areSet("CSC_LINK") && !areSet("CSC_NAME"))
    return { identity: "-", hardenedRuntime: false, notarize: false };
  const canNotarize =
    areSet("APPLE_API_KEY", "APPLE_API_KEY_ID", "APPLE_API_ISSUER") ||
    areSet("APPLE_ID", "APPLE_APP_SPECIFIC_PASSWORD", "APPLE_TEAM_ID");
  return { hardenedRuntime: true, notarize: canNotarize };
};

// Which implementation reaches an alias: the ssh2 library for the plain case that it models completely, the OpenSSH client
// for everything else. The choice is data with a reason, and a setting can force it.
import type { KnownHost } from "./knownHosts.ts";
import type { SshConfig } from "./sshConfig.ts";
import type { SshIdentities } from "./sshIdentities.ts";

export type TransportName = "ssh2" | "openssh";

export interface TransportChoice {
  transport: TransportName;
  /** One sentence for people. */
  reason: string;
}

export interface TransportInputs {
  config: SshConfig;
  /** What ssh would use without any configuration: every difference was set by somebody. */
  unconfigured: SshConfig;
  identities: SshIdentities;
  knownHost: KnownHost;
  /** What the ssh2 library can do, by keyword. */
  supported: Readonly<Record<"kexalgorithms" | "ciphers" | "macs" | "hostkeyalgorithms", readonly string[]>>;
}

/** Keywords that ssh2 is given, or that are judged below. */
const MODELLED = `
  host hostname port user addressfamily hostkeyalias identitiesonly identityagent identityfile
  certificatefile proxyjump proxycommand gssapiauthentication hostbasedauthentication pubkeyauthentication
  userknownhostsfile globalknownhostsfile hostkeyalgorithms kexalgorithms ciphers macs connecttimeout
  compression
`;
/** Keywords that do not matter for our sessions, which never ask, forward or use a terminal. */
const HARMLESS = `
  addkeystoagent batchmode checkhostip clearallforwardings connectionattempts controlmaster controlpath
  controlpersist dynamicforward enableescapecommandline escapechar exitonforwardfailure fingerprinthash
  forkafterauthentication forwardagent forwardx11 forwardx11timeout forwardx11trusted gatewayports
  gssapidelegatecredentials gssapikexalgorithms gssapirenewalforcesrekey gssapitrustdns hashknownhosts ipqos
  kbdinteractiveauthentication challengeresponseauthentication localcommand localforward loglevel logverbose
  nohostauthenticationforlocalhost numberofpasswordprompts passwordauthentication permitlocalcommand
  permitremoteopen remotecommand remoteforward requesttty sendenv serveralivecountmax serveraliveinterval
  sessiontype setenv stdinnull streamlocalbindmask streamlocalbindunlink stricthostkeychecking
  syslogfacility tag tcpkeepalive tunnel tunneldevice updatehostkeys verifyhostkeydns visualhostkey
  xauthlocation obscurekeystroketiming channeltimeout
`;
const UNDERSTOOD: ReadonlySet<string> = new Set(`${MODELLED} ${HARMLESS}`.trim().split(/\s+/));

const isLookup = (file: string): boolean => !/^(\/|~\/)[^%$"]*$/.test(file);

/** Keywords that the configuration sets and that are neither modelled nor harmless. */
const notUnderstood = ({ config, unconfigured }: TransportInputs): string[] =>
  [...config.all]
    .filter(
      ([keyword, values]) =>
        !UNDERSTOOD.has(keyword) && values.join("\n") !== (unconfigured.all.get(keyword) ?? []).join("\n"),
    )
    .map(([keyword]) => keyword);

/** The first thing that this alias needs and ssh2 cannot do; null when there is none. */
const whyNotSsh2 = (inputs: TransportInputs): string | null => {
  const { config, identities, knownHost, supported } = inputs;
  const { keyFiles, agentSocket, agentKeyTypes } = identities;
  const plainFiles = keyFiles.filter(({ kind }) => kind === "plain");
  const usesAgent = agentSocket !== null && agentKeyTypes.length > 0 && !config.identitiesonly;
  const [unknownKeyword] = notUnderstood(inputs);
  const missing = (["kexalgorithms", "ciphers", "macs", "hostkeyalgorithms"] as const).find(
    (keyword) =>
      config[keyword].length > 0 && !config[keyword].some((name) => supported[keyword].includes(name)),
  );
  const reasons: readonly (readonly [boolean, string])[] = [
    [config.proxyjump !== null, "it is reached through a jump host"],
    [config.proxycommand !== null, "it is reached through a proxy command"],
    [config.certificateFiles.length > 0, "it uses a certificate"],
    [keyFiles.some(({ hasCertificate }) => hasCertificate), "a key file has a certificate"],
    [keyFiles.some(({ kind }) => kind === "hardware"), "a key is on a hardware token"],
    [keyFiles.some(({ kind }) => kind === "other"), "a key file is of a kind that only OpenSSH reads"],
    [agentKeyTypes.some((type) => type.startsWith("sk-")), "the agent holds a key of a hardware token"],
    [agentKeyTypes.some((type) => type.includes("-cert-")), "the agent holds a certificate"],
    [identities.unexpanded.length > 0, "a path of its configuration is one that only OpenSSH expands"],
    [config.hostbasedauthentication, "it uses host-based authentication"],
    [!config.pubkeyauthentication, "it does not use keys"],
    [
      config.identitiesonly && keyFiles.some(({ kind }) => kind === "encrypted"),
      "only certain keys of the agent may be used",
    ],
    [
      plainFiles.length === 0 && !usesAgent,
      config.gssapiauthentication ? "it may be entered with Kerberos only" : "no key is at hand",
    ],
    [
      [...knownHost.keys, ...knownHost.bareKeys].some(({ marker }) => marker === "authority"),
      "its host key is signed by an authority",
    ],
    [
      [...config.userknownhostsfile, ...config.globalknownhostsfile].some(isLookup),
      "a known_hosts file has a name that only OpenSSH expands",
    ],
    [missing !== undefined, `ssh2 does not know its ${missing}`],
    [unknownKeyword !== undefined, `its configuration sets ${unknownKeyword}`],
  ];
  return reasons.find(([applies]) => applies)?.[1] ?? null;
};

/** @param forced what the target's settings say; null: choose. */
export const chooseTransport = (inputs: TransportInputs, forced: TransportName | null): TransportChoice => {
  const why = whyNotSsh2(inputs);
  if (forced !== null) {
    const but = forced === "ssh2" && why !== null ? `, although ${why}` : "";
    return { transport: forced, reason: `the target's settings say so${but}` };
  }
  return why === null
    ? { transport: "ssh2", reason: "a plain host with a key file or the agent" }
    : { transport: "openssh", reason: why };
};

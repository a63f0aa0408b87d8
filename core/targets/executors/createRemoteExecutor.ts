// The executor of an SSH alias: reads what OpenSSH knows about it, chooses the transport that fits, and asks macOS for the local
// network where needed. The choice is made for each connection, because keys and configuration change while the daemon runs.
import { type KnownHost, type SshIdentities, readKnownHost, readIdentities } from "../sshKeys.ts";
import { type SshConfig, checkSshAlias, familyOf, readSshConfig } from "../sshConfig.ts";
import { connect } from "node:net";
import type { Logger } from "../../ports/logger.ts";
import { createOpenSshTransport } from "./openSshTransport.ts";
import { SSH2_ALGORITHMS, createSsh2Transport, type Ssh2Plan } from "./ssh2Transport.ts";
import { createSshExecutor, type RemoteExecutor } from "./sshExecutor.ts";
import type { SshTransport } from "../sshTransport.ts";

// Choice of the transport: the ssh2 library for the plain case that it models completely, the OpenSSH client for everything else.
// The choice is data with a reason, and a setting can force it.

export type TransportName = "ssh2" | "openssh";

interface TransportChoice {
  transport: TransportName;
  /** One sentence for people. */
  reason: string;
}

interface TransportInputs {
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

/**
 * Opens one TCP connection over which nothing is sent: macOS asks the person whether a program may reach the local network, but
 * only when the program connects itself, not when one of its children does. Resolves when the connection was accepted or refused,
 * or after the time limit. The outcome does not matter: the next connection will show it.
 */
export const connectOnce = async (
  address: { host: string; port: number; family: 0 | 4 | 6 },
  limitMs: number,
): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(address);
  socket.setTimeout(limitMs);
  for (const event of ["connect", "error", "timeout"]) socket.once(event, resolve);
  await promise;
  socket.destroy();
};

const DEFAULT_KEEP_ALIVE_MS = 15_000;
const CONNECT_ONCE_LIMIT_MS = 1_000;

interface ResolvedTarget extends Ssh2Plan, TransportChoice {}

/**
 * Everything about an alias that decides how it is reached; opens no connection.
 * @throws AgtmuxError E_USAGE for the alias, E_TARGET_UNREACHABLE when ssh refuses its configuration.
 */
export const resolveTarget = async ({
  alias,
  env,
  configFile,
  transport,
}: {
  alias: string;
  env: NodeJS.ProcessEnv;
  configFile: string | null;
  transport: TransportName | null;
}): Promise<ResolvedTarget> => {
  const { config, unconfigured } = await readSshConfig(alias, { env, configFile });
  const [identities, knownHost] = await Promise.all([
    readIdentities(config, env),
    readKnownHost(config, env),
  ]);
  const inputs = { config, unconfigured, identities, knownHost, supported: SSH2_ALGORITHMS };
  return { config, identities, knownHost, ...chooseTransport(inputs, transport) };
};

/**
 * The executor of a target; nothing is connected yet.
 * @throws AgtmuxError E_USAGE for an alias that cannot be one.
 */
export const createRemoteExecutor = (options: {
  targetId: string;
  /** A name of the SSH configuration. */
  alias: string;
  /** Environment of `ssh` and of the key agent: PATH, HOME and SSH_AUTH_SOCK matter. */
  env: NodeJS.ProcessEnv;
  logger: Logger;
  /** Folder for control sockets, made 0700 when it is missing: `cm` of the home. */
  controlDir: string;
  /** What the target's settings force; null: choose. */
  transport: TransportName | null;
  /** Used instead of the person's and the system's SSH configuration; null: theirs. */
  configFile: string | null;
  /** How long the server may be silent before the connection counts as lost. */
  keepAliveMs?: number;
  connectTimeoutMs?: number;
  /** Platform of this machine; only tests set another one. */
  platform?: NodeJS.Platform;
}): RemoteExecutor => {
  const { targetId, alias, env, logger, controlDir, configFile } = options;
  checkSshAlias(alias);
  const keepAliveMs = options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS;
  const openSsh = (): SshTransport =>
    createOpenSshTransport({ alias, env, controlDir, configFile, keepAliveMs });
  const platform = options.platform ?? process.platform;
  let wasAsked = false;
  /** Done before a child connects for the first time. A host behind a jump host or a proxy is not on our network. */
  const askMacOs = async ({ config }: ResolvedTarget): Promise<void> => {
    if (wasAsked || config.proxyjump !== null || config.proxycommand !== null) return;
    wasAsked = true;
    await connectOnce(
      { host: config.hostname, port: config.port, family: familyOf(config) },
      CONNECT_ONCE_LIMIT_MS,
    );
  };
  const choose = async (): Promise<SshTransport> => {
    if (options.transport === "openssh" && platform !== "darwin") return openSsh();
    const resolved = await resolveTarget(options);
    logger.info({ targetId, transport: resolved.transport, reason: resolved.reason }, "transport chosen");
    if (resolved.transport === "ssh2") return createSsh2Transport({ alias, plan: resolved, keepAliveMs });
    if (platform === "darwin") await askMacOs(resolved);
    return openSsh();
  };
  const { connectTimeoutMs } = options;
  return createSshExecutor({
    targetId,
    alias,
    choose,
    logger,
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  });
};

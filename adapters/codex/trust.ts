// Which of our hooks Codex has been told to trust, from `[hooks.state."<file>:<event>:<group>:<index>"]` in config.toml.
// Read-only: the trust is the person's to give, in Codex's own review at its next start. Source: 0.169.0.
const TABLE = /^\s*\[\s*hooks\s*\.\s*state\s*\.\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*\]\s*(?:#.*)?$/;
const ANY_TABLE = /^\s*\[/;
const TRUSTED = /^\s*trusted_hash\s*=\s*["']sha256:[0-9a-f]+["']/;

/** Keys that hold a trusted hash. Lines only: a file that Codex itself cannot read gives what can be seen. */
export const trustedHooks = (configToml: string): Set<string> => {
  const trusted = new Set<string>();
  let key: string | null = null;
  for (const line of configToml.split(/\r?\n/)) {
    const table = TABLE.exec(line);
    if (table !== null) key = table[2] ?? (table[1] ?? "").replaceAll(/\\(["\\])/g, "$1");
    else if (ANY_TABLE.test(line)) key = null;
    else if (key !== null && TRUSTED.test(line)) trusted.add(key);
  }
  return trusted;
};

const snakeCase = (event: string): string =>
  event.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** True where the hook at this place is trusted; the event's name may be written either way. */
export const isTrusted = (
  trusted: ReadonlySet<string>,
  path: string,
  hook: { event: string; group: number; index: number },
): boolean =>
  [hook.event, snakeCase(hook.event)].some((event) =>
    trusted.has(`${path}:${event}:${hook.group}:${hook.index}`),
  );

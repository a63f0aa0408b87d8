// The person's own settings of documents, `~/.config/agent-doc/config.toml`, and which agent answers in a document.
import { join } from "node:path";
import { parseDocumentConfig, type DocumentConfig } from "../../features/documents/agents/printBackend.ts";
import { readTextIfThere } from "../../features/documents/files/wholeFile.ts";
import type { CliContext } from "../context.ts";

export const FALLBACK_AGENT = "claude";

/** @throws AgtmuxError E_CONFIG_INVALID */
export const readConfig = async ({ env }: CliContext): Promise<DocumentConfig> => {
  const folder = env["XDG_CONFIG_HOME"] || join(env["HOME"] ?? "/", ".config");
  const path = join(folder, "agent-doc", "config.toml");
  return parseDocumentConfig((await readTextIfThere(path)) ?? "", path);
};

/** That of the command line, of the document, of the settings, or Claude Code. */
export const agentFor = (
  { agent }: { readonly agent: string | null },
  { default_agent: usual }: DocumentConfig,
  typed?: string,
): string => typed ?? agent ?? usual ?? FALLBACK_AGENT;

// The person's own settings of documents, `~/.config/agent-doc/config.toml`, and which agent answers in a document.
import { join } from "node:path";
import { parseDocumentConfig, type DocumentConfig } from "../../features/documents/agents/printBackend.ts";
import { readOwnText } from "../../features/documents/files/wholeFile.ts";
import type { CliContext } from "../command/context.ts";

export const FALLBACK_AGENT = "claude";

/** @throws AgtmuxError E_CONFIG_INVALID */
export const readConfig = async ({ env }: CliContext): Promise<DocumentConfig> => {
  const folder = env["XDG_CONFIG_HOME"] || join(env["HOME"] ?? "/", ".config");
  const path = join(folder, "agent-doc", "config.toml");
  return parseDocumentConfig((await readOwnText(path)) ?? "", path);
};

/** Repositories whose own programs the person lets git run. */
export const trustedRepositories = ({ env }: CliContext, { git_programs: named }: DocumentConfig): string[] =>
  named.map((folder) => folder.replace(/^~(?=\/)/, env["HOME"] ?? "~"));

/** That of the command line, of the document, of the settings, or Claude Code. */
export const agentFor = (
  { agent }: { readonly agent: string | null },
  { default_agent: usual }: DocumentConfig,
  typed?: string,
): string => typed ?? agent ?? usual ?? FALLBACK_AGENT;

// A document with what the flows need to know of it.
import type { ComponentConfigs } from "../model/componentConfig.ts";
import { readFrontmatter, type Frontmatter } from "../model/frontmatter.ts";
import type { DocumentPaths } from "../files/documentPaths.ts";
import { readKept, readText } from "../files/wholeFile.ts";

const MAX_SETTINGS_BYTES = 1024 * 1024;

export interface OpenDocument {
  readonly paths: DocumentPaths;
  readonly text: string;
  readonly frontmatter: Frontmatter;
  readonly configs: ComponentConfigs;
}

/** Of a components.toml, which most projects do not have: then null. @throws AgtmuxError E_CONFIG_INVALID */
export const parseComponentConfigs = async (text: string | null, path: string): Promise<ComponentConfigs> => {
  if (text === null) return {};
  const { parseComponentConfig } = await import("../model/componentConfig.ts");
  return parseComponentConfig(text, path);
};

/** @throws AgtmuxError E_CONFIG_INVALID */
export const readComponentConfigs = async (paths: DocumentPaths): Promise<ComponentConfigs> =>
  parseComponentConfigs(await readKept(paths, paths.components, MAX_SETTINGS_BYTES), paths.components);

/** Everything is read before anything is changed. @throws AgtmuxError for what cannot be understood. */
export const openDocument = async (paths: DocumentPaths): Promise<OpenDocument> => {
  const text = await readText(paths.file);
  return { paths, text, frontmatter: readFrontmatter(text), configs: await readComponentConfigs(paths) };
};

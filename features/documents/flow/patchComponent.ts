// `doc patch`: new content for one component, with the project's own commands before and after it.
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { ComponentConfig } from "../model/componentConfig.ts";
import { explicitMode, findComponent, type Mode } from "../model/components.ts";
import { applyPatch, newestEntries } from "../model/patches.ts";
import type { DocumentPaths } from "../files/documentPaths.ts";
import { withDocumentLock } from "../files/documentLock.ts";
import { replaceText } from "../files/replaceText.ts";
import { saveSnapshot } from "../files/snapshots.ts";
import { readText } from "../files/wholeFile.ts";
import { openDocument } from "./openDocument.ts";

const HOOK_TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 16 * 1024 * 1024;

export interface Hooks {
  readonly commands: readonly string[];
  /** Changes with the commands and the project: a person's yes holds for one of them. */
  readonly fingerprint: string;
}

export interface PatchRequest {
  readonly paths: DocumentPaths;
  readonly component: string;
  readonly content: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: number;
  /** Asks the person, and throws where the answer is no. Called only where there are hooks. */
  readonly approve: (hooks: Hooks) => Promise<void>;
}

type HookEnv = Record<string, string | undefined>;

const runHook = (command: string, input: string, cwd: string, env: HookEnv): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      "/bin/sh",
      ["-c", command],
      { cwd, env, timeout: HOOK_TIMEOUT_MS, maxBuffer: MAX_OUTPUT, killSignal: "SIGKILL" },
      (error, stdout) => {
        if (error === null) resolve(stdout);
        else
          reject(
            new AgtmuxError("E_CONFIG_INVALID", `the hook '${command}' failed`, {
              cause: error,
              remedy: "Correct it in components.toml; the document was not changed.",
            }),
          );
      },
    );
    // A hook that does not read its input is fine.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });

const startHook = (command: string, cwd: string, env: HookEnv): void => {
  const child = spawn("/bin/sh", ["-c", command], { cwd, env, stdio: "ignore", detached: true });
  // Nobody waits for it, so nobody is told.
  child.on("error", () => {});
  child.unref();
};

const hooksOf = (config: ComponentConfig | undefined, { root }: DocumentPaths): Hooks | null => {
  const commands = [config?.pre_patch, config?.post_patch].filter((one) => one !== undefined);
  if (commands.length === 0) return null;
  const hash = createHash("sha256").update(JSON.stringify([root, config?.pre_patch, config?.post_patch]));
  return { commands, fingerprint: hash.digest("hex") };
};

const patchText = (
  current: string,
  { component, now }: PatchRequest,
  content: string,
  config: ComponentConfig | undefined,
  mode: Mode,
): { text: string; notes: readonly string[] } => {
  const stamped = config?.timestamp === true ? `${new Date(now).toISOString()} ${content}` : content;
  const applied = applyPatch(current, { component, content: stamped }, mode);
  const most = config?.max_entries ?? 0;
  if (mode === "replace" || most === 0) return applied;
  const { start, end } = findComponent(applied.text, component);
  const kept = newestEntries(applied.text.slice(start, end), most, mode);
  return { ...applied, text: applied.text.slice(0, start) + kept + applied.text.slice(end) };
};

/**
 * What had to be changed in the content, for the person. @throws AgtmuxError E_DOCUMENT_INVALID for a component that is not
 * there or a mode that is not known, E_CONFIG_INVALID for components.toml and for a hook that fails: nothing was changed.
 */
export const patchComponent = async (request: PatchRequest): Promise<readonly string[]> => {
  const { paths, component, approve } = request;
  const { text, configs } = await openDocument(paths);
  const config = Object.hasOwn(configs, component) ? configs[component] : undefined;
  const mode = explicitMode(findComponent(text, component), configs) ?? "replace";
  const hooks = hooksOf(config, paths);
  if (hooks !== null) await approve(hooks);
  const env = { ...request.env, COMPONENT: component, FILE: paths.file };
  const content =
    config?.pre_patch === undefined
      ? request.content
      : await runHook(config.pre_patch, request.content, paths.root, env);
  const notes = await withDocumentLock(paths, async () => {
    let last: readonly string[] = [];
    await replaceText(paths.file, (current) => {
      const patched = patchText(current, request, content, config, mode);
      last = patched.notes;
      return patched.text;
    });
    await saveSnapshot(paths, await readText(paths.file));
    return last;
  });
  if (config?.post_patch !== undefined) startHook(config.post_patch, paths.root, env);
  return notes;
};

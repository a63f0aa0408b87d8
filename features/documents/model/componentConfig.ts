// `.agent-doc/components.toml`: how each component is patched, and which commands of the project see a patch.
import { parse } from "smol-toml";
import * as z from "zod";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { MODES } from "./documentText.ts";

const componentSchema = z.object({
  mode: z.enum(MODES).optional(),
  patch: z.enum(MODES).optional(),
  timestamp: z.boolean().default(false),
  max_entries: z.number().int().min(0).default(0),
  pre_patch: z.string().min(1).optional(),
  post_patch: z.string().min(1).optional(),
});

export type ComponentConfig = z.infer<typeof componentSchema>;
export type ComponentConfigs = Readonly<Record<string, ComponentConfig>>;

const configSchema = z.record(z.string(), componentSchema);

/** @throws AgtmuxError E_CONFIG_INVALID with the first thing that is wrong. `path` is only named. */
export const parseComponentConfig = (text: string, path: string): ComponentConfigs => {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const [first = ""] = error instanceof Error ? error.message.split("\n") : [];
    throw new AgtmuxError("E_CONFIG_INVALID", `${path} is not valid TOML: ${first}`, {
      cause: error,
      remedy: "Correct it; nothing was changed.",
    });
  }
  const { success, data, error } = configSchema.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    throw new AgtmuxError("E_CONFIG_INVALID", `${path}: ${issue?.path.join(".")}: ${issue?.message}`, {
      remedy: "Correct it; nothing was changed.",
    });
  }
  return Object.fromEntries(
    Object.entries(data).map(([name, one]) => [name, { ...one, mode: one.mode ?? one.patch }]),
  );
};

// How an agent notifies by itself, and plans for switching that off in its settings and for putting back exactly what stood there.
// What stood there is kept in a file of ours beside the settings. The caller shows, backs up and writes.
import { parse as parseToml, TomlError } from "smol-toml";
import * as z from "zod";
import { AgtmuxError } from "../../core/model/errors.ts";
import type {
  IntegrationChange,
  IntegrationRequest,
  OwnNotifications,
} from "../../core/ports/agentAdapter.ts";
import {
  appendTo,
  detectStyle,
  parseSettings,
  removeNode,
  renderContainer,
  valueOf,
  type TextStyle,
} from "./settingsText.ts";

/** Keys from the top of the file. */
type Key = readonly [string, ...string[]];

export interface OwnNotificationSettings {
  /** What the agent does, after its name: "rings the bell". */
  what: string;
  path: (configDir: string) => string;
  form: "json" | "json with comments" | "toml";
  settings: readonly {
    key: Key;
    /** The value that switches it off. */
    off: boolean | string;
    /** Whether the agent notifies where its settings do not say. */
    isOnByDefault: boolean;
  }[];
  /** Files that older versions keep the same keys in: read where `path` does not say, and never written. */
  olderPaths?: (configDir: string) => readonly string[];
}

/** What stood there: `raw`, or nothing (null); then `added` is all that was written, so that exactly this goes out again. */
interface Before {
  raw: string | null;
  added: string;
}

/** A form of settings file. Fails with E_INTEGRATION_REFUSED for a text that the agent could not read either. */
interface Form {
  /** Undefined: the file does not say. */
  read(path: string, text: string, key: Key): unknown;
  write(path: string, text: string, key: Key, json: string): Before & { text: string };
  /** Takes back what `write` did. Null: nothing is left of the file. */
  undo(path: string, text: string, key: Key, before: Before): string | null;
}

const refused = (path: string, what: string, remedy?: string): AgtmuxError =>
  new AgtmuxError("E_INTEGRATION_REFUSED", `${path}: ${what}`, remedy === undefined ? {} : { remedy });

const splice = (text: string, start: number, end: number, replacement: string): string =>
  text.slice(0, start) + replacement + text.slice(end);

// JSON, with comments where the agent's parser takes them.

const propertyText = (
  [name, ...rest]: readonly string[],
  json: string,
  style: TextStyle,
  depth: number,
): string => {
  const value =
    rest.length === 0
      ? json
      : renderContainer("{}", propertyText(rest, json, style, depth + 1), style, depth);
  return `${JSON.stringify(name)}: ${value}`;
};

const jsonForm = (hasComments: boolean): Form => {
  /** The value, or the deepest object on the way to it with the keys that are missing from there. */
  const find = (path: string, text: string, key: Key) => {
    let object = parseSettings(path, text, { hasComments });
    for (const [depth, name] of key.entries()) {
      if (object.kind !== "object")
        throw refused(path, `"${key.slice(0, depth).join(".")}" is not an object`);
      const value = valueOf(object, name);
      if (value === undefined) return { object, missing: key.slice(depth), value: null };
      if (depth === key.length - 1) return { object, missing: [], value };
      object = value;
    }
    return { object, missing: [], value: null };
  };
  return {
    read: (path, text, key) => {
      const { value } = find(path, text, key);
      return value === null ? undefined : value.value;
    },
    write: (path, text, key, json) => {
      const { object, missing, value } = find(path, text, key);
      if (value !== null) {
        const { start, end } = value;
        return { text: splice(text, start, end, json), raw: text.slice(start, end), added: "" };
      }
      const style = detectStyle(text);
      const depth = key.length - missing.length;
      const property = propertyText(missing, json, style, depth + 1);
      return { text: appendTo(text, object, property, style, depth), raw: null, added: "" };
    },
    undo: (path, text, key, { raw }) => {
      const { value } = find(path, text, key);
      if (value === null) return text;
      return raw === null ? removeNode(text, value) : splice(text, value.start, value.end, raw);
    },
  };
};

// TOML. Its places are only guessed; what is parsed before and after decides: an edit changes the one key and nothing else, or is
// refused.

const parseTable = (path: string, text: string): Record<string, unknown> => {
  try {
    return parseToml(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const what = `${path} is not valid TOML at line ${cause.line}.`;
    throw new AgtmuxError("E_INTEGRATION_REFUSED", what, { cause });
  }
};

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const valueIn = (table: Record<string, unknown>, key: readonly string[]): unknown =>
  key.reduce<unknown>((value, name) => (isTable(value) ? value[name] : undefined), table);

/** All of a table but the key, and but tables that are empty without it. */
const withoutKey = (
  table: Record<string, unknown>,
  [name, ...rest]: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([own, value]) => {
      if (own !== name) return [[own, value]];
      const others = rest.length > 0 && isTable(value) ? withoutKey(value, rest) : {};
      return Object.keys(others).length === 0 ? [] : [[own, others]];
    }),
  );

/** The first edit after which the file says the same as before, but for the key. */
const chooseEdit = <T extends { text: string }>(
  path: string,
  before: string,
  key: Key,
  edits: readonly T[],
  isWanted: (value: unknown) => boolean,
): T => {
  const others = JSON.stringify(withoutKey(parseTable(path, before), key));
  const found = edits.find(({ text }) => {
    try {
      const table = parseToml(text);
      return JSON.stringify(withoutKey(table, key)) === others && isWanted(valueIn(table, key));
    } catch {
      // Not TOML any more: the next one is tried.
      return false;
    }
  });
  if (found !== undefined) return found;
  const remedy = "Change it yourself; nothing was changed.";
  throw refused(path, `"${key.join(".")}" is written in a way that can't be edited safely`, remedy);
};

/** Lines that may give the key its value: what is before the value, the value, and the end of the line. */
const lineOf = (key: Key): RegExp =>
  new RegExp(String.raw`^([^#\r\n]*\b${key.at(-1)}[ \t]*=[ \t]*)([^\r\n]*)(\r?\n|$)`, "gm");

const tomlForm: Form = {
  read: (path, text, key) => valueIn(parseTable(path, text), key),
  write: (path, text, key, json) => {
    const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
    const table = key.slice(0, -1).join(".");
    const line = `${key.at(-1)} = ${json}${eol}`;
    const gap = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
    const block = `${gap}[${table}]${eol}${line}`;
    const header = new RegExp(String.raw`^[ \t]*\[[ \t]*${table}[ \t]*\][^\r\n]*\r?\n`, "gm");
    const edits = [
      ...Array.from(
        text.matchAll(lineOf(key)),
        ({ index, 0: all, 1: lead = "", 2: raw = "", 3: end = "" }) => ({
          text: splice(text, index, index + all.length, lead + json + end),
          raw,
          added: "",
        }),
      ),
      ...Array.from(text.matchAll(header), ({ index, 0: { length } }) => ({
        text: splice(text, index + length, index + length, line),
        raw: null,
        added: line,
      })),
      { text: text + block, raw: null, added: block },
    ];
    return chooseEdit(path, text, key, edits, (value) => JSON.stringify(value) === json);
  },
  undo: (path, text, key, { raw, added }) => {
    const now = JSON.stringify(tomlForm.read(path, text, key));
    const at = added === "" ? -1 : text.indexOf(added);
    const edits = [
      ...(at < 0 ? [] : [{ text: splice(text, at, at + added.length, "") }]),
      ...Array.from(text.matchAll(lineOf(key)), ({ index, 0: all, 1: lead = "", 3: end = "" }) => ({
        text: splice(text, index, index + all.length, raw === null ? "" : lead + raw + end),
      })),
    ];
    const isWanted = (value: unknown): boolean =>
      raw === null ? value === undefined : value !== undefined && JSON.stringify(value) !== now;
    const { text: left } = chooseEdit(path, text, key, edits, isWanted);
    return left;
  },
};

const FORMS: Readonly<Record<OwnNotificationSettings["form"], Form>> = {
  json: jsonForm(false),
  "json with comments": jsonForm(true),
  toml: tomlForm,
};

/** A file that says nothing. */
const BLANK: Readonly<Record<OwnNotificationSettings["form"], string>> = {
  json: "{}\n",
  "json with comments": "{}\n",
  toml: "",
};

// What stood there before: kept beside the settings while the agent's own notifications are off by us.

const recordSchema = z.object({
  /** Of a file that had nothing in it, what it was: not there (null), or blank. Null: there was something in it. */
  blank: z.object({ text: z.string().nullable() }).nullable(),
  settings: z.array(
    z.object({
      key: z.tuple([z.string()], z.string()),
      /** Null: the file did not say. */
      raw: z.string().nullable(),
      added: z.string(),
    }),
  ),
});
type KeptSettings = z.infer<typeof recordSchema>;

const MAX_BYTES = 4 * 1024 * 1024;
const recordPathOf = (path: string): string => `${path}.agtmux-notifications`;

const parseRecord = (path: string, text: string | null): KeptSettings | null => {
  if (text === null) return null;
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new AgtmuxError(
      "E_INTEGRATION_REFUSED",
      `${recordPathOf(path)} is not as agtmux wrote it, so what ${path} had before is unknown`,
      { remedy: "Correct the agent's setting yourself, then remove that file; nothing was changed.", cause },
    );
  }
};

/** Restoring is byte-exact where nothing else changed; a value that somebody has set since then stays. */
export const createOwnNotifications = ({
  what,
  path: pathOf,
  form: name,
  settings,
  olderPaths,
}: OwnNotificationSettings): OwnNotifications => {
  const form = FORMS[name];
  const open = async ({ files, configDir }: IntegrationRequest) => {
    const path = pathOf(configDir);
    const [before, recordText, older] = await Promise.all([
      files.readText(path, MAX_BYTES),
      files.readText(recordPathOf(path), MAX_BYTES),
      Promise.all((olderPaths?.(configDir) ?? []).map((one) => files.readText(one, MAX_BYTES))),
    ]);
    return { path, before, recordText, record: parseRecord(path, recordText), older };
  };
  type Site = Awaited<ReturnType<typeof open>>;

  const read = (path: string, text: string | null, key: Key): unknown =>
    text === null || text.trim() === "" ? undefined : form.read(path, text, key);
  const readOlder = ({ path, older }: Site, key: Key): unknown => {
    for (const text of older)
      try {
        const value = read(path, text, key);
        if (value !== undefined) return value;
      } catch {
        // It is never written, so nothing of it is lost.
      }
    return undefined;
  };
  /** The settings by which it notifies now. */
  const thoseOn = (site: Site) =>
    settings.filter(({ key, off, isOnByDefault }) => {
      const value = read(site.path, site.before, key) ?? readOlder(site, key);
      return value === undefined ? isOnByDefault : value !== off;
    });
  const isOff = (path: string, text: string | null, key: Key): boolean =>
    settings.some((one) => one.key.join(".") === key.join(".") && read(path, text, key) === one.off);
  const changesOf = (
    { path, before, recordText }: Site,
    after: string | null,
    record: KeptSettings | null,
  ) => {
    const text = record === null ? null : `${JSON.stringify(record)}\n`;
    const kept = { path: recordPathOf(path), before: recordText, after: text, isOwn: true };
    const settingsChange = { path, before, after };
    // What stood there is never known to nobody, wherever this ends.
    const all: IntegrationChange[] = record === null ? [settingsChange, kept] : [kept, settingsChange];
    return all.filter((change) => change.before !== change.after);
  };

  return {
    what,
    path: pathOf,

    inspect: async (request) => {
      const site = await open(request);
      const { path, before, record } = site;
      return {
        isOn: thoseOn(site).length > 0,
        isSilenced: record?.settings.some(({ key }) => isOff(path, before, key)) === true,
      };
    },

    planSilence: async (request) => {
      const site = await open(request);
      const on = thoseOn(site);
      if (on.length === 0) return [];
      const isBlank = (site.before ?? "").trim() === "";
      const record: KeptSettings = {
        blank: site.record?.blank ?? (isBlank ? { text: site.before } : null),
        settings: (site.record?.settings ?? []).filter(({ key }) => isOff(site.path, site.before, key)),
      };
      let text = isBlank ? BLANK[name] : (site.before ?? "");
      for (const { key, off } of on) {
        const edit = form.write(site.path, text, key, JSON.stringify(off));
        record.settings.push({ key: [...key], raw: edit.raw, added: edit.added });
        text = edit.text;
      }
      return changesOf(site, text, record);
    },

    planRestore: async (request) => {
      const site = await open(request);
      if (site.record === null) return [];
      let text = site.before;
      for (const one of site.record.settings.toReversed())
        if (text !== null && isOff(site.path, text, one.key)) text = form.undo(site.path, text, one.key, one);
      const { blank } = site.record;
      const isBlank = (text ?? BLANK[name]) === BLANK[name];
      // Only a file that was not there before goes.
      const after = isBlank && site.before !== null ? (blank === null ? BLANK[name] : blank.text) : text;
      return changesOf(site, after, null);
    },
  };
};

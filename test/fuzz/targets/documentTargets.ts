// Documents and what belongs to them: Markdown that a person has, responses of agents, and files that other programs write.
import * as fc from "fast-check";
import { readPatchFile } from "../../../editors/vscode/src/applyResponse.ts";
import { parseDocumentConfig } from "../../../features/documents/agents/printBackend.ts";
import { createAdapterRegistry } from "../../../adapters/index.ts";
import { parseComponentConfig } from "../../../features/documents/model/componentConfig.ts";
import {
  parseComponents,
  outlineOf,
  stripComments,
  splitFrontmatter,
} from "../../../features/documents/model/documentText.ts";
import { diffOfLines, splitLines } from "../../../features/documents/model/diffLines.ts";
import { readFrontmatter, setFrontmatter } from "../../../features/documents/model/frontmatter.ts";
import { mergeTexts } from "../../../features/documents/model/mergeTexts.ts";
import { applyResponse, parseResponse } from "../../../features/documents/model/patches.ts";
import { hold, orRefused } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { hostileText, mutatedText } from "../mutateText.ts";

const DOCUMENTS = [
  `---
agent_doc_session: "6f1f0a5e-3c0e-4b83-9d0a-0b0f6b0a7c11" # a comment
agent_doc_format: template
agent: codex
---
# Plan

<!-- agent:status mode=replace -->
3 of 5
<!-- /agent:status -->

\`\`\`md
<!-- agent:exchange -->
\`\`\`

<!-- agent:exchange mode=append -->
Which way? \`<!-- /agent:exchange -->\`
<!-- /agent:exchange -->
[//]: # (a remark)
`,
  "---\r\nagent_doc_mode: append\r\n---\r\n## User\r\n\r\nWhich way?\r\n",
  "## User\n\nWhich way?\n\n## Assistant\n\nOver the bridge.\n",
];
const RESPONSES = [
  "<!-- patch:status -->\n4 of 5\n<!-- /patch:status -->\nOver the bridge.\n\n```sh\nls\n```\n",
  "<!-- patch:exchange -->\n<!-- /agent:exchange --> ```\n<!-- /patch:exchange -->",
];
const documents = fc.oneof(
  { weight: 4, arbitrary: mutatedText(DOCUMENTS, 4) },
  { weight: 1, arbitrary: hostileText },
);
const responses = fc.oneof(
  { weight: 3, arbitrary: mutatedText(RESPONSES, 3) },
  { weight: 1, arbitrary: hostileText },
);

const frontmatterTarget = defineTarget({
  name: "document/frontmatter",
  open: () => ({
    arbitrary: fc.tuple(documents, hostileText),
    check: ([text, value]) => {
      const body = orRefused(() => splitFrontmatter(text))?.body ?? "";
      hold(text.endsWith(body), "a body that is not the end of the document");
      const set = orRefused(() => setFrontmatter(text, { resume: value }));
      if (set === null) return;
      hold(set.endsWith(body), "the body was changed");
      const read = orRefused(() => readFrontmatter(set));
      hold(read === null || read.resume === (value === "" ? null : value), "another value was written");
    },
  }),
});

const responseTarget = defineTarget({
  name: "document/components and responses",
  open: () => ({
    arbitrary: fc.tuple(documents, responses),
    check: ([text, response]) => {
      orRefused(() => outlineOf(text));
      stripComments(text);
      const before = orRefused(() => parseComponents(text));
      for (const { start, end } of before ?? []) hold(start <= end && end <= text.length, "out of the text");
      const applied = orRefused(() => applyResponse(text, parseResponse(response), {}));
      if (applied === null || before === null) return;
      const after = parseComponents(applied.text);
      const names = (all: typeof after) => all.map(({ name }) => name).join();
      hold(names(after) === names(before), "a response made or ended a component");
    },
  }),
});

const mergeTarget = defineTarget({
  name: "document/diff and merge",
  weight: 0.5,
  open: () => ({
    arbitrary: fc.tuple(documents, documents),
    check: ([one, other]) => {
      const lines = diffOfLines(one, other);
      const made = (without: string) => lines.filter(({ kind }) => kind !== without).map(({ text }) => text);
      const wanted = (text: string) => splitLines(text).map((line) => line.replace(/\n$/, ""));
      if (one !== other) {
        hold(made("added").join("\n") === wanted(one).join("\n"), "the diff has another text of before");
        hold(made("removed").join("\n") === wanted(other).join("\n"), "the diff has another text now");
      }
      hold(mergeTexts(one, one, other) === other, "a merge lost what only one side changed");
      hold(mergeTexts(one, other, one) === other, "a merge lost what only the other side changed");
    },
  }),
});

const settingsTarget = defineTarget({
  name: "document/settings and patch files",
  open: () => {
    const seeds = [
      'default_agent = "mine"\nsnapshot = "file"\n[agents.mine]\ncommand = "a"\nargs = ["--b"]\n',
      '[status]\nmode = "append"\ntimestamp = true\nmax_entries = 3\npre_patch = "cat"\n',
      '{"file":"/x/plan.md","patches":[{"component":"status","content":"a"}],"unmatched":"","baseline":"","modes":{"a":{"mode":"append"}}}',
    ];
    return {
      arbitrary: fc.oneof(mutatedText(seeds, 4), hostileText),
      check: (text) => {
        orRefused(() => parseDocumentConfig(text, "config.toml"));
        orRefused(() => parseComponentConfig(text, "components.toml"));
        const patch = readPatchFile(text);
        hold(patch === null || typeof patch.file === "string", "a patch file without a file");
      },
    };
  },
});

/** What an agent prints may be anything: it is an answer, or refused, or not understood; `askBackend` makes one refusal of both. */
const printTarget = defineTarget({
  name: "document/what agents print",
  open: () => {
    const seeds = [
      '{"type":"thread.started","thread_id":"a"}\n{"type":"item.completed","item":{"type":"agent_message","text":"hi"}}\n',
      'Loaded.\n{"session_id":"a","response":"hi"}',
      '{"type":"text","sessionID":"s","part":{"text":"hi"}}\n',
      '{"type":"session","id":"a"}\n{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"hi"}]}}\n',
      '{"type":"result","is_error":false,"result":"hi","session_id":"a"}',
    ];
    const modes = createAdapterRegistry()
      .list()
      .flatMap(({ printMode }) => printMode ?? []);
    return {
      arbitrary: fc.oneof(mutatedText(seeds, 3), hostileText),
      check: (text) => {
        for (const { parse } of modes) {
          let answer;
          try {
            answer = parse(text);
          } catch (error) {
            hold(error instanceof Error, "no error was thrown");
            continue;
          }
          hold(typeof answer.text === "string", "an answer without a text");
        }
      },
    };
  },
});

export const documentTargets = (): FuzzTarget[] => [
  frontmatterTarget,
  responseTarget,
  mergeTarget,
  settingsTarget,
  printTarget,
];

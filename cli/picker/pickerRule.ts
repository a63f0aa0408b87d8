// A rule about what the selected pane asks, in the picker: it is shown as it would stand in the file, and put there. It arms nothing.
import type { PaneView } from "../../core/model/view.ts";
import { DRAFT_VERDICTS } from "../../ui/text/ruleText.ts";
import { askAutomation } from "../askAutomation.ts";
import type { Key } from "./keyReader.ts";
import { ModeQuestions } from "./modeQuestions.ts";
import type { PickerHistoryDeps } from "./pickerHistory.ts";
import type { RuleMode } from "./pickerState.ts";

const SURFACE = "picker";

export interface PickerRuleDeps extends PickerHistoryDeps {
  readonly wasRead: (key: string) => boolean;
}

/** Names what is shown: only a rule that was read is put into the file. */
export const ruleCardKey = ({ draft }: RuleMode): string => `rule ${draft?.text ?? ""}`;

export class PickerRule {
  private readonly deps: PickerRuleDeps;
  private readonly questions: ModeQuestions<RuleMode>;

  constructor(deps: PickerRuleDeps) {
    this.deps = deps;
    this.questions = new ModeQuestions({
      client: deps.client,
      current: () => {
        const { mode } = deps.state();
        return mode.kind === "rule" ? mode : null;
      },
      put: (mode) => deps.change({ mode }),
    });
  }

  open(pane: PaneView): void {
    this.show({ kind: "rule", pane, verdict: "approve", draft: null, isAdded: false, problem: null });
  }

  key({ name }: Key, mode: RuleMode, isBurst: boolean): void {
    if (mode.isAdded || name === "Escape" || name === "q")
      return this.deps.change({ mode: { kind: "list" } });
    if (name === "Tab") {
      const next = DRAFT_VERDICTS[(DRAFT_VERDICTS.indexOf(mode.verdict) + 1) % DRAFT_VERDICTS.length];
      return this.show({ ...mode, verdict: next ?? "approve", draft: null, problem: null });
    }
    if (name === "Enter" && !isBurst && mode.draft !== null && this.deps.wasRead(ruleCardKey(mode)))
      void this.add(mode.draft.text);
  }

  private show(mode: RuleMode): void {
    this.deps.change({ mode });
    const { identity, prompt_fingerprint: fingerprint } = mode.pane;
    const input = { runtimeId: identity.runtime_id ?? "none", fingerprint, verdict: mode.verdict };
    void this.questions.ask(
      (client) => askAutomation(client, "ruleDraft", "query", input),
      (draft, now) => ({ ...now, draft }),
    );
  }

  private async add(text: string): Promise<void> {
    await this.questions.ask(
      (client) => askAutomation(client, "ruleAdd", "mutation", { text, surface: SURFACE }),
      (_rule, now) => ({ ...now, isAdded: true }),
    );
  }
}

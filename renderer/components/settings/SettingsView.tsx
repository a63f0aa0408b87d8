// The settings: a list of sections, and the page of one; the pages of targets and appearance are here. Esc goes up one level; at
// the top it closes the settings.
import { useState } from "react";
import type { TargetView } from "../../../core/model/view.ts";
import type { Api, Host } from "../../state/connectHost.ts";
import { useEscape } from "../../hooks/useKeyboard.ts";
import { TEXT_SIZES, THEMES, type Appearance } from "../../../core/model/words.ts";
import type { Failure } from "../../../ui/actions/actionStatus.ts";
import { ActionButton } from "../Buttons.tsx";
import { AddTarget, TargetCard } from "./Targets.tsx";
import { AgentsPage, IntegrationsPage } from "./IntegrationsPage.tsx";
import { CommandLinePage, ShortcutsPage, TerminalPage } from "./DesktopPages.tsx";
import { DiagnosticsPage } from "./DiagnosticsPage.tsx";
import { GeneralPage, NotificationsPage } from "./ConfigPages.tsx";
import { Page, Choice, FailureText, Group } from "../fields.tsx";
import own from "./SettingsView.module.css";
import styles from "../settings.module.css";

const SECTIONS = [
  { id: "targets", label: "Machines", hint: "This one, and others over SSH" },
  { id: "integrations", label: "Integrations", hint: "Instant, exact status by hooks" },
  { id: "notifications", label: "Notifications", hint: "What to notify you about, and when" },
  { id: "appearance", label: "Appearance", hint: "Theme and text size" },
  { id: "shortcuts", label: "Shortcuts", hint: "Keys here, and one to open this window" },
  { id: "terminal", label: "Terminal", hint: "Where panes open" },
  { id: "agents", label: "Agents", hint: "Which agents are detected" },
  { id: "general", label: "General", hint: "Launch at login, data retention" },
  { id: "command", label: "Command line", hint: "The agtmux command" },
  { id: "diagnostics", label: "Diagnostics", hint: "Check everything, copy a report" },
] as const;
export type SectionId = (typeof SECTIONS)[number]["id"];

const labelOf = (id: SectionId): string => SECTIONS.find((section) => section.id === id)?.label ?? id;

export const TargetsPage = ({ api, targets }: { api: Api; targets: readonly TargetView[] }) => {
  const [told, setTold] = useState("");
  return (
    <>
      <p className={styles.told} role="status">
        {told}
      </p>
      <ul className={styles.cards} aria-label="Machines">
        {targets.map((target) => (
          <TargetCard key={target.target} api={api} target={target} onTold={setTold} />
        ))}
      </ul>
      <AddTarget api={api} taken={targets} onTold={setTold} />
    </>
  );
};

interface AppearancePageProps {
  appearance: Appearance;
  /** Why the daemon did not keep the last choice. */
  notKept: Failure | null;
  onChange: (appearance: Appearance) => void;
}

const THEME_LABELS = { system: "System", light: "Light", dark: "Dark" } as const;

export const AppearancePage = ({ appearance, notKept, onChange }: AppearancePageProps) => (
  <Group title="Popover">
    <FailureText failure={notKept} />
    <Choice
      label="Theme"
      value={appearance.theme}
      options={THEMES.map((theme) => ({ value: theme, label: THEME_LABELS[theme] }))}
      onChange={(value) => {
        const theme = THEMES.find((one) => one === value);
        if (theme !== undefined) onChange({ ...appearance, theme });
      }}
    />
    <Choice
      label="Text size"
      value={String(appearance.textSize)}
      options={TEXT_SIZES.map((size) => ({ value: String(size), label: `${size} %` }))}
      onChange={(value) => {
        const textSize = TEXT_SIZES.find((one) => String(one) === value);
        if (textSize !== undefined) onChange({ ...appearance, textSize });
      }}
    />
  </Group>
);

interface SettingsViewProps {
  host: Host;
  targets: readonly TargetView[];
  /** How many panes wait for the person; shown so that they are not forgotten here. */
  waitingCount: number;
  appearance: Appearance;
  notKept: Failure | null;
  onAppearance: (appearance: Appearance) => void;
  /** Null: the list of sections. */
  section: SectionId | null;
  onSection: (section: SectionId | null) => void;
  onSetup: () => void;
  onLeave: () => void;
}

const Section = (props: SettingsViewProps & { section: SectionId }) => {
  const { host, targets } = props;
  switch (props.section) {
    case "targets":
      return <TargetsPage api={host.api} targets={targets} />;
    case "integrations":
      return <IntegrationsPage api={host.api} targets={targets} />;
    case "notifications":
      return <NotificationsPage host={host} targets={targets} />;
    case "appearance":
      return (
        <AppearancePage appearance={props.appearance} notKept={props.notKept} onChange={props.onAppearance} />
      );
    case "shortcuts":
      return <ShortcutsPage desktop={host.desktop} />;
    case "terminal":
      return <TerminalPage desktop={host.desktop} />;
    case "agents":
      return <AgentsPage api={host.api} />;
    case "general":
      return <GeneralPage host={host} />;
    case "command":
      return <CommandLinePage host={host} />;
    case "diagnostics":
      return <DiagnosticsPage host={host} targets={targets} />;
  }
};

const SectionText = ({ label, hint }: { label: string; hint: string }) => (
  <>
    <span className={own.sectionText}>
      <span>{label}</span>
      <span className={own.sectionHint}>{hint}</span>
    </span>
    <svg className={own.chevron} viewBox="0 0 16 16" aria-hidden="true">
      <path d="m6 3.5 4.5 4.5-4.5 4.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  </>
);

const Sections = ({ onSection, onSetup }: Pick<SettingsViewProps, "onSection" | "onSetup">) => (
  <nav aria-label="Sections">
    <ul className={own.sections}>
      {SECTIONS.map(({ id, label, hint }) => (
        <li key={id}>
          <button type="button" className={own.section} onClick={() => onSection(id)}>
            <SectionText label={label} hint={hint} />
          </button>
        </li>
      ))}
      <li>
        <button type="button" className={own.section} onClick={onSetup}>
          <SectionText label="Run setup again" hint="Hooks for every agent found" />
        </button>
      </li>
    </ul>
  </nav>
);

export const SettingsView = (props: SettingsViewProps) => {
  const { section, waitingCount, onSection, onLeave } = props;
  const back = () => (section === null ? onLeave() : onSection(null));
  useEscape(back);
  return (
    <div className={styles.view}>
      <Page
        key={section ?? ""}
        title={section === null ? "Settings" : labelOf(section)}
        backLabel={section === null ? "Agents" : "Settings"}
        onBack={back}
        isText={section === "shortcuts" || section === "terminal"}
        aside={
          waitingCount > 0 && (
            <span role="status" className={own.waiting}>
              <ActionButton onClick={onLeave}>
                {waitingCount === 1 ? "1 needs you" : `${waitingCount} need you`}
              </ActionButton>
            </span>
          )
        }
      >
        {section === null ? <Sections {...props} /> : <Section {...props} section={section} />}
      </Page>
    </div>
  );
};

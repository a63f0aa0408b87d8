// What every page over config.json has in common: waiting, a file that is not valid, and what was refused.
import type { ReactNode } from "react";
import type { SettingValues } from "../../../core/model/settings.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { ActionButton } from "../ActionButton.tsx";
import { FailureText } from "./fields.tsx";
import styles from "./settings.module.css";
import type { SettingsState } from "./useSettings.ts";

interface ConfigPageProps {
  settings: SettingsState;
  children: (values: SettingValues) => ReactNode;
}

export const ConfigPage = ({ settings, children }: ConfigPageProps) => (
  <>
    {settings.failure !== null && (
      <div className={styles.notice}>
        <FailureText failure={settings.failure} />
        <ActionButton onClick={settings.reload}>Try again</ActionButton>
      </div>
    )}
    {settings.refused !== null && <FailureText failure={settings.refused.failure} />}
    {settings.value === null && settings.failure === null && <p role="status">Reading…</p>}
    {settings.value !== null && settings.value.problem !== null && (
      <p className={styles.failure} role="alert">
        Nothing can be changed here before that file is right; the last good settings stay in force.{" "}
        {displaySentence(settings.value.problem)}
      </p>
    )}
    {settings.value !== null && children(settings.value.values)}
    {settings.value !== null && (
      <p className={styles.foot}>
        Kept in <code>{displayLine(settings.value.path)}</code>.
      </p>
    )}
  </>
);

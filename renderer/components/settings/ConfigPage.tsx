// The common part of all pages over config.json. It reads the settings once, writes each change at once and shows what the
// daemon answers. It also shows that it waits, that the file is invalid, and what was refused.
import { useCallback, useState, type ReactNode } from "react";
import type { SettingKey } from "../../../core/model/settingKeys.ts";
import type { Settings, SettingValues } from "../../../core/model/settings.ts";
import type { Failure } from "../../../ui/actions/actionStatus.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { toFailure, type Api } from "../../connection/connectHost.ts";
import { RetryFailure, FailureText } from "./fields.tsx";
import styles from "./settings.module.css";
import { useAsk, type Asked } from "./useAsk.ts";

export interface SettingsState extends Asked<Settings> {
  set: <K extends SettingKey>(key: K, value: SettingValues[K]) => void;
  refused: { key: SettingKey; failure: Failure } | null;
}

export const useSettings = (api: Api): SettingsState => {
  const asked = useAsk("settings", () => api.configGet.query());
  const [refused, setRefused] = useState<SettingsState["refused"]>(null);
  const { put } = asked;
  const set = useCallback(
    <K extends SettingKey>(key: K, value: SettingValues[K]) => {
      api.configSet.mutate({ key, value }).then(
        (next) => {
          put(next);
          setRefused(null);
        },
        (error: unknown) => setRefused({ key, failure: toFailure(error) }),
      );
    },
    [api, put],
  );
  return { ...asked, set, refused };
};

interface ConfigPageProps {
  settings: SettingsState;
  children: (values: SettingValues) => ReactNode;
}

export const ConfigPage = ({ settings, children }: ConfigPageProps) => (
  <>
    <RetryFailure {...settings} />
    {settings.refused !== null && <FailureText failure={settings.refused.failure} />}
    {settings.value === null && settings.failure === null && <p role="status">Reading…</p>}
    {settings.value !== null && settings.value.problem !== null && (
      <p className={styles.failure} role="alert">
        Nothing can be changed here until that file is correct; the last good settings stay in force.{" "}
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

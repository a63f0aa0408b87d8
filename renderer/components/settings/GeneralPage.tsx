// Launch at login, and what the daemon keeps and for how long.
import type { SettingKey } from "../../../core/model/settingKeys.ts";
import type { SettingValues } from "../../../core/model/settings.ts";
import { displaySentence } from "../../../ui/text/displayText.ts";
import type { DesktopApi, Host } from "../../connection/connectHost.ts";
import { ConfigPage, useSettings, type SettingsState } from "./ConfigPage.tsx";
import { Absent, FailureText, Group, TextField, Toggle } from "./fields.tsx";
import { useDesktop } from "./useDesktop.ts";
import styles from "./settings.module.css";

const AtLogin = ({ api }: { api: DesktopApi }) => {
  const { value, failure, task, change } = useDesktop(api);
  return (
    <>
      <FailureText failure={failure ?? task.failure} />
      {value?.launchAtLogin.isSupported === false && (
        <Absent>{displaySentence(value.launchAtLogin.problem ?? "The app cannot arrange this here")}</Absent>
      )}
      {value?.launchAtLogin.isSupported === true && (
        <Toggle
          label="Launch at login"
          isOn={value.launchAtLogin.isOn}
          onChange={(isOn) => change(() => api.desktop.setLaunchAtLogin.mutate({ isOn }))}
        />
      )}
      {value?.launchAtLogin.isSupported === true && value.launchAtLogin.problem !== null && (
        <p className={styles.failure}>{displaySentence(value.launchAtLogin.problem)}</p>
      )}
    </>
  );
};

export const LaunchAtLogin = ({ desktop }: { desktop: DesktopApi | null }) => (
  <Group title="Start">
    {desktop === null ? (
      <Absent>Launch at login is a choice of the desktop app; this is the popover in a browser.</Absent>
    ) : (
      <AtLogin api={desktop} />
    )}
  </Group>
);

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

type NumberKey = { [K in SettingKey]: SettingValues[K] extends number ? K : never }[SettingKey];

interface NumberRow {
  key: NumberKey;
  label: string;
  unit: string;
  /** The number that stands for one unit in the file. */
  factor: number;
  hint?: string;
}

const KEPT: readonly NumberRow[] = [
  { key: "retention.max_age_days", label: "History of states for", unit: "days", factor: 1 },
  { key: "retention.max_events", label: "At most", unit: "events", factor: 1, hint: "The oldest go first." },
];
const SHOWN: readonly NumberRow[] = [
  {
    key: "timing.completed_demotion_ms",
    label: "“Done” becomes “idle” after",
    unit: "s",
    factor: 1_000,
  },
  {
    key: "timing.crashed_visible_ms",
    label: "A crash stays listed for",
    unit: "days",
    factor: DAY_MS,
    hint: "Unless you dismiss it.",
  },
  {
    key: "idle_shutdown_ms",
    label: "A daemon started on demand leaves after",
    unit: "min",
    factor: MINUTE_MS,
    hint: "When nobody is connected to it.",
  },
];

const Rows = (props: { rows: readonly NumberRow[]; values: SettingValues; set: SettingsState["set"] }) =>
  props.rows.map(({ key, label, unit, factor, hint }) => (
    <TextField
      key={key}
      label={label}
      type="number"
      unit={unit}
      {...(hint === undefined ? {} : { hint })}
      value={String(Math.round((props.values[key] / factor) * 100) / 100)}
      onCommit={(typed) => props.set(key, Math.round(Number(typed) * factor))}
    />
  ));

export const GeneralPage = ({ host }: { host: Host }) => {
  const settings = useSettings(host.api);
  return (
    <>
      <LaunchAtLogin desktop={host.desktop} />
      <ConfigPage settings={settings}>
        {(values) => (
          <>
            <Group title="Kept on this machine">
              <Rows rows={KEPT} values={values} set={settings.set} />
            </Group>
            <Group title="Shown">
              <Rows rows={SHOWN} values={values} set={settings.set} />
            </Group>
          </>
        )}
      </ConfigPage>
    </>
  );
};

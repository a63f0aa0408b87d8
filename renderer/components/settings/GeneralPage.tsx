// Launch at login, and what the daemon keeps and for how long.
import type { SettingKey, SettingValues } from "../../../core/model/settings.ts";
import type { Host } from "../../connection/connectHost.ts";
import { ConfigPage } from "./ConfigPage.tsx";
import { Group, TextField } from "./fields.tsx";
import { LaunchAtLogin } from "./LaunchAtLogin.tsx";
import { useSettings, type SettingsState } from "./useSettings.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

type NumberKey = { [K in SettingKey]: SettingValues[K] extends number ? K : never }[SettingKey];

interface NumberRow {
  key: NumberKey;
  label: string;
  unit: string;
  /** What one of the unit is in the file. */
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

// Settings pages over config.json, general and notifications, and what they share: the settings are read once, each change is
// written at once, and the page shows that it waits, that the file is invalid, and what the daemon answered or refused.
import { useCallback, useState, type ReactNode } from "react";
import type { SettingKey } from "../../../core/model/settingKeys.ts";
import type { Settings, SettingValues } from "../../../core/model/config.ts";
import type { Failure } from "../../../ui/actions/actionStatus.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { toFailure, type Api, type DesktopApi, type Host } from "../../state/connectHost.ts";
import { RetryFailure, FailureText, Absent, Group, TextField, Toggle, Choice } from "../fields.tsx";
import styles from "../settings.module.css";
import { useAsk, type Asked, useDesktop, useTask } from "../../hooks/useAsk.ts";
import { ActionButton } from "../Buttons.tsx";
import { NOTIFICATION_KINDS, type NotificationKind } from "../../../core/model/notifications.ts";
import type { TargetView } from "../../../core/model/view.ts";

interface SettingsState extends Asked<Settings> {
  set: <K extends SettingKey>(key: K, value: SettingValues[K]) => void;
  refused: { key: SettingKey; failure: Failure } | null;
}

const useSettings = (api: Api): SettingsState => {
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

const ConfigPage = ({ settings, children }: ConfigPageProps) => (
  <>
    <RetryFailure {...settings} />
    {settings.refused !== null && <FailureText failure={settings.refused.failure} />}
    {settings.value === null && settings.failure === null && <p role="status">Reading…</p>}
    {settings.value !== null && settings.value.problem !== null && (
      <p className={styles.failure} role="alert">
        Fix that file to change settings here; the last valid settings stay in effect.{" "}
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

// General: launch at login, and what the daemon keeps and for how long.

const AtLogin = ({ api }: { api: DesktopApi }) => {
  const { value, failure, task, change } = useDesktop(api);
  return (
    <>
      <FailureText failure={failure ?? task.failure} />
      {value?.launchAtLogin.isSupported === false && (
        <Absent>{displaySentence(value.launchAtLogin.problem ?? "Not available on this system")}</Absent>
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

const LaunchAtLogin = ({ desktop }: { desktop: DesktopApi | null }) => (
  <Group title="Start">
    {desktop === null ? (
      <Absent>Launch at login needs the desktop app; this is the popover in a browser.</Absent>
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
  { key: "retention.max_age_days", label: "Keep state history for", unit: "days", factor: 1 },
  {
    key: "retention.max_events",
    label: "At most",
    unit: "events",
    factor: 1,
    hint: "The oldest are deleted first.",
  },
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
    label: "Keep crashes listed for",
    unit: "days",
    factor: DAY_MS,
    hint: "Unless you dismiss them.",
  },
  {
    key: "idle_shutdown_ms",
    label: "Stop the idle service after",
    unit: "min",
    factor: MINUTE_MS,
    hint: "When no app or command is connected.",
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

const AWAKE_CHOICES: readonly (readonly [SettingValues["keep_awake"], string])[] = [
  ["never", "Never"],
  ["working", "Always"],
  ["working_on_power", "On power only"],
];

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
              <Toggle
                label="Conflicts between worktrees"
                hint="Marks agents whose branches conflict or that edit the same files. Merges are tried in a folder of agtmux's own."
                isOn={values.conflicts}
                onChange={(isOn) => settings.set("conflicts", isOn)}
              />
              <Toggle
                label="Pull requests and checks"
                hint="Asks GitHub and GitLab about the branches that agents work on, once a minute at most, by your own gh and glab."
                isOn={values.pull_requests}
                onChange={(isOn) => settings.set("pull_requests", isOn)}
              />
            </Group>
            <Group title="Limits">
              <Toggle
                label="Limits of accounts"
                hint="What agents say of their providers' limits, from files that they write anyway: with the machines, and above the list when more than 80 % are used."
                isOn={values.limits}
                onChange={(isOn) => settings.set("limits", isOn)}
              />
            </Group>
            <Group title="Newer releases">
              <Toggle
                label="Look for a newer agtmux"
                hint="Once a day at most. What is found is shown with this machine; nothing is installed by itself."
                isOn={values["releases.check"]}
                onChange={(isOn) => settings.set("releases.check", isOn)}
              />
            </Group>
            <Group title="While agents work">
              <Choice
                label="Keep this machine awake"
                hint="While an agent of this machine works or a text is due within the hour. The display and a closed lid sleep as ever."
                value={values.keep_awake}
                options={AWAKE_CHOICES.map(([value, label]) => ({ value, label }))}
                onChange={(chosen) => {
                  const choice = AWAKE_CHOICES.find(([value]) => value === chosen)?.[0];
                  if (choice !== undefined) settings.set("keep_awake", choice);
                }}
              />
            </Group>
          </>
        )}
      </ConfigPage>
    </>
  );
};

/** Shows a notification to see whether the system lets it through. Only the desktop app can. */
export const TestNotification = ({ desktop }: { desktop: DesktopApi | null }) => {
  const task = useTask();
  const [result, setResult] = useState<{ problem: string | null } | null>(null);
  return (
    <Group title="Does it work?">
      {desktop === null ? (
        <Absent>
          The desktop app shows notifications; this is the popover in a browser. These settings apply to the
          app.
        </Absent>
      ) : (
        <div className={styles.field}>
          <ActionButton
            onClick={() =>
              void task.run(async () => setResult(await desktop.desktop.testNotification.mutate()))
            }
          >
            Show a test notification
          </ActionButton>
          {result !== null && (
            <p role="status" className={result.problem === null ? styles.good : styles.failure}>
              {result.problem === null
                ? "Sent. If you saw nothing, check the system's notification settings and focus mode."
                : displaySentence(result.problem)}
            </p>
          )}
          <FailureText failure={task.failure} />
        </div>
      )}
    </Group>
  );
};

// Notifications: what causes one, how it sounds, and when it is quiet: `notifications` of config.json, which the daemon obeys for
// every surface.

const KIND_LABELS: Readonly<Record<NotificationKind, string>> = {
  waiting_approval: "Needs approval",
  waiting_input: "Needs an answer",
  error: "Error",
  completed: "Done",
};
const MAC_SOUNDS = [
  "Basso",
  "Blow",
  "Bottle",
  "Frog",
  "Funk",
  "Glass",
  "Hero",
  "Morse",
  "Ping",
  "Pop",
  "Purr",
  "Sosumi",
  "Submarine",
  "Tink",
];
const QUIET_FROM_START = { from: "22:00", to: "08:00" };

interface PartProps {
  values: SettingValues;
  set: SettingsState["set"];
}

const Kinds = ({ values, set, isMac }: PartProps & { isMac: boolean }) => (
  <Group title="Tell me">
    {NOTIFICATION_KINDS.map((kind) => {
      const sound = values[`notifications.sounds.${kind}`];
      const names = ["default", "none", ...(isMac ? MAC_SOUNDS : [])];
      return (
        <div key={kind}>
          <Toggle
            label={KIND_LABELS[kind]}
            isOn={values[`notifications.${kind}`]}
            onChange={(isOn) => set(`notifications.${kind}`, isOn)}
          />
          {values[`notifications.${kind}`] && (
            <Choice
              label="Sound"
              fullLabel={`Sound of “${KIND_LABELS[kind].toLowerCase()}”`}
              value={sound}
              options={[...new Set([...names, sound])].map((name) => ({
                value: name,
                label: name === "default" ? "System default" : name === "none" ? "Silent" : displayLine(name),
              }))}
              onChange={(name) => set(`notifications.sounds.${kind}`, name)}
            />
          )}
        </div>
      );
    })}
  </Group>
);

const Quiet = ({ values, set }: PartProps) => {
  const quiet = values["notifications.quiet_hours"];
  return (
    <Group title="Quiet hours">
      <Toggle
        label="Quiet hours every day"
        hint="No notifications then; the menu bar still counts who needs you."
        isOn={quiet !== null}
        onChange={(isOn) => set("notifications.quiet_hours", isOn ? QUIET_FROM_START : null)}
      />
      {quiet !== null &&
        (["from", "to"] as const).map((end) => (
          <TextField
            key={end}
            label={end === "from" ? "From" : "Until"}
            type="time"
            value={quiet[end]}
            onCommit={(time) => set("notifications.quiet_hours", { ...quiet, [end]: time })}
          />
        ))}
    </Group>
  );
};

const Targets = ({ values, set, targets }: PartProps & { targets: readonly TargetView[] }) => {
  const muted = values["notifications.muted_targets"];
  return (
    <Group title="Machines">
      {targets.map(({ target }) => (
        <Toggle
          key={target}
          label={target === "host" ? "This machine" : displayLine(target)}
          isOn={!muted.includes(target)}
          onChange={(isOn) =>
            set(
              "notifications.muted_targets",
              isOn ? muted.filter((one) => one !== target) : [...muted, target],
            )
          }
        />
      ))}
    </Group>
  );
};

/** Only those that are muted: an agent is muted where set-up says that it notifies by itself. */
const MutedAgents = ({ values, set }: PartProps) => {
  const muted = values["notifications.muted_agents"];
  return (
    muted.length > 0 && (
      <Group title="Agents">
        {muted.map((agent) => (
          <Toggle
            key={agent}
            label={displayLine(agent)}
            hint="It sends its own notifications."
            isOn={false}
            onChange={() =>
              set(
                "notifications.muted_agents",
                muted.filter((one) => one !== agent),
              )
            }
          />
        ))}
      </Group>
    )
  );
};

const Bounds = ({ values, set }: PartProps) => (
  <Group title="Frequency">
    <TextField
      label="Same agent again after"
      type="number"
      unit="s"
      value={String(values["notifications.cooldown_ms"] / 1_000)}
      onCommit={(seconds) => set("notifications.cooldown_ms", Number(seconds) * 1_000)}
    />
    <TextField
      label="Group"
      type="number"
      unit="or more"
      value={String(values["notifications.group_from"])}
      onCommit={(count) => set("notifications.group_from", Number(count))}
    />
  </Group>
);

export const NotificationsPage = ({ host, targets }: { host: Host; targets: readonly TargetView[] }) => {
  const settings = useSettings(host.api);
  const { set } = settings;
  return (
    <ConfigPage settings={settings}>
      {(values) => (
        <>
          <TestNotification desktop={host.desktop} />
          <Kinds values={values} set={set} isMac={navigator.userAgent.includes("Mac OS")} />
          <Quiet values={values} set={set} />
          <Targets values={values} set={set} targets={targets} />
          <MutedAgents values={values} set={set} />
          <Bounds values={values} set={set} />
        </>
      )}
    </ConfigPage>
  );
};

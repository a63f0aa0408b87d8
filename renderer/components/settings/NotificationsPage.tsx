// What causes a notification, how it sounds, and when it is quiet: the `notifications` of config.json, which the daemon obeys
// for every surface.
import { NOTIFICATION_KINDS, type NotificationKind } from "../../../core/model/notificationPolicy.ts";
import type { SettingValues } from "../../../core/model/settings.ts";
import type { TargetView } from "../../../core/model/view.ts";
import type { Host } from "../../connection/connectHost.ts";
import { displayLine } from "../../../ui/text/displayText.ts";
import { ConfigPage, useSettings, type SettingsState } from "./ConfigPage.tsx";
import { Choice, Group, TextField, Toggle } from "./fields.tsx";
import { TestNotification } from "./TestNotification.tsx";

const KIND_LABELS: Readonly<Record<NotificationKind, string>> = {
  waiting_approval: "Needs approval",
  waiting_input: "Needs an answer",
  error: "Error",
  completed: "Done",
};
/** The alert sounds that macOS brings. */
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
        label="Be quiet every day"
        hint="Nothing is shown in that time; what waits is still counted in the menu bar."
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
    <Group title="Of these machines">
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

const Bounds = ({ values, set }: PartProps) => (
  <Group title="Not too often">
    <TextField
      label="Same agent again after"
      type="number"
      unit="s"
      value={String(values["notifications.cooldown_ms"] / 1_000)}
      onCommit={(seconds) => set("notifications.cooldown_ms", Number(seconds) * 1_000)}
    />
    <TextField
      label="Together as one from"
      type="number"
      unit="at once"
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
          <Bounds values={values} set={set} />
        </>
      )}
    </ConfigPage>
  );
};

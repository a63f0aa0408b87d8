// Whether the app starts with the person's session. Only the app can say and change that.
import type { DesktopApi } from "../../connection/connectHost.ts";
import { displaySentence } from "../../../ui/text/displayText.ts";
import { Absent, FailureText, Group, Toggle } from "./fields.tsx";
import styles from "./settings.module.css";
import { useDesktop } from "./useDesktop.ts";

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

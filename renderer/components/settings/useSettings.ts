// The daemon's own settings as the pages show them: read once, and each change written at once and shown as the daemon
// answers it. A refusal stays with the key that it is about.
import { useCallback, useState } from "react";
import type { Settings, SettingKey, SettingValues } from "../../../core/model/settings.ts";
import { toFailure, type Api } from "../../connection/connectHost.ts";
import type { Failure } from "../../../ui/actions/actionStatus.ts";
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

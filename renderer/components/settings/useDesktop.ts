// The state of the app around the page, and the calls that change it; each answers with the new state.
import { useCallback } from "react";
import type { DesktopState } from "../../../core/model/desktop.ts";
import type { DesktopApi } from "../../connection/connectHost.ts";
import { useAsk, type Asked } from "./useAsk.ts";
import { useTask, type Task } from "./useTask.ts";

export interface Desktop extends Asked<DesktopState> {
  task: Task;
  change: (work: () => Promise<DesktopState>) => void;
}

export const useDesktop = (api: DesktopApi): Desktop => {
  const asked = useAsk("desktop", () => api.desktop.state.query());
  const task = useTask();
  const { put } = asked;
  const { run } = task;
  const change = useCallback(
    (work: () => Promise<DesktopState>) => void run(async () => put(await work())),
    [put, run],
  );
  return { ...asked, task, change };
};

// Which agents are recognised in panes, what is known of each, and the person's files that add to them.
import type { AdapterView } from "../../../core/model/adapterView.ts";
import type { Api } from "../../connection/connectHost.ts";
import { displayLine } from "../../../ui/text/displayText.ts";
import { FailureText, Group, Toggle } from "./fields.tsx";
import styles from "./settings.module.css";
import { useAsk } from "./useAsk.ts";
import { useTask } from "./useTask.ts";

const aboutOf = ({ verified, recorded_versions: versions, source, files }: AdapterView): string =>
  [
    verified
      ? versions.length > 0
        ? `Checked against recordings of ${versions.map(displayLine).join(", ")}`
        : "Checked against recordings"
      : "Unverified: no recording of it was at hand",
    ...(source === "built-in" ? [] : [`with ${files.map(displayLine).join(", ")}`]),
  ].join("; ");

export const AgentsPage = ({ api }: { api: Api }) => {
  const { value, failure, reload } = useAsk("adapters", () => api.adapters.query());
  const task = useTask();
  const set = (agent: string, enabled: boolean) =>
    void task.run(async () => {
      await api.adapterSwitch.mutate({ agent, enabled });
      reload();
    });
  if (value === null)
    return failure === null ? <p role="status">Reading…</p> : <FailureText failure={failure} />;
  return (
    <>
      <p className={styles.intro}>
        A pane of an agent that is switched off counts as a pane without an agent.
      </p>
      <FailureText failure={task.failure ?? failure} />
      <Group title="Recognised">
        {value.items.map((adapter) => (
          <Toggle
            key={adapter.agent_type}
            label={displayLine(adapter.display_name)}
            hint={`${aboutOf(adapter)}.`}
            isOn={adapter.enabled}
            onChange={(enabled) => set(adapter.agent_type, enabled)}
          />
        ))}
      </Group>
      {value.problems.length > 0 && (
        <Group title="Files that are not in force">
          {value.problems.map(({ file, line, path, message }) => (
            <p key={`${file}:${line}:${path}:${message}`} className={styles.failure}>
              {displayLine(`${file}:${line}: ${path === "" ? "" : `${path}: `}${message}`)}
            </p>
          ))}
        </Group>
      )}
    </>
  );
};

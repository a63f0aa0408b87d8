// What the popover says when there is no row to show, and why there is none.
import type { TargetView } from "../../core/model/view.ts";
import styles from "./EmptyView.module.css";

export type Emptiness = "loading" | "unreached" | "no_tmux" | "no_agents" | "filtered" | "gone";

/** `no_tmux` only when every target answers and none has a tmux server: otherwise the problems say what is wrong. */
export const whyEmpty = (options: {
  hasSnapshot: boolean;
  isLost: boolean;
  total: number;
  isFiltered: boolean;
  targets: Iterable<TargetView>;
}): Emptiness => {
  if (!options.hasSnapshot) return options.isLost ? "unreached" : "loading";
  if (options.total > 0) return options.isFiltered ? "filtered" : "gone";
  const servers = [...options.targets].flatMap((target) => target.servers);
  return servers.every((server) => server.status === "no_server") ? "no_tmux" : "no_agents";
};

const TEXT: Readonly<Record<Emptiness, readonly [string, string]>> = {
  loading: ["Looking…", "Reading tmux for the first time."],
  unreached: ["Nothing to show yet", "The list appears as soon as the daemon answers."],
  no_tmux: ["No tmux server is running", "Start tmux, run an agent in it, and it appears here."],
  no_agents: ["No agents", "Start a coding agent in a tmux pane and it appears here."],
  filtered: ["Nothing matches", "Press Esc to clear the search."],
  gone: ["Nothing here any more", "Its last agent has ended. Press Esc to go back."],
};

export const EmptyView = ({ why }: { why: Emptiness }) => {
  const [title, hint] = TEXT[why];
  return (
    <div className={styles.empty} data-why={why} role="status">
      <p className={styles.title}>{title}</p>
      <p>{hint}</p>
    </div>
  );
};

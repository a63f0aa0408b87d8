// The machines that are watched: how each is, and adding one from the hosts of the person's SSH configuration. Health comes
// from the feed, so that it is the daemon's of now.
import { useState } from "react";
import type { TargetView } from "../../../core/model/view.ts";
import type { Api } from "../../connection/connectHost.ts";
import { AddTarget } from "./AddTarget.tsx";
import { TargetCard } from "./TargetCard.tsx";
import styles from "./settings.module.css";

export const TargetsPage = ({ api, targets }: { api: Api; targets: readonly TargetView[] }) => {
  const [told, setTold] = useState("");
  return (
    <>
      <p className={styles.told} role="status">
        {told}
      </p>
      <ul className={styles.cards} aria-label="Targets">
        {targets.map((target) => (
          <TargetCard key={target.target} api={api} target={target} onTold={setTold} />
        ))}
      </ul>
      <AddTarget api={api} taken={targets} onTold={setTold} />
    </>
  );
};

// Offers the setup on top of the list, once. It takes no place away from what runs already.
import { ActionButton } from "../ActionButton.tsx";
import styles from "./onboarding.module.css";

export const OnboardingOffer = ({ onStart, onRefuse }: { onStart: () => void; onRefuse: () => void }) => (
  <section className={styles.offer} aria-label="Setup">
    <p>New here? Four steps prove that you see every agent and hear of every wait.</p>
    <div className={styles.buttons}>
      <ActionButton tone="primary" onClick={onStart}>
        Set up
      </ActionButton>
      <ActionButton onClick={onRefuse}>Not now</ActionButton>
    </div>
  </section>
);

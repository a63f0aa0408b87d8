// Which part of the popover is shown: the lists, the settings or the set-up; what is shown when drawing fails; and the window's own
// settings: how it looks, and whether the set-up was offered.
import {
  Component,
  type ReactNode,
  Activity,
  useCallback,
  useEffect,
  useLayoutEffect,
  useState,
} from "react";
import { displaySentence } from "../ui/text/displayText.ts";
import { ActionButton } from "./components/Buttons.tsx";
import styles from "./components/Message.module.css";
import * as z from "zod";
import type { DesktopViewName } from "../core/model/desktop.ts";
import { isWaiting } from "../core/model/state.ts";
import {
  appearanceSchema,
  applyAppearance,
  DEFAULT_APPEARANCE,
  type Appearance,
  findStorage,
  readStored,
  writeStored,
} from "./state/stored.ts";
import { usePopover } from "./state/popover.ts";
import { useStore } from "./state/store.ts";
import { App } from "./components/App.tsx";
import { SetupOffer, SetupView } from "./components/setup/SetupView.tsx";
import { SettingsView, type SectionId } from "./components/settings/SettingsView.tsx";

interface ErrorBoundaryProps {
  /** Reloads the page; null where that is not allowed: then it is drawn again from what is known. */
  reload: (() => void) | null;
  children: ReactNode;
}

interface ErrorBoundaryState {
  /** Null while all is well. */
  failure: string | null;
}

/** Without it one value that this page does not understand, as from a newer daemon, would leave the window empty for good. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override readonly state: ErrorBoundaryState = { failure: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { failure: error instanceof Error && error.message !== "" ? error.message : "Unknown error" };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    return (
      <main className={styles.page} aria-label="agtmux">
        <div className={styles.empty} role="alert">
          <p className={styles.title}>This cannot be shown</p>
          <p>Your agents are still watched. After an update, quit agtmux and start it again.</p>
          <p className={styles.detail}>{displaySentence(failure)}</p>
          <ActionButton
            tone="primary"
            onClick={() =>
              this.props.reload === null ? this.setState({ failure: null }) : this.props.reload()
            }
          >
            Show it again
          </ActionButton>
        </div>
      </main>
    );
  }
}

type Place = { kind: "lists" } | { kind: "settings"; section: SectionId | null } | { kind: "setup" };
const LISTS: Place = { kind: "lists" };

/** The list offers the set-up in this window until the person takes or refuses it. */
const setupOfferSchema = z.object({ isSettled: z.boolean() });
const OFFERED = { isSettled: false };
const SETTLED = { isSettled: true };

const placeOf = (view: DesktopViewName): Place => {
  switch (view) {
    case "list":
      return LISTS;
    case "settings":
      return { kind: "settings", section: null };
    case "integrations":
      return { kind: "settings", section: "integrations" };
  }
};

/** Follows requests of the app's menu to open a place. */
const useMenu = (onGo: (place: Place) => void) => {
  const { navigation } = usePopover().host;
  useEffect(() => navigation.follow((view) => onGo(placeOf(view))), [navigation, onGo]);
};

/** A choice of this window that outlives it. */
const useStored = <T,>(key: string, schema: z.ZodType<T>, fallback: T): [T, (value: T) => void] => {
  const [value, setValue] = useState(() => readStored(findStorage(), key, schema, fallback));
  const set = useCallback(
    (next: T) => {
      setValue(next);
      writeStored(findStorage(), key, next);
    },
    [key],
  );
  return [value, set];
};

interface SettingsHostProps {
  place: Exclude<Place, { kind: "lists" }>;
  onGo: (place: Place) => void;
  appearance: Appearance;
  onAppearance: (appearance: Appearance) => void;
}

/** Settings and set-up follow the feed too, but only while they are shown. */
const SettingsHost = ({ place, onGo, ...props }: SettingsHostProps) => {
  const { host, feed } = usePopover();
  const { panes, targets } = useStore(feed);
  const agents = [...panes.values()].filter(({ state }) => state !== null);
  return place.kind === "settings" ? (
    <SettingsView
      host={host}
      targets={[...targets.values()]}
      waitingCount={agents.filter(({ state }) => state !== null && isWaiting(state)).length}
      appearance={props.appearance}
      onAppearance={props.onAppearance}
      section={place.section}
      onSection={(section) => onGo({ kind: "settings", section })}
      onSetup={() => onGo({ kind: "setup" })}
      onLeave={() => onGo(LISTS)}
    />
  ) : (
    <SetupView
      host={host}
      seen={`${new Set(agents.map(({ agent }) => agent)).size} kinds of agents`}
      onLeave={() => onGo(LISTS)}
    />
  );
};

export const Root = () => {
  const [place, setPlace] = useState<Place>(LISTS);
  const [appearance, setAppearance] = useStored("agtmux.appearance", appearanceSchema, DEFAULT_APPEARANCE);
  const [offer, setOffer] = useStored("agtmux.onboarding", setupOfferSchema, OFFERED);
  useLayoutEffect(() => applyAppearance(document.documentElement, appearance), [appearance]);
  useMenu(setPlace);
  const go = (next: Place) => {
    if (next.kind === "setup") setOffer(SETTLED);
    setPlace(next);
  };
  return (
    <>
      {/* The lists are hidden and inactive but stay mounted, so that rows, filter and selection are unchanged on return. */}
      <Activity mode={place.kind === "lists" ? "visible" : "hidden"}>
        <App
          onSettings={() => setPlace({ kind: "settings", section: null })}
          offer={
            offer.isSettled ? null : (
              <SetupOffer onStart={() => go({ kind: "setup" })} onRefuse={() => setOffer(SETTLED)} />
            )
          }
        />
      </Activity>
      {place.kind !== "lists" && (
        <SettingsHost place={place} onGo={go} appearance={appearance} onAppearance={setAppearance} />
      )}
    </>
  );
};

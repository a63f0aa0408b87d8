// Which part of the popover is shown: the lists, the settings or the set-up; what is shown when drawing fails; and the window's own
// choices: how it looks, and whether the set-up is offered.
import {
  Component,
  type ReactNode,
  Activity,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { displaySentence } from "../ui/text/displayText.ts";
import { ActionButton } from "./components/Buttons.tsx";
import styles from "./components/Message.module.css";
import * as z from "zod";
import type { DesktopViewName } from "../core/model/desktop.ts";
import { HOST_TARGET } from "../core/model/runtime.ts";
import type { SettingValues } from "../core/model/config.ts";
import type { Appearance } from "../core/model/words.ts";
import { isWaiting } from "../core/model/state.ts";
import {
  appearanceSchema,
  applyAppearance,
  DEFAULT_APPEARANCE,
  findStorage,
  readStored,
  writeStored,
} from "./state/stored.ts";
import { useAsk } from "./hooks/useAsk.ts";
import { toFailure } from "./state/connectHost.ts";
import type { Failure } from "../ui/actions/actionStatus.ts";
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
          <p className={styles.title}>Can't show this</p>
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

const APPEARANCE_KEY = "agtmux.appearance";
/** `isKept`: the daemon has it, too. */
const storedAppearanceSchema = appearanceSchema.extend({ isKept: z.boolean().default(false) });
const NOTHING_CHOSEN = { ...DEFAULT_APPEARANCE, isKept: true };
const OFFER_KEY = "agtmux.onboarding";
const offerSchema = z.object({ isSettled: z.boolean() });

interface Choices {
  appearance: Appearance;
  /** Null until the daemon told it. */
  isOffered: boolean | null;
  /** Why the daemon did not keep the last choice; it then lasts as long as this window's storage. */
  failure: Failure | null;
  setAppearance: (appearance: Appearance) => void;
  settleOffer: () => void;
}

/**
 * The person's choices about the window. The daemon keeps them, because a page in the browser has another address, and so another
 * storage, each time. What this window remembers serves its first drawing, before the daemon answers, and a choice that the daemon
 * has not got yet.
 */
const useChoices = (): Choices => {
  const { api } = usePopover().host;
  const [appearance, show] = useState(() =>
    readStored(findStorage(), APPEARANCE_KEY, storedAppearanceSchema, NOTHING_CHOSEN),
  );
  const [isOffered, setOffered] = useState<boolean | null>(() =>
    readStored(findStorage(), OFFER_KEY, offerSchema, { isSettled: false }).isSettled ? false : null,
  );
  const [failure, setFailure] = useState<Failure | null>(null);
  const put = useCallback((next: z.infer<typeof storedAppearanceSchema>) => {
    show(next);
    writeStored(findStorage(), APPEARANCE_KEY, next);
  }, []);
  const keep = useCallback(
    async (values: Partial<SettingValues>): Promise<boolean> => {
      try {
        for (const [key, value] of Object.entries(values)) await api.configSet.mutate({ key, value });
        setFailure(null);
        return true;
      } catch (error) {
        setFailure(toFailure(error));
        return false;
      }
    },
    [api],
  );
  /** The one that was chosen last. */
  const chosenRef = useRef<Appearance | null>(null);
  const setAppearance = useCallback(
    async ({ theme, textSize }: Appearance) => {
      const chosen = { theme, textSize };
      chosenRef.current = chosen;
      put({ ...chosen, isKept: false });
      const isKept = await keep({ "appearance.theme": theme, "appearance.text_size": textSize });
      if (isKept && chosenRef.current === chosen) put({ ...chosen, isKept });
    },
    [keep, put],
  );
  const take = useEffectEvent((values: SettingValues) => {
    setOffered((known) => known ?? values.setup_offer);
    if (!appearance.isKept) void setAppearance(appearance);
    else put({ theme: values["appearance.theme"], textSize: values["appearance.text_size"], isKept: true });
  });
  useEffect(() => {
    // Without the daemon there is nothing to offer, and the window looks as it did.
    api.configGet.query().then(
      ({ values }) => take(values),
      () => undefined,
    );
  }, [api]);
  return {
    appearance,
    isOffered,
    failure,
    setAppearance: (next) => void setAppearance(next),
    settleOffer: () => {
      setOffered(false);
      writeStored(findStorage(), OFFER_KEY, { isSettled: true });
      void keep({ setup_offer: false });
    },
  };
};

interface OfferProps {
  onStart: () => void;
  onRefuse: () => void;
}

/** Shown where no agent has hooks, and where one that runs on this machine lacks them. */
const Offer = (props: OfferProps) => {
  const { host, feed } = usePopover();
  const running = useStore(feed, ({ panes }) => {
    const own = [...panes.values()].filter(
      ({ state, identity }) => state !== null && identity.target === HOST_TARGET,
    );
    return [...new Set(own.map(({ agent }) => agent ?? ""))].toSorted().join(" ");
  });
  const { value: integrations } = useAsk(running, () => host.api.integrationList.query({}));
  if (integrations === null) return null;
  const isAnywhere = integrations.some(({ state }) => state === "installed");
  const isLacking = integrations.some(
    ({ agent, state }) => (state === "absent" || state === "partial") && running.split(" ").includes(agent),
  );
  return isAnywhere && !isLacking ? null : <SetupOffer {...props} />;
};

interface SettingsHostProps {
  place: Exclude<Place, { kind: "lists" }>;
  onGo: (place: Place) => void;
  appearance: Appearance;
  notKept: Failure | null;
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
      notKept={props.notKept}
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
  const { appearance, isOffered, failure, setAppearance, settleOffer } = useChoices();
  useLayoutEffect(() => applyAppearance(document.documentElement, appearance), [appearance]);
  useMenu(setPlace);
  const go = (next: Place) => {
    if (next.kind === "setup") settleOffer();
    setPlace(next);
  };
  return (
    <>
      {/* The lists are hidden and inactive but stay mounted, so that rows, filter and selection are unchanged on return. */}
      <Activity mode={place.kind === "lists" ? "visible" : "hidden"}>
        <App
          onSettings={() => setPlace({ kind: "settings", section: null })}
          offer={
            isOffered === true ? <Offer onStart={() => go({ kind: "setup" })} onRefuse={settleOffer} /> : null
          }
        />
      </Activity>
      {place.kind !== "lists" && (
        <SettingsHost
          place={place}
          onGo={go}
          appearance={appearance}
          notKept={failure}
          onAppearance={setAppearance}
        />
      )}
    </>
  );
};

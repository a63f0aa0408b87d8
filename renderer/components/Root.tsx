// Which part of the popover is shown: the lists, the settings or the setup. It also holds what the window remembers of itself:
// how it looks, and whether the setup was offered.
import {
  Activity,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { DesktopViewName } from "../../core/model/desktop.ts";
import { isWaiting } from "../../core/model/state.ts";
import type { Host } from "../connection/connectHost.ts";
import { useStored } from "../hooks/useStored.ts";
import type { ActionDesk } from "../state/actionDesk.ts";
import {
  appearanceSchema,
  applyAppearance,
  DEFAULT_APPEARANCE,
  type Appearance,
} from "../state/appearance.ts";
import type { DraftStore } from "../state/draftStore.ts";
import type { FeedStore } from "../state/feedStore.ts";
import { NOT_ONBOARDED, onboardingSchema, type Onboarding } from "../state/onboarding.ts";
import type { TickingClock } from "../state/tickingClock.ts";
import { ClockContext } from "./Age.tsx";
import { App } from "./App.tsx";
import { OnboardingOffer } from "./onboarding/OnboardingOffer.tsx";
import { OnboardingView } from "./onboarding/OnboardingView.tsx";
import type { SectionId } from "./settings/sections.ts";
import { SettingsView } from "./settings/SettingsView.tsx";

interface RootProps {
  host: Host;
  store: FeedStore;
  clock: TickingClock;
  desk: ActionDesk;
  drafts: DraftStore;
  onRetry: () => void;
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

/** The app's menu leads to a place. */
const useMenu = ({ wishes }: Host, onGo: (place: Place) => void) =>
  useEffect(() => wishes.follow((view) => onGo(placeOf(view))), [wishes, onGo]);

interface BesideProps extends RootProps {
  place: Exclude<Place, { kind: "lists" }>;
  onGo: (place: Place) => void;
  appearance: Appearance;
  onAppearance: (appearance: Appearance) => void;
  onboarding: Onboarding;
  onOnboarding: (change: (before: Onboarding) => Onboarding) => void;
}

/** Settings and setup follow the feed too, but only while they are shown. */
const Beside = ({ host, store, clock, place, onGo, ...props }: BesideProps) => {
  const feed = useSyncExternalStore(store.subscribe, store.getState);
  const clockContext = useMemo(() => ({ clock, offsetMs: feed.clockOffsetMs }), [clock, feed.clockOffsetMs]);
  const agents = [...feed.panes.values()].filter(({ state }) => state !== null);
  return (
    <ClockContext value={clockContext}>
      {place.kind === "settings" ? (
        <SettingsView
          host={host}
          targets={[...feed.targets.values()]}
          waitingCount={agents.filter(({ state }) => state !== null && isWaiting(state)).length}
          appearance={props.appearance}
          onAppearance={props.onAppearance}
          section={place.section}
          onSection={(section) => onGo({ kind: "settings", section })}
          onOnboarding={() => onGo({ kind: "setup" })}
          onLeave={() => onGo(LISTS)}
        />
      ) : (
        <OnboardingView
          host={host}
          panes={agents}
          onboarding={props.onboarding}
          onChange={props.onOnboarding}
          onLeave={() => onGo(LISTS)}
        />
      )}
    </ClockContext>
  );
};

export const Root = (props: RootProps) => {
  const [place, setPlace] = useState<Place>(LISTS);
  const [appearance, setAppearance] = useStored("agtmux.appearance", appearanceSchema, DEFAULT_APPEARANCE);
  const [onboarding, setOnboarding] = useStored("agtmux.onboarding", onboardingSchema, NOT_ONBOARDED);
  useLayoutEffect(() => applyAppearance(document.documentElement, appearance), [appearance]);
  useMenu(props.host, setPlace);
  const onboardingRef = useRef(onboarding);
  const changeOnboarding = useCallback(
    (change: (before: Onboarding) => Onboarding) => {
      onboardingRef.current = change(onboardingRef.current);
      setOnboarding(onboardingRef.current);
    },
    [setOnboarding],
  );
  return (
    <>
      {/* Hidden and at rest, not gone: whoever comes back finds the rows, the filter and the selection as they were. */}
      <Activity mode={place.kind === "lists" ? "visible" : "hidden"}>
        <App
          {...props}
          onSettings={() => setPlace({ kind: "settings", section: null })}
          offer={
            onboarding.isSettled ? null : (
              <OnboardingOffer
                onStart={() => setPlace({ kind: "setup" })}
                onRefuse={() => changeOnboarding((before) => ({ ...before, isSettled: true }))}
              />
            )
          }
        />
      </Activity>
      {place.kind !== "lists" && (
        <Beside
          {...props}
          place={place}
          onGo={setPlace}
          appearance={appearance}
          onAppearance={setAppearance}
          onboarding={onboarding}
          onOnboarding={changeOnboarding}
        />
      )}
    </>
  );
};

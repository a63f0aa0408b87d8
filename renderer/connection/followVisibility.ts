// Where the page learns whether it is seen. In the app only the main process knows: a window that was never shown is
// `visible` to its own document. In a browser the document knows.
import type { TRPCClient } from "@trpc/client";
import type { DesktopRouter } from "../../core/api/desktopRouter.ts";
import type { Visibility } from "../state/visibility.ts";
import type { NavigationRequests } from "../state/navigationRequests.ts";

/** For the life of the page. */
export const followDocument = (document: Document, visibility: Visibility): void => {
  const look = () => visibility.set(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", look);
  look();
};

/** Also takes the menu's requests. For the life of the page; without the app's word the document has to do. */
export const followDesktop = (
  desktop: TRPCClient<DesktopRouter>,
  visibility: Visibility,
  navigation: NavigationRequests,
): void => {
  desktop.desktop.events.subscribe(undefined, {
    onData: (event) => {
      switch (event.kind) {
        case "visibility":
          visibility.set(event.isVisible);
          return;
        case "go":
          navigation.put(event.view);
          return;
      }
    },
    onError: () => followDocument(document, visibility),
    onComplete: () => followDocument(document, visibility),
  });
};

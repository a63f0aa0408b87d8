// Serves the built popover to its window under a scheme of its own: no file URL, and nothing else can be loaded through it.
import { protocol } from "electron";
import { readWebFiles } from "../core/rpc/webFiles.ts";
import { answerPage, SCHEME } from "./pageAnswer.ts";

/** Before the app is ready, as Electron demands. Module scripts are loaded in CORS mode, also from their own origin. */
export const registerPageScheme = (): void =>
  protocol.registerSchemesAsPrivileged([
    {
      scheme: SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, corsEnabled: true },
    },
  ]);

/** Reads the popover once. Throws when it is not built. */
export const servePage = (rendererDir: string): void => {
  const files = readWebFiles(rendererDir);
  protocol.handle(SCHEME, (request) => answerPage(files, request));
};

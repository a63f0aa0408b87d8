// What the popover's page may ask of the app around it, beside the daemon: the window's own choices. Only the desktop app
// serves it; in a browser it is absent. Calls come on the same port as the daemon's, under `desktop.`.
import * as z from "zod";
import {
  acceleratorSchema,
  terminalChoiceSchema,
  type CommandLineState,
  type DesktopEvent,
  type DesktopState,
  type TerminalChoice,
} from "../model/desktop.ts";
import { makeRouter, procedure } from "./procedure.ts";

export interface DesktopService {
  state(): DesktopState;
  /** @throws AgtmuxError E_UNSUPPORTED for a terminal that is not installed here. */
  setTerminal(choice: TerminalChoice): DesktopState;
  /** Null: none. A shortcut that another program holds leaves the present one in force, and `problem` says so. */
  setShortcut(accelerator: string | null): DesktopState;
  setLaunchAtLogin(isOn: boolean): DesktopState;
  /** Shows a notification now; if it cannot be shown, `problem` says why. */
  testNotification(): Promise<{ problem: string | null }>;
  commandLine(): Promise<CommandLineState>;
  /** Links the command into a folder of the person; replaces nothing. @throws AgtmuxError E_UNSUPPORTED. */
  installCommandLine(): Promise<CommandLineState>;
  /** Opens the folder of the logs in the system's file browser. @throws AgtmuxError E_UNSUPPORTED. */
  openLogs(): Promise<void>;
  hide(): void;
  events(signal: AbortSignal): AsyncIterable<DesktopEvent>;
}

/** Paths that this router answers begin with it. */
export const DESKTOP_PREFIX = "desktop.";

export const createDesktopRouter = (service: DesktopService) =>
  makeRouter({
    desktop: makeRouter({
      state: procedure.query(() => service.state()),
      setTerminal: procedure.input(terminalChoiceSchema).mutation(({ input }) => service.setTerminal(input)),
      setShortcut: procedure
        .input(z.object({ accelerator: acceleratorSchema.nullable() }))
        .mutation(({ input }) => service.setShortcut(input.accelerator)),
      setLaunchAtLogin: procedure
        .input(z.object({ isOn: z.boolean() }))
        .mutation(({ input }) => service.setLaunchAtLogin(input.isOn)),
      testNotification: procedure.mutation(() => service.testNotification()),
      commandLine: procedure.query(() => service.commandLine()),
      installCommandLine: procedure.mutation(() => service.installCommandLine()),
      openLogs: procedure.mutation(() => service.openLogs()),
      hide: procedure.mutation(() => service.hide()),
      events: procedure.subscription(({ signal }) => service.events(signal ?? new AbortController().signal)),
    }),
  });

export type DesktopRouter = ReturnType<typeof createDesktopRouter>;

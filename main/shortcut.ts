// The shortcut that opens the popover from anywhere: registered with the system, changed by the person, and honest about one
// that another program holds.

/** Electron's `globalShortcut`, as far as it matters here. `register` throws for what is no shortcut on this system. */
export interface ShortcutRegistry {
  register(accelerator: string, onPress: () => void): boolean;
  unregister(accelerator: string): void;
}

export interface ShortcutDeps {
  readonly registry: ShortcutRegistry;
  readonly onPress: () => void;
  /** Keeps the person's choice. */
  readonly remember: (accelerator: string | null) => void;
}

export interface Shortcut {
  /** `accelerator`: in force now; null: none. */
  readonly state: { readonly accelerator: string | null; readonly problem: string | null };
  /** Takes the place of the present one; where the system refuses it, that one stays and `problem` says why. */
  set(accelerator: string | null): void;
  close(): void;
}

/** `initial`: as it was remembered; it stays remembered when another program holds it for now. */
export const createShortcut = (deps: ShortcutDeps, initial: string | null): Shortcut => {
  const { registry } = deps;
  let current: string | null = null;
  let problem: string | null = null;

  const tryRegister = (accelerator: string): boolean => {
    try {
      return registry.register(accelerator, deps.onPress);
    } catch {
      // Not a key of this system: to the person the same as one that cannot be had.
      return false;
    }
  };
  const use = (accelerator: string | null): boolean => {
    problem = null;
    if (accelerator === current) return true;
    if (accelerator !== null && !tryRegister(accelerator)) {
      problem = `${accelerator} cannot be had: another program or the system uses it.`;
      return false;
    }
    if (current !== null) registry.unregister(current);
    current = accelerator;
    return true;
  };

  use(initial);
  return {
    get state() {
      return { accelerator: current, problem };
    },
    set: (accelerator) => {
      if (use(accelerator)) deps.remember(accelerator);
    },
    close: () => {
      if (current !== null) registry.unregister(current);
      current = null;
    },
  };
};

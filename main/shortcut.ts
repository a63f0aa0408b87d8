// The shortcut that opens the popover from anywhere: it is registered with the system, the person can change it, and it says
// when another program holds it.

/**
 * The part of Electron's `globalShortcut` that is used here. `register` throws for a text that is not a shortcut on this
 * system.
 */
export interface ShortcutRegistry {
  register(accelerator: string, onPress: () => void): boolean;
  unregister(accelerator: string): void;
}

export interface ShortcutDeps {
  readonly registry: ShortcutRegistry;
  readonly onPress: () => void;
  /** Stores the person's choice. */
  readonly remember: (accelerator: string | null) => void;
}

export interface Shortcut {
  /** `accelerator`: the one in force now; null: none. */
  readonly state: { readonly accelerator: string | null; readonly problem: string | null };
  /** Replaces the present one. If the system refuses the new one, the present one stays and `problem` says why. */
  set(accelerator: string | null): void;
  close(): void;
}

/** `initial`: the stored choice; it stays stored even while another program holds it. */
export const createShortcut = (deps: ShortcutDeps, initial: string | null): Shortcut => {
  const { registry } = deps;
  let current: string | null = null;
  let problem: string | null = null;

  const tryRegister = (accelerator: string): boolean => {
    try {
      return registry.register(accelerator, deps.onPress);
    } catch {
      // Not a key of this system; for the person this is the same as a key that is taken.
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

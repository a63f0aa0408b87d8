// How a shell gets the `agtmux` command. Linking it is the person's to do: it writes outside of what is ours.
import type { Host } from "../../connection/connectHost.ts";
import { Command } from "./Command.tsx";
import { Group } from "./fields.tsx";
import styles from "./settings.module.css";

const MAC_LINK = "ln -s /Applications/agtmux.app/Contents/Resources/cli/bin/agtmux /usr/local/bin/agtmux";

export const CommandLinePage = ({ host }: { host: Host }) => {
  const isMacApp = host.desktop !== null && navigator.userAgent.includes("Mac OS");
  return (
    <>
      <p className={styles.intro}>The command lists, attaches, answers and replies from a shell.</p>
      <Group title="Put it on the PATH">
        <div className={styles.field}>
          {isMacApp ? (
            <>
              <p>The command is inside the app. Homebrew links it by itself; otherwise run this once:</p>
              <Command text={MAC_LINK} />
            </>
          ) : (
            <>
              <p>
                A package of the app brings the command along. From a clone it is <code>bin/agtmux</code>; run
                this in the clone:
              </p>
              <Command text={'mkdir -p ~/.local/bin && ln -s "$PWD/bin/agtmux" ~/.local/bin/agtmux'} />
            </>
          )}
          <p className={styles.hint}>Then this says whether your shell finds it, and what else is missing:</p>
          <Command text="agtmux doctor" />
        </div>
      </Group>
      <Group title="Completions">
        <div className={styles.field}>
          <p>For bash; zsh and fish have their own.</p>
          <Command text={'eval "$(agtmux completions bash)"'} />
        </div>
      </Group>
    </>
  );
};

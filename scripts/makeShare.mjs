// Fills a `share` folder with the completions and the man page, for every package that is made. Needs the built command line.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
/** Where each shell looks below a `share` folder. */
const COMPLETIONS = {
  bash: "bash-completion/completions/agtmux",
  zsh: "zsh/site-functions/_agtmux",
  fish: "fish/vendor_completions.d/agtmux.fish",
};

export const makeShare = (share) => {
  for (const [shell, path] of Object.entries(COMPLETIONS)) {
    const args = [join(ROOT, "dist", "cli", "agtmux.cjs"), "completions", shell];
    mkdirSync(dirname(join(share, path)), { recursive: true });
    writeFileSync(join(share, path), execFileSync(process.execPath, args, { maxBuffer: 1 << 24 }));
  }
  cpSync(join(ROOT, "docs", "agtmux.1"), join(share, "man", "man1", "agtmux.1"));
};

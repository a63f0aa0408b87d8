// The system's programs that the tests need. As root on Debian it installs missing ones; elsewhere it names them, with what
// cannot run without them. Returns those that are still missing.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

/** `program` is looked up on PATH. */
const NEEDED = [
  { program: "tmux", debian: "tmux", brew: "tmux", without: "everything that needs real tmux (most suites)" },
  { program: "python3", debian: "python3", brew: "python", without: "the attach tests (they need a pty)" },
  { program: "busybox", debian: "busybox", brew: null, without: "the event script under busybox" },
  { program: "mksh", debian: "mksh", brew: "mksh", without: "the far scripts under a Korn shell" },
  {
    program: "/usr/sbin/sshd",
    debian: "openssh-server",
    brew: null,
    without: "the SSH suites against a real server",
  },
  {
    program: "ssh",
    debian: "openssh-client",
    brew: "openssh",
    without: "everything about SSH targets",
  },
  { program: "curl", debian: "curl", brew: null, without: "install.sh" },
  { program: "wget", debian: "wget", brew: "wget", without: "install.sh where there is no curl" },
  { program: "shellcheck", debian: "shellcheck", brew: "shellcheck", without: "shellcheck of install.sh" },
  { program: "zsh", debian: "zsh", brew: null, without: "the completions of zsh" },
  { program: "fish", debian: "fish", brew: "fish", without: "the completions of fish" },
  {
    program: "chromium",
    // Chromium without its windows: a fifth less of the processor than the whole one, and a third of the packages.
    debian: "chromium-headless-shell",
    brew: null,
    without: "the end-to-end suite and its screenshots",
  },
];
const FONTS = ["fonts-dejavu-core", "fonts-noto-color-emoji", "fonts-noto-cjk"];

const isOnPath = (program) =>
  spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
/** As e2e/launchers/chromium.ts looks for it: Chrome will do, and so does Playwright's own, or one without windows. */
const isThere = (program) =>
  isOnPath(program) ||
  (program === "chromium" &&
    (isOnPath("/usr/bin/chromium-headless-shell") ||
      isOnPath("/usr/bin/google-chrome") ||
      existsSync(createRequire(import.meta.url)("playwright").chromium.executablePath())));
const isDebianRoot = () => existsSync("/etc/debian_version") && process.getuid?.() === 0;

export const ensureSystemPackages = () => {
  const missing = NEEDED.filter(({ program }) => !isThere(program));
  if (missing.length > 0 && isDebianRoot()) {
    const packages = missing.map(({ debian }) => debian);
    if (packages.includes("chromium")) packages.push(...FONTS);
    console.log(`installing ${packages.join(", ")}`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const options = { env, stdio: ["ignore", "ignore", "inherit"] };
    try {
      execFileSync("apt-get", ["update", "-qq"], options);
      execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], options);
    } catch {
      console.log("the packages could not be installed");
    }
  }
  const still = NEEDED.filter(({ program }) => !isThere(program));
  for (const { program, brew, without } of still) {
    const how =
      process.platform === "darwin" && brew !== null ? `brew install ${brew}` : `install ${program}`;
    console.log(`missing: ${program} (${how}). Without it these do not run: ${without}.`);
  }
  return still.map(({ program }) => program);
};

// What npm runs after it has installed the package: a global installation gets its completions where shells look for them below
// the same prefix. npm itself places the command and the man page, and knows nothing of completions. It does not change files
// of others, and it is not a failure if a file cannot be written: `agtmux completions <shell>` prints the same. It runs on old
// Nodes too, on which `agtmux` itself says what is needed.
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SHARE = fileURLToPath(new URL("./share", import.meta.url));
const FILES = [
  "bash-completion/completions/agtmux",
  "zsh/site-functions/_agtmux",
  "fish/vendor_completions.d/agtmux.fish",
];
const MARK = "made by 'agtmux completions";

/** True where there is no file, or an earlier one of ours. A link is refused, because it may lead to somebody else's file. */
const isOurs = (file) => {
  try {
    return lstatSync(file).isFile() && readFileSync(file, "utf8").includes(MARK);
  } catch (error) {
    return error.code === "ENOENT";
  }
};

const place = (path, prefix) => {
  const file = join(prefix, "share", path);
  const temporary = `${file}.${process.pid}.tmp`;
  if (!isOurs(file)) return;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(temporary, readFileSync(join(SHARE, path)), { flag: "wx", mode: 0o644 });
    renameSync(temporary, file);
  } catch (error) {
    if (error.code === undefined) throw error;
    rmSync(temporary, { force: true });
  }
};

const { npm_config_global: isGlobal, npm_config_global_prefix: prefix } = process.env;
if (isGlobal === "true" && prefix) for (const path of FILES) place(path, prefix);

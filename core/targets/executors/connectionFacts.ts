// The first question over a new connection: where the home folder is, what system it is, and how long a round trip takes.
// It also shows that the login shell starts our `sh` at all.
import type { ByteChannel } from "../byteChannel.ts";
import type { ConnectionFacts } from "../remoteExecutor.ts";
import { cleanLine, unreachableError } from "../sshErrors.ts";

/** Ends each fact. A home folder's name may hold any character but NUL; one that holds this character is refused below. */
const SEPARATOR = "\u001E";
const SCRIPT = `case $HOME in (/*) h=$HOME;; (*) h=$(cd && pwd);; esac
printf '%s\\036%s\\036' "$h" "$(uname -s)"
IFS= read -r x && printf '\\036'`;
const MAX_ANSWER = 64 * 1024;

type Facts = Omit<ConnectionFacts, "transport">;

const factsOf = (answer: string, rttMs: number): Facts | null => {
  const [home = "", system = "", end, ...more] = answer.split(SEPARATOR);
  if (end === undefined || more.length > 1 || !home.startsWith("/") || !/^[\w.-]{1,64}$/.test(system))
    return null;
  return { homeDir: home.length > 1 ? home.replace(/\/+$/, "") : home, system, rttMs };
};

/** @throws AgtmuxError E_TARGET_UNREACHABLE when no sensible answer comes within `timeoutMs`. */
export const askFacts = async (
  openChannel: (argv: readonly string[]) => ByteChannel,
  alias: string,
  timeoutMs: number,
): Promise<Facts> => {
  const outcome = Promise.withResolvers<Facts>();
  const fail = (why: string): void =>
    outcome.reject(
      unreachableError(alias, `the login shell there gives no usable 'sh': ${cleanLine(why)}`, {
        remedy: `Check that 'ssh ${alias} exec /bin/sh -c true' works in a terminal.`,
      }),
    );
  const timer = setTimeout(() => fail(`no answer within ${Math.round(timeoutMs)} ms`), timeoutMs);
  const channel = openChannel(["/bin/sh", "-c", SCRIPT]);
  let answer = "";
  let askedAt: number | null = null;
  let said = "";
  channel.onStderr((chunk) => {
    said = (said + chunk.toString("utf8")).slice(-MAX_ANSWER);
  });
  channel.onClose((reason) => fail(`${reason} ${said}`));
  channel.onStdout((chunk) => {
    if (answer.length > MAX_ANSWER) return;
    answer += chunk.toString("utf8");
    if (answer.length > MAX_ANSWER) {
      fail("its answer has no end");
      channel.destroy("its answer has no end");
    }
    const parts = answer.split(SEPARATOR).length;
    if (parts === 3 && askedAt === null) {
      askedAt = performance.now();
      channel.write("\n");
    }
    if (parts < 4 || askedAt === null) return;
    const facts = factsOf(answer, performance.now() - askedAt);
    if (facts === null) fail("its home folder or system is not known");
    else outcome.resolve(facts);
  });
  try {
    return await outcome.promise;
  } finally {
    clearTimeout(timer);
    await channel.close();
  }
};

// What every suite shares: one more attempt for a test on a busy machine, and a report that never hides that it needed one.
import type { Reporter, TestCase } from "vitest/node";

/** A property that failed once is a found counterexample: it is never tried again. */
export const ONE_RETRY = { count: 1, condition: /^(?!Property failed)/ };

/** Says at the end which tests passed only on a second attempt. */
const secondAttempts = (): Reporter => {
  const names: string[] = [];
  return {
    onTestCaseResult: (test: TestCase) => {
      if (test.diagnostic()?.flaky === true) names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
    },
    onTestRunEnd: () => {
      for (const name of names) console.log(`passed only on a second attempt: ${name}`);
    },
  };
};

/** `AGTMUX_TEST_REPORT` names a file for the totals that `npm test` adds up. */
const outputFile = process.env["AGTMUX_TEST_REPORT"];
export const reporters = [
  "default",
  secondAttempts(),
  ...(outputFile === undefined ? [] : [["json", { outputFile }] as ["json", { outputFile: string }]]),
] as const;

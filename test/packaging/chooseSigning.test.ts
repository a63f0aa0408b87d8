// Which signature the packaged macOS app gets.
import { expect, test } from "vitest";
import { chooseSigning } from "../../scripts/chooseSigning.ts";

test("without an identity the app is signed ad hoc, which the hardened runtime does not allow", () => {
  const adHoc = { identity: "-", hardenedRuntime: false, notarize: false };
  expect([
    chooseSigning({}),
    // What a workflow passes for a secret that is not set.
    chooseSigning({ CSC_LINK: "", CSC_NAME: "", APPLE_ID: "" }),
    chooseSigning({ APPLE_ID: "a", APPLE_APP_SPECIFIC_PASSWORD: "b", APPLE_TEAM_ID: "c" }),
  ]).toEqual([adHoc, adHoc, adHoc]);
});

test("with an identity the app is hardened, and notarised where the credentials are complete", () => {
  expect([
    chooseSigning({ CSC_LINK: "certificate" }),
    chooseSigning({ CSC_NAME: "Somebody", APPLE_ID: "a" }),
    chooseSigning({ CSC_LINK: "c", APPLE_ID: "a", APPLE_APP_SPECIFIC_PASSWORD: "b", APPLE_TEAM_ID: "c" }),
    chooseSigning({ CSC_LINK: "c", APPLE_API_KEY: "a", APPLE_API_KEY_ID: "b", APPLE_API_ISSUER: "c" }),
  ]).toEqual([
    { hardenedRuntime: true, notarize: false },
    { hardenedRuntime: true, notarize: false },
    { hardenedRuntime: true, notarize: true },
    { hardenedRuntime: true, notarize: true },
  ]);
});

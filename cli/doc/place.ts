// Where the document is that a command names: a file of this machine, or `vm1:/path/plan.md` on another one.
import { resolve } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import { cleanLine } from "../render/clean.ts";

export interface RemotePlace {
  readonly target: string;
  readonly path: string;
}

/** As scp has it: `./vm1:/plan.md` is a file of this machine. */
const split = (typed: string): RemotePlace | null => {
  const [, target = "", path = ""] = /^([A-Za-z0-9._-]{1,64}):(\/.*)$/s.exec(typed) ?? [];
  return target === "" ? null : { target, path };
};

/** Null for a file of this machine. */
export const remotePlace = (typed: string): RemotePlace | null => {
  const place = split(typed);
  return place?.target === HOST_TARGET ? null : place;
};

/** For verbs that need the file here. @throws AgtmuxError E_UNSUPPORTED for a file of another machine. */
export const localPath = (typed: string): string => {
  const place = split(typed);
  if (place === null) return resolve(typed);
  if (place.target === HOST_TARGET) return resolve(place.path);
  throw new AgtmuxError(
    "E_UNSUPPORTED",
    `this verb needs the file here, and '${cleanLine(typed)}' is on another machine`,
    {
      remedy: "Run it on that machine. From here diff, outline, write, claim, route, focus and prompt work.",
    },
  );
};

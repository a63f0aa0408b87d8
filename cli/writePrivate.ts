// Writes a file that a person asked for.
import { open } from "node:fs/promises";
import { AgtmuxError } from "../core/model/errors.ts";
import { errorCodeOf } from "../core/model/systemError.ts";

/** For its owner alone; a file that is there already stays as it is. */
export const writePrivate = async (path: string, text: string): Promise<void> => {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
  } catch (cause) {
    const why = errorCodeOf(cause) === "EEXIST" ? "is there already" : "cannot be written";
    throw new AgtmuxError("E_USAGE", `${path} ${why}`, { cause, remedy: "Name another file." });
  }
};

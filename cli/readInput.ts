// Reads a text from standard input, for texts that other users must not see in the arguments of a process.
import { MAX_TEXT } from "../core/model/actionView.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import type { CliContext } from "./context.ts";

/** @throws AgtmuxError E_USAGE for a text that is too long to be typed. */
export const checkLength = (text: string): string => {
  if (text.length <= MAX_TEXT) return text;
  throw new AgtmuxError("E_USAGE", `the text is longer than ${MAX_TEXT} characters`, {
    remedy: "Put it into a file and send the file's name.",
  });
};

/** All of standard input without the newline that ends its last line. @throws AgtmuxError E_USAGE when it is too long. */
export const readInput = async ({ stdin }: CliContext): Promise<string> => {
  let text = "";
  stdin.setEncoding("utf8");
  for await (const chunk of stdin) {
    text += String(chunk);
    checkLength(text);
  }
  return text.replace(/\r?\n$/, "");
};

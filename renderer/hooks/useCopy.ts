// Copies a text when a button is pressed, and says whether it worked.
import { useState } from "react";

export const useCopy = (text: string) => {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied("yes"),
      () => setCopied("failed"),
    );
  };
  return { copied, copy };
};

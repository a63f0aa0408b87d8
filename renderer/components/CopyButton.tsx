// A button that copies a text, and says whether that worked.
import { useCopy } from "../hooks/useCopy.ts";
import { ActionButton } from "./ActionButton.tsx";

export const CopyButton = ({ text, children }: { text: string; children: string }) => {
  const { copied, copy } = useCopy(text);
  return (
    <ActionButton onClick={copy}>
      {copied === "yes" ? "Copied" : copied === "failed" ? "Could not copy" : children}
    </ActionButton>
  );
};

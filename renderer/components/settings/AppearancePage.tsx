// Theme and text size: choices of this window alone.
import { TEXT_SIZES, THEMES, type Appearance } from "../../state/appearance.ts";
import { Choice, Group } from "./fields.tsx";

interface AppearancePageProps {
  appearance: Appearance;
  onChange: (appearance: Appearance) => void;
}

const THEME_LABELS = { system: "As the system", light: "Light", dark: "Dark" } as const;

export const AppearancePage = ({ appearance, onChange }: AppearancePageProps) => (
  <Group title="This window">
    <Choice
      label="Theme"
      value={appearance.theme}
      options={THEMES.map((theme) => ({ value: theme, label: THEME_LABELS[theme] }))}
      onChange={(value) => {
        const theme = THEMES.find((one) => one === value);
        if (theme !== undefined) onChange({ ...appearance, theme });
      }}
    />
    <Choice
      label="Text size"
      value={String(appearance.textSize)}
      options={TEXT_SIZES.map((size) => ({ value: String(size), label: `${size} %` }))}
      onChange={(value) => {
        const textSize = TEXT_SIZES.find((one) => String(one) === value);
        if (textSize !== undefined) onChange({ ...appearance, textSize });
      }}
    />
  </Group>
);

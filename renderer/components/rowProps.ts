// What every row that can be selected is given, and the attributes by which the list and the keyboard find it.
export interface RowProps {
  isSelected: boolean;
  /** The one row that the tab key reaches. */
  isTabStop: boolean;
  onFocus: () => void;
}

export const rowAttributes = (kind: string, { isSelected, isTabStop, onFocus }: RowProps) => ({
  "data-row": kind,
  "data-selected": isSelected,
  tabIndex: isTabStop ? 0 : -1,
  onFocus,
});

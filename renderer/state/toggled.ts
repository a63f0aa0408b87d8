/** A set with one key put in, or taken out when it was there; the given set stays as it is. */
export const toggled = <T>(keys: ReadonlySet<T>, key: T): ReadonlySet<T> => {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
};

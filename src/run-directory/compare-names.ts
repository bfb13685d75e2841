const collator = new Intl.Collator('en', { numeric: true });

/**
 * Orders names as people do, `child-10` after `child-9`. Created once, because looking up a language takes
 * longer than comparing.
 */
export const compareNames: (one: string, other: string) => number = collator.compare;

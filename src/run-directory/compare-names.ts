const collator = new Intl.Collator('en', { numeric: true });

/** Orders names as people do, `child-10` after `child-9`. Made once, because to look a language up takes longer than to compare. */
export const compareNames: (one: string, other: string) => number = collator.compare;

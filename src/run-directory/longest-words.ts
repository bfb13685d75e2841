/** Characters of the words of a person to a running stage: an event holds them whole. */
export const longestWords = 20_000;

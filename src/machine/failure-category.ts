/**
 * The categories of errors (Appendix D): `retryable` may pass by itself, `terminal` will not however often it is tried,
 * `pipeline` is a fault of the pipeline, after which no other way through it is looked for.
 */
export const failureCategories = ['retryable', 'terminal', 'pipeline'] as const;

export type FailureCategory = (typeof failureCategories)[number];

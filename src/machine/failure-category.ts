/**
 * Categories of errors (Appendix D): `retryable` may pass by itself, `terminal` will not however often it
 * is tried, `pipeline` is a fault of the pipeline, after which no other route is tried.
 */
export const failureCategories = ['retryable', 'terminal', 'pipeline'] as const;

export type FailureCategory = (typeof failureCategories)[number];

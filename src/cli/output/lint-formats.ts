/** Values of `lint --format` (DESIGN §5). */
export const lintFormats = ['pretty', 'json', 'sarif', 'github'] as const;

export type LintFormat = (typeof lintFormats)[number];

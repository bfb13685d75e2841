/** Values of `lint --format` (DESIGN §5). */
export const lintFormats = ['pretty', 'json', 'sarif', 'github', 'gitlab'] as const;

export type LintFormat = (typeof lintFormats)[number];

import { type Diagnostic, findingKind, isQuiet, type Severity } from './diagnostic.js';
import type { FileDiagnostics } from './file-diagnostics.js';
import { printableJson } from './printable.js';
import { lineRange } from './render-json.js';

const severityOf: Readonly<Record<Severity, string>> = { error: 'major', warning: 'minor', info: 'info' };

export interface GitlabOptions {
  /** Path of a file from the root of the repository. */
  readonly pathOf: (name: string) => string;
  /** A short digest of a text. */
  readonly digest: (text: string) => string;
}

/**
 * Diagnostics as a Code Quality report of GitLab: the output of `lint --format gitlab`. A finding keeps its fingerprint when lines
 * move, by which GitLab tells what a merge request adds and what it resolves.
 */
export function renderGitlab(files: readonly FileDiagnostics[], { pathOf, digest }: GitlabOptions): string {
  const seen = new Map<string, number>();
  const issues = files.flatMap(({ source, diagnostics }) =>
    diagnostics
      .filter((diagnostic) => !isQuiet(diagnostic))
      .map((diagnostic) => {
        const path = pathOf(source.name);
        const { line, end_line } = lineRange(diagnostic.span, source);
        const identity = JSON.stringify([path, findingKind(diagnostic), diagnostic.message]);
        const ordinal = seen.get(identity) ?? 0;
        seen.set(identity, ordinal + 1);
        return {
          description: descriptionOf(diagnostic),
          check_name: findingKind(diagnostic),
          fingerprint: digest(`${identity}${ordinal}`),
          severity: severityOf[diagnostic.severity],
          location: { path, lines: { begin: line, end: end_line } },
        };
      }),
  );
  return `${printableJson(JSON.stringify(issues, undefined, 2))}\n`;
}

function descriptionOf({ message, fix }: Diagnostic): string {
  return fix === undefined ? message : `${message} (help: ${fix.title})`;
}

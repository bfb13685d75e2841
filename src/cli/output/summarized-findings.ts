import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { CheckedFiles } from '../check-files.js';
import type { LintFormat } from './lint-formats.js';

/**
 * Findings for people, and for `json`: a pipeline of another tool has one for its unknown attributes. Code scanning and
 * annotations need each at its place.
 */
export function summarizeForeign(files: CheckedFiles, format: LintFormat): CheckedFiles {
  if (format !== 'pretty' && format !== 'json') return files;
  const checked = files.checked.map((file) =>
    file.diagnostics.some(({ rule }) => rule === 'foreign_dialect')
      ? { ...file, diagnostics: file.diagnostics.filter((finding) => !isDetail(finding)) }
      : file,
  );
  return { ...files, checked };
}

function isDetail({ rule, severity }: Diagnostic): boolean {
  return rule === 'attribute_known' && severity !== 'error';
}

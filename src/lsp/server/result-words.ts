import type { CallResult } from '../../setup/call-result.js';

const mostLines = 12;

/** Lines of LCOV, which is for the editor, not for people. */
const coverageLine = /^(?:TN|SF|FN|FNDA|FNF|FNH|BRDA|BRF|BRH|DA|LF|LH|end_of_record)/;

/**
 * What a command said, as a message of an editor: its errors with their help, without warnings and code frames, which the text shows already; its last
 * lines if it has none.
 */
export function resultWords({ stdout, stderr, status }: CallResult): string {
  const said = (stderr.trim() === '' || status === 0 ? `${stdout}\n${stderr}` : stderr).trim();
  const lines = said.split('\n').filter((line) => !coverageLine.test(line));
  const errors = status === 0 ? [] : errorLines(lines);
  return (errors.length > 0 ? errors.slice(0, mostLines) : lines.slice(-mostLines)).join('\n');
}

/** Headings of errors, each with the lines of its help. */
function errorLines(lines: readonly string[]): readonly string[] {
  let isError = false;
  return lines.filter((line) => {
    const [, severity] = /^\S.*?: (error|warning|info)\[[\w/]+\]: /.exec(line) ?? [];
    if (severity !== undefined) isError = severity === 'error';
    return isError && (severity !== undefined || line.startsWith('  = help: '));
  });
}

import { printable } from '../../diagnostic/printable.js';
import { type CaseResult, type FileResult, isPassed } from '../run-cases.js';
import { diagnosticText, mismatchText } from './case-texts.js';

/** Results in the Test Anything Protocol, version 14. */
export function renderTap(files: readonly FileResult[]): string {
  const points = files.flatMap((file) =>
    file.diagnostics.length > 0 ? [unusablePoint(file)] : file.cases.map((one) => casePoint(one, file)),
  );
  const numbered = points.map(({ isOk, name, detail }, index) => {
    const head = `${isOk ? 'ok' : 'not ok'} ${index + 1} - ${described(name)}`;
    return detail === undefined ? head : `${head}\n${yamlBlock(detail)}`;
  });
  return `${['TAP version 14', `1..${points.length}`, ...numbered].join('\n')}\n`;
}

interface Point {
  readonly isOk: boolean;
  readonly name: string;
  readonly detail?: string;
}

function casePoint(one: CaseResult, file: FileResult): Point {
  const name = `${file.read.source.name}: ${one.name}`;
  return isPassed(one) ? { isOk: true, name } : { isOk: false, name, detail: mismatchText(one, file) };
}

function unusablePoint(file: FileResult): Point {
  return {
    isOk: false,
    name: `${file.read.source.name}: the file can be used`,
    detail: diagnosticText(file),
  };
}

/** Description of a test point, in which a bare `#` would begin a directive. */
function described(name: string): string {
  return printable(name).replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}

function yamlBlock(detail: string): string {
  const lines = detail.split('\n').map((line) => `    ${printable(line)}`);
  return ['  ---', '  message: |', ...lines, '  ...'].join('\n');
}

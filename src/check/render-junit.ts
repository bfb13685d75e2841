import { xmlAttribute, xmlText } from '../diagnostic/xml-text.js';
import type { PropertyVerdict } from './check-properties.js';

/** Verdicts as a JUnit report: a property is a test case, and one that is not decided is skipped. */
export function renderJunit(file: string, verdicts: readonly PropertyVerdict[]): string {
  const failures = verdicts.filter(({ kind }) => kind === 'broken').length;
  const skipped = verdicts.filter(({ kind }) => kind === 'undecided').length;
  const counts = `tests="${verdicts.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="attractor check" ${counts}>`,
    `  <testsuite name=${quoted(file)} ${counts}>`,
    ...verdicts.flatMap((verdict) => caseOf(file, verdict)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseOf(file: string, verdict: PropertyVerdict): readonly string[] {
  const begin = `    <testcase classname=${quoted(file)} name=${quoted(verdict.monitor.name)}`;
  switch (verdict.kind) {
    case 'holds':
      return [`${begin}/>`];
    case 'broken': {
      const { reason, script } = verdict.counterexample;
      const text = xmlText(JSON.stringify(script, undefined, 2));
      return [`${begin}>`, `      <failure message=${quoted(reason)}>${text}</failure>`, '    </testcase>'];
    }
    case 'undecided':
      return [
        `${begin}>`,
        `      <skipped message=${quoted(`not decided: ${verdict.reasons.join('; ')}`)}/>`,
        '    </testcase>',
      ];
  }
}

function quoted(text: string): string {
  return `"${xmlAttribute(text)}"`;
}

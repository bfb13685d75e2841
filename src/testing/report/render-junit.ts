import { xmlAttribute, xmlText } from '../../diagnostic/xml-text.js';
import { type CaseResult, type FileResult, isPassed } from '../run-cases.js';
import { diagnosticText, mismatchText } from './case-texts.js';

/** Results as JUnit XML, in the form that CI servers read: one suite for each file. */
export function renderJunit(files: readonly FileResult[]): string {
  const all = files.map(counts);
  const total = {
    tests: sum(all.map(({ tests }) => tests)),
    failures: sum(all.map(({ failures }) => failures)),
    errors: sum(all.map(({ errors }) => errors)),
    time: seconds(sum(files.flatMap(({ cases }) => cases.map(({ duration }) => duration)))),
  };
  const suites = files.flatMap((file, index) => suite(file, all[index] ?? counts(file)));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: 'attractor test', ...total })}>`,
    ...suites.map((line) => `  ${line}`),
    '</testsuites>',
    '',
  ].join('\n');
}

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
}

function counts({ cases, diagnostics }: FileResult): Counts {
  const errors = diagnostics.length > 0 ? 1 : 0;
  const failures = cases.filter((one) => !isPassed(one)).length;
  return { tests: cases.length + errors, failures, errors };
}

function suite(file: FileResult, of: Counts): readonly string[] {
  const { name } = file.read.source;
  const time = seconds(sum(file.cases.map(({ duration }) => duration)));
  return [
    `<testsuite ${attributes({ name, file: name, ...of, skipped: 0, time })}>`,
    ...(file.diagnostics.length > 0 ? unusable(file) : file.cases.flatMap((one) => testCase(one, file))),
    '</testsuite>',
  ];
}

function testCase(one: CaseResult, file: FileResult): readonly string[] {
  const { line } = file.read.source.positionAt(one.span.start);
  const head = attributes({
    classname: file.pipeline,
    name: one.name,
    file: file.read.source.name,
    line,
    time: seconds(one.duration),
  });
  if (isPassed(one)) return [`  <testcase ${head}/>`];
  const message = one.mismatches.map((mismatch) => mismatch.message).join('; ');
  return [
    `  <testcase ${head}>`,
    `    <failure ${attributes({ message, type: 'expectation' })}>${xmlText(mismatchText(one, file))}</failure>`,
    '  </testcase>',
  ];
}

function unusable(file: FileResult): readonly string[] {
  const [first] = file.diagnostics;
  const message = first?.message ?? '';
  return [
    `  <testcase ${attributes({ classname: file.pipeline, name: 'the file can be used', file: file.read.source.name, time: '0.000' })}>`,
    `    <error ${attributes({ message, type: 'unusable_file' })}>${xmlText(diagnosticText(file))}</error>`,
    '  </testcase>',
  ];
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${xmlAttribute(String(value))}"`)
    .join(' ');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

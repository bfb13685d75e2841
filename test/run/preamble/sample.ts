import type { PastEntry, PastStage, PreambleMaterial } from '../../../src/run/preamble/preamble-material.js';

export function stage(id: string, details: Partial<PastStage> = {}): PastStage {
  return {
    kind: 'stage',
    id,
    label: id,
    visit: 1,
    status: 'success',
    retries: 0,
    notes: '',
    response: '',
    output: '',
    ...details,
  };
}

export function material(details: Partial<PreambleMaterial> = {}): PreambleMaterial {
  const past = details.past ?? [stage('plan')];
  return {
    goal: 'Parse JSON',
    runId: '20260314-091500-parser-k3v9qa',
    pipeline: 'parser',
    stage: { id: 'review', label: 'review', visit: 1, attempt: 1 },
    counts: { stages: past.filter(({ kind }) => kind === 'stage').length, failures: 0, retries: 0 },
    past,
    isNews: false,
    known: 0,
    context: [],
    ...details,
  };
}

/** A run in its second round: tests failed, a person wanted changes, and the gate sent it back. */
export const secondRound: PreambleMaterial = material({
  goal: 'Write a JSON parser in TypeScript without dependencies that passes the JSONTestSuite and reports every error with line and column.',
  stage: { id: 'implement', label: 'Implement the parser', visit: 3, attempt: 2 },
  counts: { stages: 10, failures: 2, retries: 2 },
  past: [
    {
      kind: 'failed_attempt',
      id: 'implement',
      visit: 3,
      attempt: 1,
      reason:
        'the working tree does not compile: src/number.ts(41,7): error TS2322: Type "string" is not assignable to type "number".',
    },
    { kind: 'jump', from: 'exit', to: 'implement', gate: 'conformance' },
    {
      kind: 'decision',
      id: 'approve',
      question: 'Is the error format good enough to ship?',
      answer: 'Yes, but print the line that is wrong',
      timedOut: false,
    },
    stage('approve', {
      label: 'Is the error format good enough to ship?',
      notes: 'A person chose: Yes, but print the line that is wrong',
    }),
    stage('review', {
      label: 'Review the change',
      visit: 2,
      status: 'partial_success',
      notes: 'Numbers like 1e400 become Infinity and should be refused; the rest is sound.',
      response:
        'The tokenizer is clear and small. Two things are left: numbers that overflow become Infinity, and a lone surrogate in a string is let through. I would fix the first now and file the second.',
    }),
    stage('conformance', {
      label: 'Run the test suite',
      visit: 2,
      status: 'fail',
      notes: 'exit code 1: 3 of 318 cases failed',
      output:
        'n_number_1e400.json: accepted, should be refused\nn_string_lone_surrogate.json: accepted, should be refused\nn_structure_100000_opening_arrays.json: RangeError: Maximum call stack size exceeded\n315 passed, 3 failed',
    }),
    stage('implement', {
      label: 'Implement the parser',
      visit: 2,
      retries: 1,
      notes: 'Errors now have line and column; nesting is parsed without recursion.',
      response: 'I rewrote parse.ts as a loop with an explicit stack and added src/position.ts.',
    }),
    {
      kind: 'failed_attempt',
      id: 'implement',
      visit: 2,
      attempt: 1,
      reason: 'rate limit reached, try again later',
    },
    stage('conformance', { visit: 1, status: 'fail', notes: 'exit code 1: 57 of 318 cases failed' }),
    stage('implement', { visit: 1, notes: 'First version, recursive.' }),
    stage('design', {
      label: 'Design the modules',
      notes: 'Four modules: tokenizer, parser, position, errors. See docs/design.md.',
      response: 'The parser takes tokens from a generator; positions are computed only for errors.',
    }),
    stage('fetch_suite', {
      label: 'Fetch the test suite',
      notes: 'Tool completed: git clone --depth 1 suite.git vendor/suite',
      output: "Cloning into 'vendor/suite'...\nResolving deltas: 100% (12/12), done.",
    }),
    stage('plan', {
      label: 'Plan the work',
      notes: '',
      response:
        'Five steps: fetch the suite, design, implement, run the suite, review. The number grammar is the risky part.',
    }),
  ],
  context: [
    { key: 'review.blocking', value: ['1e400 becomes Infinity'] },
    { key: 'cases_failed', value: 3 },
    { key: 'branch', value: 'feature/json-parser' },
    {
      key: 'design',
      value: { modules: ['tokenizer', 'parser', 'position', 'errors'], document: 'docs/design.md' },
    },
    { key: 'strict', value: true },
  ],
});

/** A long past: `count` stages, the latest first. */
export function longPast(count: number): readonly PastEntry[] {
  return Array.from({ length: count }, (_, index) =>
    stage(`stage_${count - index}`, {
      notes: `Ported module number ${count - index} of the old code base, with its tests, and removed the adapter.`,
    }),
  );
}

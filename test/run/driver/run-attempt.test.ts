import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { StageCrash } from '../../../src/handlers/handler.js';
import {
  type AttemptEnding,
  type OutcomePolicy,
  settleAttempt,
} from '../../../src/run/driver/run-attempt.js';

interface Setup extends OutcomePolicy {
  readonly attributes?: string;
  readonly file?: string;
  readonly logged?: string[];
}

/** Settles an attempt of a stage with these attributes, which left this status file. */
function settle(ending: AttemptEnding, { attributes = '', file, logged = [], ...policy }: Setup = {}) {
  const { program } = compile(`digraph G {
    start [shape=Mdiamond] exit [shape=Msquare] a [prompt=x${attributes}]
    start -> a -> exit
  }`);
  const node = program?.nodes.get('a');
  if (node === undefined) throw new Error('the pipeline of the test is invalid');
  const log = (level: string, message: string): void => void logged.push(`${level}: ${message}`);
  return settleAttempt(node, { log }, ending, () => file, policy);
}

const returned = (result: unknown): AttemptEnding => ({ kind: 'returned', result });
const threw = (error: unknown): AttemptEnding => ({ kind: 'threw', error });
const timedOut: AttemptEnding = { kind: 'timed_out', after: '1s', updates: { 'tool.output': 'so far' } };
const status = (outcome: string) => JSON.stringify({ outcome });

describe('D: a failure and its category', () => {
  test.each<[name: string, ending: AttemptEnding, setup: Setup, outcome: object]>([
    [
      'D retryable: an error that may pass',
      threw(Object.assign(new Error('busy'), { status: 503, headers: { 'retry-after': '1' } })),
      {},
      { failure_reason: 'busy', retryable: true, failure_category: 'retryable', retry_after_ms: 1000 },
    ],
    [
      'D terminal: authentication',
      threw(Object.assign(new Error('no key'), { status: 401 })),
      {},
      { failure_reason: 'no key', retryable: false, failure_category: 'terminal' },
    ],
    ['26: an unknown error has none', threw(new Error('no idea')), {}, { failure_reason: 'no idea' }],
    [
      '83: a failure that says retryable=false is terminal',
      returned({ status: 'fail', failure_reason: 'no', retryable: false }),
      {},
      { failure_reason: 'no', retryable: false, failure_category: 'terminal' },
    ],
    [
      'a failure that says its category',
      returned({ status: 'fail', failure_reason: 'no', failure_category: 'pipeline' }),
      {},
      { failure_reason: 'no', retryable: false, failure_category: 'pipeline' },
    ],
    ['a failure that says nothing has none', returned({ status: 'fail' }), {}, {}],
    [
      '30: a timeout may pass, but is tried again only where there is a budget',
      timedOut,
      {},
      {
        failure_reason: 'timeout after 1s',
        retryable: false,
        failure_category: 'retryable',
        context_updates: { 'tool.output': 'so far' },
      },
    ],
    [
      '30: such as this',
      timedOut,
      { attributes: ', max_retries=1' },
      {
        failure_reason: 'timeout after 1s',
        retryable: true,
        failure_category: 'retryable',
        context_updates: { 'tool.output': 'so far' },
      },
    ],
    [
      'a crash says what it says',
      threw(new StageCrash('ended by SIGKILL', { context_updates: { x: 1 } })),
      {},
      { failure_reason: 'ended by SIGKILL', context_updates: { x: 1 } },
    ],
    [
      'an invalid status file is terminal, and keeps what the tool printed',
      returned({ status: 'success', context_updates: { 'tool.output': 'out' } }),
      { file: '{' },
      {
        failure_reason: 'invalid status.json: it is not JSON',
        retryable: false,
        failure_category: 'terminal',
        context_updates: { 'tool.output': 'out' },
      },
    ],
    [
      'so is an outcome that is none',
      returned('success'),
      {},
      {
        failure_reason:
          'the backend returned "success"; expected a string or an outcome: an object with a "status" (success, partial_success, retry, fail, skipped)',
        retryable: false,
        failure_category: 'terminal',
      },
    ],
    [
      'a missing verdict may be there next time',
      returned(undefined),
      {},
      { failure_reason: expect.stringContaining('reported no outcome') },
    ],
  ])('%s', (_name, ending, setup, outcome) => {
    expect(settle(ending, setup)).toEqual({ status: 'fail', ...outcome });
  });
});

describe('59b, 62, 84: who has the last word', () => {
  test.each<[name: string, ending: AttemptEnding, setup: Setup, wins: string]>([
    ['the file, over a success', returned({ status: 'success' }), { file: status('fail') }, 'fail'],
    ['84: the file, over a failure', returned({ status: 'fail' }), { file: status('success') }, 'success'],
    ['the file, where nothing was returned', returned(undefined), { file: status('skipped') }, 'skipped'],
    [
      '62: the file, over auto_status',
      returned(undefined),
      { file: status('fail'), attributes: ', auto_status=true' },
      'fail',
    ],
    [
      '62: auto_status, where there is neither',
      returned(undefined),
      { attributes: ', auto_status=true' },
      'success',
    ],
    [
      '62: not auto_status, over an error',
      threw(new Error('x')),
      { attributes: ', auto_status=true' },
      'fail',
    ],
    ['59b: an error, over the file', threw(new Error('x')), { file: status('success') }, 'fail'],
    ['59b: a crash, over the file', threw(new StageCrash('x')), { file: status('success') }, 'fail'],
    ['59b: a timeout, over the file', timedOut, { file: status('success') }, 'fail'],
  ])('%s', (_name, ending, setup, wins) => {
    expect(settle(ending, setup).status).toBe(wins);
  });

  test('44g: a word of its own only under customOutcomes', () => {
    const file = status('converged');
    expect(settle(returned(undefined), { file }).status).toBe('fail');
    expect(settle(returned(undefined), { file, settings: { customOutcomes: true } })).toEqual({
      status: 'success',
      custom_outcome: 'converged',
    });
  });
});

describe('3.6: the predicate of a run', () => {
  test('is asked first', () => {
    const error = Object.assign(new Error('x'), { status: 503 });
    expect(settle(threw(error), { shouldRetry: () => false })).toMatchObject({
      failure_category: 'terminal',
    });
    expect(settle(threw(error), { shouldRetry: () => undefined })).toMatchObject({
      failure_category: 'retryable',
    });
  });

  test('that throws is told of and left out', () => {
    const logged: string[] = [];
    const shouldRetry = () => {
      throw new Error('oops');
    };
    const outcome = settle(threw(Object.assign(new Error('x'), { status: 503 })), { shouldRetry, logged });
    expect(outcome).toMatchObject({ failure_category: 'retryable' });
    expect(logged).toEqual(['warning: shouldRetry threw: oops; the default is used instead']);
  });

  test('is not asked about what is not an error', () => {
    const shouldRetry = () => {
      throw new Error('must not be asked');
    };
    expect(settle(returned({ status: 'fail' }), { shouldRetry })).toEqual({ status: 'fail' });
    expect(settle(threw(new StageCrash('x')), { shouldRetry })).toMatchObject({ failure_reason: 'x' });
  });
});

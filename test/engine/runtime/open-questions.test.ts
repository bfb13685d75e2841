import { describe, expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../../../src/engine/machine/event.js';
import { openQuestions } from '../../../src/engine/runtime/open-questions.js';
import { questionOf } from '../interviewer.contract.js';

function journal(...bodies: readonly object[]): readonly RunEvent[] {
  return bodies.map((body, index) => {
    const header = { seq: index + 1, timestamp: '2026-01-01T00:00:00.000Z', run_id: 'run', description: '' };
    return { ...(body as EventBody), ...header };
  });
}

const asked = (id: string, branch?: string) => ({
  type: 'InterviewStarted',
  question: { ...questionOf('YES_NO'), id },
  stage: 'g',
  ...(branch !== undefined && { branch }),
});
const answered = (id: string) => ({ type: 'InterviewCompleted', question_id: id, answer: { value: 'YES' } });

describe('87: which questions are open', () => {
  test.each<[string, readonly object[], readonly string[]]>([
    ['none of a run that asks nothing', [{ type: 'PipelineStarted' }], []],
    ['one that was asked', [asked('1')], ['1']],
    ['not one that was answered', [asked('1'), answered('1')], []],
    ['not one whose time was up', [asked('1'), { type: 'InterviewTimeout', question_id: '1' }], []],
    ['those of branches, each for itself', [asked('1', 'a'), asked('2', 'b'), answered('1')], ['2']],
    [
      'one of a run that was paused and goes on',
      [asked('1'), { type: 'PipelinePaused' }, { type: 'PipelineResumed' }],
      ['1'],
    ],
    [
      'one whose stage runs again after a crash',
      [asked('1'), { type: 'StageStarted', resumed: true }],
      ['1'],
    ],
    ['one whose stage is suspended', [asked('1'), { type: 'StageSuspended' }], ['1']],
    ['one of a cancelled run, which can be resumed', [asked('1'), { type: 'PipelineCancelled' }], ['1']],
    ['none where the stage has failed', [asked('1'), { type: 'StageFailed' }], []],
    ['none where the run has gone on elsewhere', [asked('1'), { type: 'PipelineResumed', node_id: 'a' }], []],
    ['none of a run that has ended', [asked('1', 'a'), { type: 'PipelineFailed' }], []],
    [
      'none of a branch that was stopped',
      [asked('1', 'a'), asked('2'), { type: 'ParallelBranchCompleted', branch: 'a' }],
      ['2'],
    ],
    [
      'none inside a branch that was stopped',
      [asked('1', 'a/b'), { type: 'ParallelBranchCompleted', branch: 'a' }],
      [],
    ],
    [
      'one of a branch beside it',
      [asked('1', 'ab'), { type: 'ParallelBranchCompleted', branch: 'a' }],
      ['1'],
    ],
  ])('%s', (_name, events, expected) => {
    expect(openQuestions(journal(...events)).open.map(({ id }) => id)).toEqual(expected);
  });

  test('and which are known', () => {
    expect([...openQuestions(journal(asked('1'), answered('1'), asked('2'))).known]).toEqual(['1', '2']);
  });
});

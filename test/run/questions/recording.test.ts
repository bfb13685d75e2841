import { describe, expect, test } from 'vitest';
import { autoApproveInterviewer } from '../../../src/run/questions/auto-approve.js';
import type { Interviewer } from '../../../src/run/questions/interviewer.js';
import { absentInterviewer } from '../../../src/run/questions/interviewer.js';
import { queueInterviewer } from '../../../src/run/questions/queue.js';
import { recordingInterviewer } from '../../../src/run/questions/recording.js';
import { heldInterviewer } from '../../support/interviewers.js';
import { runPipeline, specExample } from '../harness.js';
import { interviewerContract, questionOf, questions } from './interviewer.contract.js';

interviewerContract('a recording', () => recordingInterviewer(autoApproveInterviewer));

const { signal } = new AbortController();

describe('6.4: a recording', () => {
  test('keeps every question with its answer, as plain data', async () => {
    const recorder = recordingInterviewer(autoApproveInterviewer);
    const answers: unknown[] = [];
    for (const question of questions) answers.push(await recorder.ask(question, signal));
    expect(recorder.recordings).toEqual(
      questions.map((question, index) => ({ question, answer: answers[index] })),
    );
    expect(JSON.parse(JSON.stringify(recorder.recordings))).toEqual(recorder.recordings);
  });

  test('keeps them in the order in which they were asked, whoever was answered first', async () => {
    const held = heldInterviewer();
    const recorder = recordingInterviewer(held);
    const question = questionOf('FREEFORM');
    const asked = ['one', 'two'].map((id) => recorder.ask({ ...question, id }, signal));
    held.answer(1, { value: 'second', text: 'second' });
    await asked[1];
    expect(recorder.recordings.map(({ question: { id } }) => id)).toEqual(['two']);
    held.answer(0, { value: 'first', text: 'first' });
    await asked[0];
    expect(recorder.recordings.map(({ answer }) => answer.value)).toEqual(['first', 'second']);
  });

  test.each<[string, Interviewer]>([
    ['nobody answered', absentInterviewer],
    ['broke the interviewer', { ask: () => Promise.reject(new Error('no line')) }],
  ])('leaves out what %s', async (_name, inner) => {
    const recorder = recordingInterviewer(inner);
    await recorder.ask(questionOf('YES_NO'), signal).catch(() => undefined);
    expect(recorder.recordings).toEqual([]);
  });

  test('hands messages on, and does not mind where nobody takes them', () => {
    const told: string[] = [];
    const telling: Interviewer = { ...absentInterviewer, inform: (message) => void told.push(message) };
    recordingInterviewer(telling).inform?.('half done', 'g');
    recordingInterviewer(absentInterviewer).inform?.('half done', 'g');
    expect(told).toEqual(['half done']);
  });

  test('feeds a queue: a run that is replayed takes the same way', async () => {
    const recorder = recordingInterviewer(queueInterviewer(['F', 'Fix', 'a']));
    const recorded = await runPipeline(specExample('human-gate.dot'), { interviewer: recorder });
    expect(recorder.recordings.map(({ answer }) => answer.value)).toEqual(['F', 'F', 'A']);
    const kept = JSON.parse(JSON.stringify(recorder.recordings));
    const replayed = await runPipeline(specExample('human-gate.dot'), {
      interviewer: queueInterviewer(kept),
    });
    expect(replayed.result.path).toEqual(recorded.result.path);
    expect(replayed.result.context).toEqual(recorded.result.context);
  });
});

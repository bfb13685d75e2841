import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FixtureResponse } from '@copilotkit/aimock';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import type { Interviewer } from '../../../src/run/questions/interviewer.js';
import { asks, claude, questionsIn, results } from '../../backends/ai/asking.js';
import { bench, stage } from '../../backends/ai/bench.js';
import { cutAfter } from '../../backends/ai/cut-run.js';
import { eventsOf, resumePipeline } from '../../run/harness.js';
import { calls, type MockTurn, says } from '../../support/mock-models.js';

const turns = [
  asks('First?'),
  calls(['ask_person', { question: '' }]),
  calls(['list_files', {}], ['ask_person', { question: 'Second?', options: ['yes', 'no'] }]),
  says('Done.'),
];

/** Each turn follows from the ones before it, so that a request whose reply was lost gets it again. */
const twoQuestions: readonly MockTurn[] = Array.from({ length: turns.length + 1 }, () => ({
  response: ({ messages }) =>
    turns[messages.filter(({ role }) => role === 'assistant').length]?.response as FixtureResponse,
}));

const person: Interviewer = {
  ask: async ({ text, options }) => {
    if (text === 'First?') return { value: 'one', text: 'one' };
    const no = options.find(({ label }) => label === 'no');
    return no && { value: no.key, selected_option: no };
  },
};

describe('129: a process that ends anywhere', () => {
  test('asks each question once, requests each turn once, and loses no answer', async () => {
    let cuts = 0;
    for (let entries = 1; ; entries += 1) {
      const it = await bench(twoQuestions);
      const copy = path.join(path.dirname(it.runDirectory), 'copy');
      const cut = cutAfter(entries, it.runDirectory, copy, ['conversation.jsonl', 'events.jsonl']);
      const setup = { interviewer: person, fileSystem: cut.fileSystem };
      const ended = await it.run(stage(claude), setup).then(
        () => true,
        () => false,
      );
      if (ended) break;
      if (!existsSync(path.join(copy, 'events.jsonl'))) continue;
      cuts += 1;
      const { result } = await resumePipeline(copy, {
        ...(await it.setup({ runDirectory: undefined as never })),
        interviewer: person,
      });
      expect(result.status, `after ${entries} entries`).toBe('success');
      const replies = readFileSync(path.join(copy, 'work/conversation.jsonl'), 'utf8');
      expect(replies.match(/"kind":"assistant"/g), `after ${entries} entries`).toHaveLength(turns.length);
      expect(it.mock.requests().length, `after ${entries} entries`).toBeLessThanOrEqual(turns.length + 1);
      const journal = readFileSync(path.join(copy, 'events.jsonl'), 'utf8').trim().split('\n');
      const events = journal.map((line) => JSON.parse(line) as RunEvent);
      expect(questionsIn({ events })).toEqual(['work.1.1.ask1: First?', 'work.1.1.ask2: Second?']);
      expect(eventsOf(events, 'InterviewCompleted').map(({ answer }) => answer.text ?? answer.value)).toEqual(
        ['one', 'B'],
      );
      const [first, , , second] = results(it, it.mock.requests().length - 1);
      expect([first, second]).toEqual(['one', 'no']);
    }
    expect(cuts).toBeGreaterThan(20);
  });
});

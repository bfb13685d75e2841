import path from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { journalOf } from '../support/journal-of.js';
import { attractor, startAttractor } from './attractor.js';

// Row 109: the text of a gate, from every place where a person answers.

const pipeline = `digraph gated {
  start [shape=Mdiamond]
  done [shape=Msquare]
  ask [shape=hexagon, label="Ship it?", "human.text"=required]
  start -> ask
  ask -> done [label="[A] Approve"]
  ask -> done [label="[F] Fix"]
}
`;

const textOf = (directory: string): unknown =>
  journalOf(directory).find(({ type }) => type === 'InterviewCompleted');

test('109: a pipe has it after a tab; a choice alone is asked again', async () => {
  const cwd = directoryWith({ 'p.dot': pipeline });
  const { status, stdout, stderr } = await attractor(['run', 'p.dot', '--run-dir', 'r'], {
    cwd,
    input: 'A\nF\ttoo early\n',
  });
  expect(status).toBe(0);
  expect(stdout + stderr).toContain('answer with A, F, then a tab and a text');
  expect(textOf(path.join(cwd, 'r'))).toMatchObject({ answer: { value: 'F', text: 'too early' } });
});

test('109: `answer` takes it with --text, of a paused run and of a running one', async () => {
  const cwd = directoryWith({ 'p.dot': pipeline });
  expect((await attractor(['run', 'p.dot', '--run-dir', 'r'], { cwd })).status).toBe(3);
  const without = await attractor(['answer', 'r', 'A'], { cwd });
  expect(without.status).toBe(2);
  expect(without.stderr).toContain('"ask" needs a text besides the choice: add --text "…"');
  expect((await attractor(['answer', 'r', 'ask=A', '--text', 'looks good'], { cwd })).status).toBe(0);
  expect((await attractor(['resume', 'r'], { cwd })).status).toBe(0);
  expect(textOf(path.join(cwd, 'r'))).toMatchObject({ answer: { value: 'A', text: 'looks good' } });

  const running = startAttractor(['run', 'p.dot', '--run-dir', 'again'], { cwd, input: 'open' });
  await running.until('the question', () => running.output().includes('Ship it?'));
  expect((await attractor(['answer', 'again', 'F', '--text', 'no'], { cwd })).status).toBe(0);
  expect((await running.finished).status).toBe(0);
  expect(textOf(path.join(cwd, 'again'))).toMatchObject({ answer: { value: 'F', text: 'no' } });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, startAttractor } from '../../integration/process/attractor.js';
import { journalText, linesOf } from '../../support/journal-of.js';
import { randomFrom } from './kills.js';
import { tell } from './tell.js';

// SEMANTICS 106: a run over a list is killed again and again, and no item whose stage has finished is worked on again.

interface ListRun {
  readonly name: string;
  readonly items: number;
  readonly kills: number;
  /** Statements between the parallel node `each` and the fan-in `merge`. */
  readonly branch: string;
  readonly files?: Readonly<Record<string, string>>;
  /** How many stages of a branch note themselves. */
  readonly notes: number;
}

const noted = (stage: string): string =>
  `tool_command="sleep 0.02; echo ${stage} \${context.work.index} >> $HOME_OF_TEST/notes; echo \${context.file.name}"`;

const rows: readonly ListRun[] = [
  {
    name: '200 items, two tools for each',
    items: 200,
    kills: 10,
    branch: `work [shape=parallelogram, ${noted('work')}]; check [shape=parallelogram, ${noted('check')}]; each -> work -> check -> merge`,
    notes: 2,
  },
  {
    name: '80 items, a gate and a child for each',
    items: 80,
    kills: 6,
    branch: `ok [shape=hexagon, label="Ship \${context.file.name}?"]; sub [type=pipeline, child="child.dot", "params.index"="\${context.work.index}"]; each -> ok; ok -> sub [label="[Y] Yes"]; sub -> merge`,
    files: {
      'child.dot': `digraph child { start [shape=Mdiamond]; done [shape=Msquare]; work [shape=parallelogram, ${noted('work').replace('context.work.index', 'inputs.index').replace('context.file.name', 'inputs.index')}]; start -> work -> done }`,
    },
    notes: 1,
  },
];

test.for(rows)('106: $name, killed again and again', { timeout: 600_000 }, async (row, context) => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const names = Array.from({ length: row.items }, (_, index) => `file "${index}" $(date)`);
  const home = directoryWith({
    ...row.files,
    'main.dot': `digraph list { start [shape=Mdiamond]; done [shape=Msquare]; merge [shape=tripleoctagon]
      each [shape=component, foreach="\${inputs.files}", as=file, max_parallel=8, join=merge]; start -> each; merge -> done; ${row.branch} }`,
    'in.json': JSON.stringify({ files: names.map((name) => ({ name })) }),
  });
  const run = path.join(home, 'run');
  const call = { cwd: home, env: { HOME_OF_TEST: home } };
  const settledBefore = new Set<string>();
  let journal = '';
  let notesBefore: readonly string[] = [];
  let killed = 0;
  for (let isOver = false; !isOver; ) {
    const args =
      journal === '' ? ['run', 'main.dot', '--inputs', 'in.json', '--run-dir', 'run'] : ['resume', 'run'];
    const running = startAttractor([...args, '--auto-approve'], call);
    // By the journal, so that a fast machine does not reach the end before the last kill.
    if (killed < row.kills) {
      const more = 1 + (random() * row.items * row.notes) / (row.kills + 1);
      const settled = () => settledIn(journalText(run), row).length;
      await running.until('more stages', () => settled() >= settledBefore.size + more);
      running.kill('SIGKILL');
    }
    const { status, stderr } = await running.finished;
    expect([0, null], `SEED=${seed}: ${stderr}`).toContain(status);
    isOver = status === 0;
    if (!isOver) killed += 1;
    const now = journalText(run);
    expect(now.startsWith(journal)).toBe(true);
    const notes = linesOf(path.join(home, 'notes'));
    const later = notes.slice(notesBefore.length);
    // Of what had settled by the kill before, nothing was done again.
    expect(later.filter((note) => settledBefore.has(note))).toEqual([]);
    for (const note of settledIn(now, row)) settledBefore.add(note);
    journal = now;
    notesBefore = notes;
  }
  const result = JSON.parse(readFileSync(path.join(run, 'result.json'), 'utf8'));
  expect(result.status).toBe('success');
  const results = JSON.parse(readFileSync(path.join(run, 'each', 'parallel-results.json'), 'utf8'));
  expect(results.map(({ item, status }: { item: object; status: string }) => [item, status])).toEqual(
    names.map((name) => [{ name }, 'success']),
  );
  if (row.files === undefined)
    expect(
      results.map(
        ({ context_updates: set }: { context_updates: Record<string, string> }) => set['tool.last_line'],
      ),
    ).toEqual(names);
  expect(new Set(notesBefore).size).toBe(row.items * row.notes);
  const repeated = notesBefore.length - row.items * row.notes;
  // At most what was under way when it was killed.
  expect(repeated).toBeLessThanOrEqual(8 * killed);
  expect(killed).toBeGreaterThan(row.kills / 2);
  tell(context, { kills: killed, repeated });
});

/** Stages that had settled, by the notes that they leave; of a child, with the stage that runs it. */
function settledIn(journal: string, { files }: ListRun): readonly string[] {
  return journal
    .split('\n')
    .filter((line) => line.includes('"type":"StageCompleted"'))
    .flatMap((line) => {
      const { node_id: id, branch = '' } = JSON.parse(line);
      const item = /#(\d+)$/.exec(branch)?.[1];
      if (item === undefined) return [];
      if (files === undefined) return [`${id} ${Number(item) - 1}`];
      return id === 'sub' ? [`work ${Number(item) - 1}`] : [];
    });
}

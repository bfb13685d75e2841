import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { journalText } from '../../../src/journal/journal.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { pipeline, runOnDisk } from '../../run/harness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** A run whose journal was made longer: the loop of one stage, over and over, with a reason and a context of some size. */
export async function longRun(visits: number): Promise<string> {
  const dot = pipeline('a [type=note]', 'start -> a', 'a -> a [condition="outcome=fail"]', 'a -> exit');
  const { directory } = await runOnDisk(dot, {
    handlers: {
      note: (stage) => {
        stage.writeFile('prompt.md', 'p'.repeat(50_000));
        return { status: 'success' };
      },
    },
  });
  const copy = path.join(temporaryDirectory(), 'run');
  cpSync(directory, copy, { recursive: true });
  const journal = path.join(copy, 'events.jsonl');
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  const first = lines.findIndex((line) => line.includes('"node_id":"a"'));
  const events: object[] = lines.slice(0, first).map((line) => JSON.parse(line));
  const { run_id } = JSON.parse(lines[0] ?? '');
  const at = (seconds: number): string => new Date(Date.UTC(2030, 0, 1) + seconds * 1000).toISOString();
  for (let visit = 1; visit <= visits; visit += 1) {
    const stage = { node_id: 'a', name: 'a', index: visit, attempt: 1, visit, run_id, description: '' };
    const outcome = {
      ...{ status: 'fail', failure_reason: `reason ${visit} ${'r'.repeat(700)}` },
      context_updates: { key: 'v'.repeat(300) },
    };
    const times = { timestamp: at(visit), duration: 1000 };
    events.push(
      { ...stage, ...times, type: 'StageStarted' },
      { ...stage, ...times, type: 'StageFailed', error: outcome.failure_reason, will_retry: false, outcome },
      {
        ...times,
        run_id,
        description: '',
        type: 'EdgeSelected',
        from: 'a',
        to: 'a',
        reason: 'condition',
        edge: 1,
      },
    );
  }
  const numbered = events.map((event, index) => ({ ...event, seq: index + 1 }) as RunEvent);
  writeFileSync(journal, journalText(numbered).text);
  return copy;
}

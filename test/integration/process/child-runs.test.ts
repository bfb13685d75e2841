import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { attractor } from '../../cli/attractor.js';
import { journalOf, linesOf } from '../../support/journal-of.js';
import { isGroupAlive } from '../../support/processes.js';
import { waitFor } from '../../support/wait-for.js';
import { directoryWith, startAttractor } from './attractor.js';

const parentOf = (stage: string): string => `digraph parent {
  start [shape=Mdiamond]
  done [shape=Msquare]
  before [shape=parallelogram, tool_command="echo before >> ran"]
  ${stage}
  after [shape=parallelogram, tool_command="echo after >> ran"]
  start -> before -> sub -> after -> done
}
`;

const child = `digraph child {
  start [shape=Mdiamond]
  done [shape=Msquare]
  first [shape=parallelogram, tool_command="echo first >> ran"]
  work [shape=parallelogram, tool_command="echo $$ >> started; until test -f go; do sleep 0.02; done"]
  last [shape=parallelogram, tool_command="echo last >> ran"]
  start -> first -> work -> last -> done
}
`;

test.each([
  { name: 'a sub-pipeline', stage: 'sub [type=pipeline, child="child.dot"]' },
  {
    name: 'a manager',
    stage:
      'sub [shape=house, child="child.dot", "manager.poll_interval"="50ms", "manager.max_cycles"=100000]',
  },
])('$name whose process is killed finds its child again', async ({ stage }) => {
  const cwd = directoryWith({ 'parent.dot': parentOf(stage), 'child.dot': child });
  const started = () => linesOf(path.join(cwd, 'started'));
  const running = startAttractor(['run', 'parent.dot', '--run-dir', 'r'], { cwd });
  await running.until('the stage of the child', () => started().length === 1);
  running.kill('SIGKILL');
  await running.finished;
  await waitFor('the tool to end', () => !isGroupAlive(Number(started()[0])));
  writeFileSync(path.join(cwd, 'go'), '');
  const { status, stdout, stderr } = await attractor(['resume', 'r'], { cwd });
  expect(`${stdout}${stderr}`).toContain('sub/last');
  expect(status).toBe(0);
  // Only the stage that was under way has run again.
  expect(linesOf(path.join(cwd, 'ran'))).toEqual(['before', 'first', 'last', 'after']);
  expect(started()).toHaveLength(2);
  for (const run of ['r', 'r/sub/child']) {
    const types = journalOf(path.join(cwd, run)).map(({ type }) => type);
    expect(types.at(-1)).toBe('PipelineCompleted');
    expect(types.filter((type) => type === 'PipelineStarted')).toHaveLength(1);
    expect(types.filter((type) => type === 'PipelineResumed')).toHaveLength(1);
  }
});

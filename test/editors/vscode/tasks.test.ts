import { describe, expect, it } from 'vitest';
import {
  offeredTasks,
  readTask,
  taskArguments,
  taskName,
} from '../../../editors/vscode/src/tasks/task-list.js';

describe('a task', () => {
  it('is offered for the folder, and for the pipeline in the editor', () => {
    expect(offeredTasks(undefined).map(taskName)).toEqual(['lint', 'test']);
    expect(offeredTasks('flows/a.dot').map(taskName)).toEqual([
      'lint',
      'test',
      'lint flows/a.dot',
      'run flows/a.dot',
      'test flows/a.dot',
    ]);
  });

  it.each([
    [{ command: 'lint' }, ['lint', '.']],
    [
      { command: 'test', file: 'flows', args: ['--coverage', 'table', 3] },
      ['test', 'flows', '--coverage', 'table'],
    ],
    [{ command: 'run', file: 'a.dot', args: ['--simulate'] }, ['run', 'a.dot', '--simulate']],
    [{ command: 'run' }, undefined],
    [{ command: 'serve' }, undefined],
    [{ file: 'a.dot' }, undefined],
    [{ command: 'lint', file: 3, args: 'x' }, ['lint', '.']],
  ])('%j calls %j', (definition, expected) => {
    const task = readTask(definition);
    expect(task && taskArguments(task)).toEqual(expected);
  });
});

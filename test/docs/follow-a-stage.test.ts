import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StatusFiles } from '../../src/run/driver/status-files.js';
import { nodeFileSystem } from '../../src/run-directory/file-system.js';
import { attractor } from '../cli/attractor.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { codeIn, readPage, root, tableOf } from './markdown.js';

const rows = tableOf(readPage('ARCHITECTURE.md'), '#').map(([number = '', file = '', ...rest]) => ({
  number,
  file: codeIn(file)[0] ?? file,
  // Other files that the row names: lists, and what is asked.
  others: rest.flatMap(codeIn).filter((code) => code.includes('/')),
}));
const chain = rows.map(({ file }) => file);

function textOf(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** Whether a file imports another one, at once or when it needs it, or names it. */
function leadsTo(from: string, to: string): boolean {
  const imported = [...textOf(from).matchAll(/(?:from|import\() ?'(\.[^']+)\.js'/g)].map(([, name = '']) =>
    path.posix.join(path.posix.dirname(from), `${name}.ts`),
  );
  return imported.includes(to) || textOf(from).includes(to);
}

describe('the files of "Follow a stage"', () => {
  it('are at most 25, numbered, each once', () => {
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => String(index + 1)));
    expect(new Set(chain).size).toBe(chain.length);
    expect(chain.length).toBeLessThanOrEqual(25);
  });

  it('are there, as are those that they ask', () => {
    const named = rows.flatMap(({ file, others }) => [file, ...others]);
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it.each(rows.slice(1))('lead from one to the next: $number $file', ({ number, file }) => {
    const named = rows.slice(0, Number(number)).flatMap((row) => [row.file, ...row.others]);
    expect(named.filter((one) => one !== file && leadsTo(one, file))).not.toEqual([]);
  });

  it('ask those that they are said to ask', () => {
    const named = rows.flatMap(({ file, others }) => [file, ...others]);
    const strangers = rows
      .flatMap(({ others }) => others)
      .filter((other) => !named.some((one) => one !== other && (leadsTo(one, other) || leadsTo(other, one))));
    expect(strangers).toEqual([]);
  });

  it('are all that control passes through: when the command of the tool is sent, when its events are made, and when their lines are written', async () => {
    const stacks = stacksOfStage();
    const cwd = temporaryDirectory();
    writeFileSync(
      path.join(cwd, 'one.dot'),
      'digraph G { start [shape=Mdiamond] exit [shape=Msquare] t [shape=parallelogram, tool_command=true] start -> t -> exit }',
    );
    const { status } = await attractor(['run', 'one.dot', '--run-dir', 'run'], { cwd });
    expect(status).toBe(0);
    expect([...stacks.keys()].sort()).toEqual([
      'StageCompleted is made',
      'StageCompleted is written',
      'StageStarted is made',
      'StageStarted is written',
      'the command is sent',
    ]);
    const seen = new Set([...stacks.values()].flatMap((stack) => filesIn(stack)));
    expect([...seen].filter((file) => !chain.includes(file))).toEqual([]);
    // A stack does not show the start of the bundle, functions that wait for nothing, makers of objects, and other processes.
    expect(chain.filter((file) => !seen.has(file))).toEqual([
      'bin/attractor.js',
      'src/cli/main.ts',
      'src/cli/commands/run.ts',
      'src/compiler/compile.ts',
      'src/run/run-settings.ts',
      'src/run/run-directory.ts',
      'src/run/driver/attempt-stage.ts',
      'src/handlers/tools/spawner-process.ts',
    ]);
  });
});

/** Notes the stack of each moment of the stage `t`, by what happens. */
function stacksOfStage(): ReadonlyMap<string, string> {
  const stacks = new Map<string, string>();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 300;
  const note = (what: string): void => void stacks.set(what, new Error(what).stack ?? '');
  const { write } = nodeFileSystem;
  const onWrite = vi.spyOn(nodeFileSystem, 'write').mockImplementation((descriptor, bytes, offset) => {
    for (const line of Buffer.from(bytes).toString().split('\n')) {
      const [, type] = /"type":"(Stage(?:Started|Completed))","node_id":"t"/.exec(line) ?? [];
      if (type !== undefined) note(`${type} is written`);
    }
    return write(descriptor, bytes, offset);
  });
  const noteEvent = StatusFiles.prototype.note;
  const onEvent = vi.spyOn(StatusFiles.prototype, 'note').mockImplementation(function (
    this: StatusFiles,
    event,
    state,
  ) {
    if ((event.type === 'StageStarted' || event.type === 'StageCompleted') && event.node_id === 't')
      note(`${event.type} is made`);
    noteEvent.call(this, event, state);
  });
  const send = Socket.prototype.write;
  const onSend = vi.spyOn(Socket.prototype, 'write').mockImplementation(function (
    this: Socket,
    ...given: unknown[]
  ) {
    if (String(given[0]).startsWith('{"kind":"run"')) note('the command is sent');
    return Reflect.apply(send, this, given);
  });
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit;
    for (const spy of [onWrite, onEvent, onSend]) spy.mockRestore();
  });
  return stacks;
}

function filesIn(stack: string): readonly string[] {
  return [...stack.matchAll(/\/(src\/[\w/.-]+\.ts):\d+/g)].map(([, file = '']) => file);
}

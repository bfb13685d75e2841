import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { processes } from '../../support/processes.js';
import { waitFor } from '../../support/wait-for.js';
import { attractor, directoryWith, startAttractor } from './attractor.js';

// What a stage has started in sessions of their own, as coding agents run their commands, seen from outside (SEMANTICS 59a).

/** Ignores requests to end; its process id is in a file. */
const command = `trap '' TERM HUP INT; echo $$ > "$1"; while :; do sleep 0.05; done`;
/** Runs one such command, and another one that a command of it has started, each in a session of its own. */
const starts = `#!/bin/sh
setsid sh -c 'setsid sh command.sh inner & exec sh command.sh outer' &
until test -e enough; do sleep 0.05; done
`;
const tool = 'shape=parallelogram, tool_command="sh starts.sh"';
const agent = 'llm_provider="mine", prompt="Go"';

function pipeline(stage: string): string {
  return `digraph contain {
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [${stage}]
  start -> work -> done
}
`;
}

async function begun(stage: string) {
  const cwd = directoryWith({
    'contain.dot': pipeline(stage),
    'command.sh': command,
    'starts.sh': starts,
    'attractor.config.yaml': 'agents:\n  mine: { command: [sh, starts.sh], output: text }\n',
  });
  const running = startAttractor(['run', 'contain.dot', '--run-dir', 'r'], { cwd });
  const pids = () =>
    ['outer', 'inner'].map((name) => {
      const file = path.join(cwd, name);
      return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    });
  await running.until('the commands', () => pids().every((pid) => pid > 0));
  const living = () => processes().filter(({ pid }) => pids().includes(pid));
  expect(living()).toHaveLength(2);
  return { cwd, running, living };
}

describe.skipIf(!existsSync('/proc/self/environ'))('A4: nothing that a stage has started outlives it', () => {
  test.each([
    ['an agent', 'cancel', agent, ['cancel', 'r']],
    ['an agent', 'pause --now', agent, ['pause', 'r', '--now']],
    ['a tool', 'cancel', tool, ['cancel', 'r']],
    ['a tool', 'pause --now', tool, ['pause', 'r', '--now']],
  ])('%s: after %s', async (_who, _what, stage, args) => {
    const { cwd, running, living } = await begun(stage);
    await attractor(args, { cwd });
    await running.finished;
    expect(living()).toEqual([]);
  });

  test.each([
    ['an agent', agent],
    ['a tool', tool],
  ])('%s: after a kill -9 of attractor', async (_who, stage) => {
    const { running, living } = await begun(stage);
    running.kill('SIGKILL');
    await running.finished;
    await waitFor('their end', () => living().length === 0);
  });

  test('an agent: after it has ended by itself', async () => {
    const { cwd, running, living } = await begun(agent);
    writeFileSync(path.join(cwd, 'enough'), '');
    expect((await running.finished).status).toBe(0);
    expect(living()).toEqual([]);
  });
});

import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** What any journal has to do: one line of about 300 bytes a step, each in a write of its own. */
export function append(directory, lines) {
  return inFile(directory, (descriptor) => {
    for (let seq = 1; seq <= lines; seq += 1) writeSync(descriptor, line(seq));
  });
}

/** What a journal has to do for branches: the five lines of each, many in a write, as the engine writes those of stages that do nothing. */
export function appendBranches(directory, branches) {
  return inFile(directory, (descriptor) => {
    let lines = '';
    for (let branch = 0; branch < branches; branch += 1) {
      for (const text of branchLines(branch)) lines += text;
      if (branch % 10 === 9) {
        writeSync(descriptor, lines);
        lines = '';
      }
    }
    writeSync(descriptor, lines);
  });
}

/** What any durable journal has to do. @param onLine called before each */
export function appendAndSync(directory, lines, onLine) {
  return inFile(directory, (descriptor) => {
    for (let seq = 1; seq <= lines; seq += 1) {
      onLine();
      writeSync(descriptor, line(seq));
      fdatasyncSync(descriptor);
    }
  });
}

/** What any engine has to remember. */
export function remember(_directory, steps) {
  const visits = new Map();
  const path = [];
  for (let step = 0; step < steps; step += 1) {
    const id = step % 2 === 0 ? 'a' : 'b';
    visits.set(id, (visits.get(id) ?? 0) + 1);
    path.push(id);
  }
  if (path.length !== steps || visits.get('a') !== Math.ceil(steps / 2)) throw new Error('miscounted');
}

const notes = 'x'.repeat(160);

function line(seq) {
  const at = '2026-01-01T00:00:00.000Z';
  return `${JSON.stringify({ seq, timestamp: at, type: 'StageCompleted', node_id: seq % 2 === 0 ? 'a' : 'b', index: seq, duration_ms: 0, outcome: { status: 'success', notes } })}\n`;
}

function branchLines(number) {
  const head = { timestamp: '2026-01-01T00:00:00.000Z', run_id: '20260101-000000-bench-aaaaaa' };
  const branch = `s${number}`;
  const stage = { node_id: branch, name: branch, index: number, attempt: 1, visit: 1 };
  const outcome = { status: 'success', notes: `Conditional node evaluated: ${branch}` };
  const fork = { branch, index: number, node_id: 'fan' };
  return [
    { type: 'ParallelBranchStarted', ...fork, description: `Branch "${branch}" of "fan" started` },
    { type: 'StageStarted', ...stage, branch, description: `Stage "${branch}" started` },
    {
      type: 'StageCompleted',
      ...stage,
      duration: 0,
      outcome,
      branch,
      description: `Stage "${branch}" completed: success`,
    },
    {
      type: 'EdgeSelected',
      from: branch,
      to: 'join',
      reason: 'weight',
      edge: number,
      branch,
      description: `From "${branch}" to "join" by weight`,
    },
    {
      type: 'ParallelBranchCompleted',
      ...fork,
      duration: 0,
      success: true,
      status: 'success',
      description: `Branch "${branch}" of "fan" ended: success`,
    },
  ].map((event, index) => `${JSON.stringify({ seq: 5 * number + index, ...head, ...event })}\n`);
}

function inFile(directory, work) {
  const home = mkdtempSync(join(directory, 'yardstick-'));
  const descriptor = openSync(join(home, 'lines.jsonl'), 'a');
  try {
    work(descriptor);
  } finally {
    closeSync(descriptor);
    rmSync(home, { recursive: true });
  }
}

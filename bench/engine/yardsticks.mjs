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

/**
 * The least that an engine can do for branches: their lines put together from what is the same each time, and of each of them
 * its visit, its outcome and its result. It decides nothing.
 */
export function leastOfBranches(directory, branches) {
  const ids = Array.from({ length: branches }, (_, branch) => `s${branch}`);
  const visits = new Map();
  const outcomes = new Map();
  const results = [];
  inFile(directory, (descriptor) => {
    const bytes = Buffer.allocUnsafe(1 << 16);
    let lines = '';
    for (let branch = 0; branch < branches; branch += 1) {
      const id = ids[branch];
      const outcome = { status: 'success', notes: `Conditional node evaluated: ${id}` };
      visits.set(id, 1);
      outcomes.set(id, outcome);
      results.push({ id, ...outcome, completed_nodes: [id], duration_ms: 0 });
      lines += linesOfBranch(branch, id, outcome.notes);
      if (branch % 10 < 9 && branch + 1 < branches) continue;
      writeSync(descriptor, bytes, 0, bytes.write(lines));
      lines = '';
    }
  });
  if (visits.size !== branches || outcomes.size !== branches) throw new Error('miscounted');
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

function linesOfBranch(number, id, notes) {
  const at = new Date().toISOString();
  let seq = 5 * number;
  const head = (type) =>
    `{"seq":${seq++},"timestamp":"${at}","run_id":"20260101-000000-bench-aaaaaa","type":"${type}"`;
  const stage = `"node_id":"${id}","name":"${id}","index":${number},"attempt":1,"visit":1`;
  const fork = `"branch":"${id}","index":${number},"node_id":"fan"`;
  return `${head('ParallelBranchStarted')},${fork},"description":"Branch \\"${id}\\" of \\"fan\\" started"}
${head('StageStarted')},${stage},"branch":"${id}","description":"Stage \\"${id}\\" started"}
${head('StageCompleted')},${stage},"duration":0,"outcome":{"status":"success","notes":"${notes}"},"branch":"${id}","description":"Stage \\"${id}\\" completed: success"}
${head('EdgeSelected')},"from":"${id}","to":"join","reason":"weight","edge":${number},"branch":"${id}","description":"From \\"${id}\\" to \\"join\\" by weight"}
${head('ParallelBranchCompleted')},${fork},"duration":0,"success":true,"status":"success","description":"Branch \\"${id}\\" of \\"fan\\" ended: success"}
`;
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

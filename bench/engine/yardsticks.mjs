import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** What any journal has to do: one line of about 300 bytes a step, each in a write of its own. */
export function append(directory, lines) {
  return inFile(directory, (descriptor) => {
    for (let seq = 1; seq <= lines; seq += 1) writeSync(descriptor, line(seq));
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

// Loaded into a worker, with --expose-gc: at SIGUSR2 it collects garbage and writes what the heap holds, in bytes, to a file.

import { renameSync, writeFileSync } from 'node:fs';

process.on('SIGUSR2', () => {
  globalThis.gc();
  globalThis.gc();
  const file = process.env.BENCH_HEAP;
  writeFileSync(`${file}.new`, String(process.memoryUsage().heapUsed));
  renameSync(`${file}.new`, file);
});

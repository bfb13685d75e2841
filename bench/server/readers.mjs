// Many clients that read the same stream of events at the same time, in a process of their own: who measures how long another
// request waits meanwhile must not wait for them itself.
//
//   node bench/server/readers.mjs COUNT TARGET_AS_JSON     prints the events of all, and the milliseconds of the slowest

import { readStream } from './load.mjs';

const [count, target] = process.argv.slice(2);
const read = await Promise.all(Array.from({ length: Number(count) }, () => readStream(JSON.parse(target))));
const events = read.reduce((sum, one) => sum + one.events, 0);
const milliseconds = Math.max(...read.map((one) => one.milliseconds));
process.stdout.write(`${JSON.stringify({ events, milliseconds })}\n`);

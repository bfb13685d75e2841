// Stages of the benchmark: they do real work as far as the engine knows, so that each outcome is a durable step.

import { appendFileSync } from 'node:fs';

const text = 'x'.repeat(1024);

export default {
  name: 'bench',
  handlers: [
    {
      type: 'bench.work',
      handler: {
        execute({ node, runId, writeFile }) {
          const files = Number(node.attributes.get('files')?.value ?? 0);
          for (let index = 0; index < files; index += 1) writeFile(`part-${index}.md`, text);
          if (node.attributes.has('mark')) appendFileSync(process.env.BENCH_MARKS, markOf(runId));
          return { status: 'success', context_updates: { answer: 42 } };
        },
      },
    },
  ],
};

/** Line that says when a run came here, in milliseconds since 1970. */
export function markOf(runId) {
  return `${runId} ${performance.timeOrigin + performance.now()}\n`;
}

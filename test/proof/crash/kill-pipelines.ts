import type { CrashPipeline } from './pipelines.js';

/** The file in which tools note their attempts, whose notes have four words: key, attempt, process, time in milliseconds. */
export const noteFile = 'notes';

const note = `echo "$ATTRACTOR_IDEMPOTENCY_KEY $ATTRACTOR_ATTEMPT $$ $(date +%s%3N)" >> ${noteFile}`;

/** A tool that works a while, notes itself, and works a little more. */
export function tool(id: string, milliseconds: number, then = 'true', attributes = ''): string {
  const command = `sleep ${(milliseconds / 1000).toFixed(3)}; ${note}; sleep 0.005; ${then}`;
  return `${id} [shape=parallelogram, tool_command="${command.replaceAll('"', '\\"')}"${attributes}]`;
}

function dot(name: string, statements: readonly string[]): string {
  return `digraph ${name} {\nstart [shape=Mdiamond]\ndone [shape=Msquare]\n${statements.join('\n')}\n}\n`;
}

const chain = Array.from({ length: 30 }, (_, index) => `s${index + 1}`);

/** The second attempt succeeds. */
const secondTry = 'test $ATTRACTOR_ATTEMPT -ge 2';

/** Rows of the table of pipelines for real processes: all of their work is done by tools, which note what they do. */
export const killedPipelines: readonly CrashPipeline[] = [
  {
    name: 'a line of tools',
    dot: dot('line', [
      ...chain.map((id, index) => tool(id, 5 + 1.5 * ((index * 7) % 10))),
      ['start', ...chain, 'done'].join(' -> '),
    ]),
    path: chain.join(' '),
    isKilled: true,
  },
  {
    name: 'parallel nodes, a gate, retries, a sub-pipeline and a restart',
    dot: dot('everything', [
      tool('first', 10),
      'fan [shape=component, max_parallel=3]',
      'inner [shape=component]; meetInner [shape=tripleoctagon]; meet [shape=tripleoctagon]',
      ...[tool('a', 15), tool('x', 20), tool('y', 10), tool('a2', 5)],
      tool('b', 10, secondTry, ', max_retries=1, retry_policy=standard'),
      tool('b2', 25),
      'sub [type=pipeline, child="child.dot"]',
      tool('d', 30),
      'gate [shape=hexagon, label="Ship it?"]',
      ...[tool('again', 5), tool('last', 10)],
      'start -> first -> fan',
      'fan -> a -> inner; inner -> x -> meetInner; inner -> y -> meetInner; meetInner -> a2 -> meet',
      'fan -> b -> b2 -> meet; fan -> sub -> meet; fan -> d -> meet',
      'meet -> gate',
      'gate -> again [label="[R] Restart"]; again -> first [loop_restart=true]',
      'gate -> last [label="[S] Ship"]; last -> done',
    ]),
    files: {
      'child.dot': dot('child', [
        ...[tool('one', 10), tool('two', 15)],
        tool('three', 5, secondTry, ', max_retries=1, retry_policy=standard'),
        'ok [shape=hexagon, label="Go on?"]',
        'start -> one -> ok; ok -> two [label="[Y] Yes"]; ok -> one [label="[N] No"]; two -> three -> done',
      ]),
    },
    answers: { gate: ['R', 'S'], 'sub/ok': ['N', 'Y', 'N', 'Y'] },
    path: 'first fan a b sub d inner x y meetInner a2 b2 meet gate last',
    isKilled: true,
  },
];

import type { Outcome } from '../../src/engine/machine/outcome.js';
import { pipeline } from '../engine/harness.js';

/** A pipeline that must come to the same end whatever happens to the machine. */
export interface CrashPipeline {
  readonly name: string;
  /** Stages of type `work` take their outcomes from below; a tool notes itself in `executed` beside the run directory. */
  readonly dot: string;
  /** What an attempt of a `work` stage comes to, by `node#visit.attempt`; all others succeed. */
  readonly outcomes?: Readonly<Record<string, Outcome>>;
  readonly answers?: Readonly<Record<string, string | readonly string[]>>;
  /** The path of a run that nothing happens to, without start and exit. */
  readonly path: string;
}

const fail: Outcome = { status: 'fail', failure_reason: 'red' };
const retry: Outcome = { status: 'retry', failure_reason: 'not yet' };
const work = 'node [type=work]';

/** A tool that keeps a log and prints something. */
function tool(id: string): string {
  const command = `echo ${id}#$ATTRACTOR_VISIT.$ATTRACTOR_ATTEMPT >> $ATTRACTOR_LOGS_ROOT/../executed; echo from ${id}; echo aside >&2`;
  return `${id} [shape=parallelogram, tool_command="${command}"]`;
}

/** Together they use every kind of stage and every way from one to the next. Add a row, and all proofs run on it. */
export const crashPipelines: readonly CrashPipeline[] = [
  {
    name: 'a line with a tool',
    dot: pipeline(tool('build'), 'a [type=work]', 'start -> a -> build -> exit'),
    outcomes: { 'a#1.1': { status: 'success', notes: 'done', context_updates: { list: [1, 'zwölf'] } } },
    path: 'a build',
  },
  {
    name: 'retries with back-off, one of which runs out',
    dot: pipeline(
      work,
      'a [max_retries=2, retry_policy=patient]',
      'b [max_retries=1, allow_partial=true]',
      'start -> a -> b -> exit',
    ),
    outcomes: { 'a#1.1': retry, 'a#1.2': fail, 'b#1.1': retry, 'b#1.2': retry },
    path: 'a b',
  },
  {
    name: 'a human gate that is answered twice',
    dot: pipeline(
      work,
      'g [shape=hexagon, type="wait.human", label="Ship?"]',
      'fix',
      'start -> g',
      'g -> exit [label="[A] Approve"]',
      'g -> fix [label="[F] Fix"]',
      'fix -> g',
    ),
    answers: { g: ['F', 'Approve'] },
    path: 'g fix g',
  },
  {
    name: 'a goal gate that sends the run back, over a tool whose files are archived',
    dot: pipeline(
      'retry_target=a',
      tool('a'),
      'g [type=work, goal_gate=true, on_failure=continue]',
      'start -> a -> g -> exit',
    ),
    outcomes: { 'g#1.1': { ...fail, context_updates: { seen: true } } },
    path: 'a g a g',
  },
  {
    name: 'a diamond that sends back, over simulated prompts',
    dot: pipeline(
      'write',
      'check [type=work]',
      'd [shape=diamond]',
      'start -> write -> check -> d',
      'd -> exit [condition="outcome=success"]',
      'd -> write [condition="outcome!=success"]',
    ),
    outcomes: { 'check#1.1': fail },
    path: 'write check d write check d',
  },
];

import type { Outcome } from '../../../src/machine/outcome.js';
import { pipeline, type Setup } from '../../run/harness.js';
import { type Scenario, scenarios } from '../../run/recording/scenarios.js';
import type { Budget } from './budgeted-runs.js';
import type { FilesOfGit } from './git-runs.js';
import { killedPipelines } from './kill-pipelines.js';

/** What an attempt of a `work` stage does: comes to an outcome, returns nothing, or works until it is stopped. */
export type Work = Outcome | 'nothing' | 'until stopped';

/** A pipeline that must come to the same end whatever happens to the machine. */
export interface CrashPipeline {
  readonly name: string;
  /** Stages of type `work` do what the table below says. */
  readonly dot: string;
  readonly inputs?: Setup['inputs'];
  /** The pipelines that it runs, by the name of their file. */
  readonly files?: Readonly<Record<string, string>>;
  /** By attempt, `node#visit.attempt`, after `restart-<n>/` and the attempt that runs the child it is in; all others succeed. */
  readonly work?: Readonly<Record<string, Work>>;
  /** How long attempts of `work` stages take, in milliseconds; all others take none. */
  readonly takes?: Readonly<Record<string, number>>;
  readonly answers?: Readonly<Record<string, string | readonly string[]>>;
  /** In which order attempts come to their outcomes, where that would hang on chance. */
  readonly order?: string;
  /** The path of a run that nothing happens to, without start and exit; since the last restart. */
  readonly path: string;
  /** Whose files are of which visit hangs on the visits before, so that files of later ones are not tried. */
  readonly hasOwnFiles?: true;
  /** So few calls of the disk that each of them can fail in turn. */
  readonly isSmall?: true;
  /** It is recorded, and whatever it comes to is played back. */
  readonly recording?: Scenario;
  /** Git keeps its files. */
  readonly git?: FilesOfGit;
  /** It pauses where this is used up. */
  readonly budget?: Budget;
  /** Real processes run it, which are killed. */
  readonly isKilled?: true;
}

const fail: Outcome = { status: 'fail', failure_reason: 'red' };
const retry: Outcome = { status: 'retry', failure_reason: 'not yet' };
const success: Outcome = { status: 'success' };
const work = 'node [type=work]';

/** A tool that prints something, also aside. */
function tool(id: string, print = `from ${id}`): string {
  return `${id} [shape=parallelogram, tool_command="echo ${print}; echo aside >&2"]`;
}

/** A stage that a model would do; without one it is simulated. */
function llm(id: string, attributes = ''): string {
  return `${id} [type=codergen, prompt="Do ${id}"${attributes === '' ? '' : `, ${attributes}`}]`;
}

const gate = (id: string) => `${id} [shape=hexagon, type="wait.human", label="Ship ${id}?"]`;

const bigValue = 'long '.repeat(25_000);

/** A pipeline with another one in it. */
const nested = {
  'middle.dot': pipeline(
    work,
    'before',
    'deeper [type=pipeline, child="inner.dot"]',
    'after',
    'start -> before -> deeper -> after -> exit',
  ),
  'inner.dot': pipeline(work, 'inner_a', 'inner_b', 'start -> inner_a -> inner_b -> exit'),
};

/**
 * Together they use every kind of stage and every way from one to the next. Add a row, and all proofs run on it; one with a
 * column of its own is cut off as that column demands.
 */
export const crashPipelines: readonly CrashPipeline[] = [
  {
    name: 'a line with a tool',
    dot: pipeline(
      tool('build', 'list: ${list}, ${context.word}'),
      'a [type=work]',
      'start -> a -> build -> exit',
    ),
    work: {
      'a#1.1': { status: 'success', notes: 'done', context_updates: { list: [1, 'zwölf'], word: "it's" } },
    },
    path: 'a build',
  },
  {
    name: 'a line with a context that grows',
    dot: pipeline(work, 'a', 'b', 'c', 'start -> a -> b -> c -> exit'),
    work: {
      'a#1.1': { status: 'success', context_updates: { list: [1], a: 'x' } },
      'b#1.1': { status: 'partial_success', notes: 'nearly', context_updates: { list: [1, 2] } },
      'c#1.1': { status: 'skipped' },
    },
    path: 'a b c',
  },
  {
    name: 'retries with back-off, one of which runs out',
    dot: pipeline(
      work,
      'a [max_retries=3, retry_policy=patient]',
      'b [max_retries=1, allow_partial=true]',
      'start -> a -> b -> exit',
    ),
    work: { 'a#1.1': retry, 'a#1.2': fail, 'a#1.3': retry, 'b#1.1': retry, 'b#1.2': retry },
    path: 'a b',
  },
  {
    name: 'a stage whose time is up, and one that reports nothing',
    dot: pipeline(
      work,
      'a [timeout=90s, max_retries=1]',
      'b [auto_status=true]',
      'c [on_failure=continue]',
      'd',
      'start -> a -> b -> c -> d -> exit',
    ),
    work: {
      'a#1.1': 'until stopped',
      'b#1.1': 'nothing',
      'c#1.1': fail,
      'd#1.1': { status: 'skipped', notes: 'not needed' },
    },
    path: 'a b c d',
  },
  {
    name: 'a human gate that is answered twice',
    dot: pipeline(
      work,
      gate('g'),
      'g ["human.default_choice"="nonsense"]',
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
    work: { 'g#1.1': { ...fail, context_updates: { seen: true } } },
    path: 'a g a g',
  },
  {
    name: 'a goal gate that sends the run back after a stage that succeeded, by a fallback',
    dot: pipeline(
      'retry_target=nobody',
      'fallback_retry_target=a',
      work,
      'a',
      'b',
      'g [goal_gate=true, on_failure=continue]',
      'start -> a -> g -> b -> exit',
    ),
    work: { 'g#1.1': fail, 'a#2.1': { status: 'success', context_updates: { second: true } } },
    path: 'a g b a g b',
  },
  {
    name: 'jumps to a retry target',
    dot: pipeline(work, 'a', 'b [retry_target=a]', 'start -> a -> b -> exit'),
    work: { 'b#1.1': fail, 'b#2.1': fail },
    path: 'a b a b a b',
  },
  {
    name: 'jumps to retry targets, as often as a node may be visited',
    dot: pipeline(
      work,
      'a [max_visits=3]',
      'b [retry_target=nobody, fallback_retry_target=a]',
      'start -> a -> b -> exit',
    ),
    work: { 'b#1.1': fail, 'b#2.1': { ...fail, failure_reason: 'still red' } },
    path: 'a b a b a b',
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
    work: { 'check#1.1': fail },
    path: 'write check d write check d',
  },
  {
    name: 'a diamond that sends back, twice',
    dot: pipeline(
      work,
      'implement',
      'validate',
      'd [shape=diamond, type=conditional]',
      'start -> implement -> validate -> d',
      'd -> exit [condition="outcome=success"]',
      'd -> implement [condition="outcome!=success"]',
    ),
    work: { 'validate#1.1': fail, 'validate#2.1': { ...fail, context_updates: { hint: 'look' } } },
    path: 'implement validate d implement validate d implement validate d',
  },
  {
    name: 'sessions that stages share, and summaries',
    dot: pipeline(
      'default_fidelity=full',
      'default_thread_id=talk',
      llm('plan'),
      llm('write'),
      llm('review', 'fidelity="summary:medium"'),
      llm('polish', 'thread_id=other'),
      'start -> plan -> write -> review -> polish -> exit',
    ),
    path: 'plan write review polish',
  },
  {
    name: 'a restart, over a tool, a prompt and a gate',
    dot: pipeline(
      tool('build'),
      llm('write'),
      gate('g'),
      'again [type=work]',
      'start -> build -> write -> g',
      'g -> exit [label="[A] Approve"]',
      'g -> again [label="[R] Restart"]',
      'again -> build [loop_restart=true]',
    ),
    work: { 'again#1.1': { status: 'success', context_updates: { forgotten: true } } },
    answers: { g: ['R', 'R', 'A'] },
    path: 'build write g',
  },
  {
    name: 'restarts that leave a stage behind',
    dot: pipeline(
      'goal="Ship it"',
      work,
      'plan; work; check',
      'start -> plan -> work -> check',
      'check -> exit [condition="outcome=success"]',
      'check -> work [condition="outcome=fail", loop_restart=true]',
    ),
    work: { 'check#1.1': fail, 'restart-1/check#1.1': fail },
    path: 'work check',
  },
  {
    name: 'values that go to artifacts',
    dot: pipeline(
      work,
      'a',
      llm('use', 'prompt="Read ${report.title}: ${report.text}"'),
      'b',
      'start -> a -> use -> b -> exit',
    ),
    work: {
      'a#1.1': {
        status: 'success',
        notes: bigValue,
        context_updates: { report: { title: 'Big', text: bigValue } },
      },
      'b#1.1': { status: 'success', context_updates: { other: bigValue } },
    },
    path: 'a use b',
  },
  {
    name: 'parallel nodes inside of each other, with a gate, a tool and retries in their branches',
    dot: pipeline(
      'outer [shape=component, max_parallel=2]',
      'a [type=work]; a2 [type=work]',
      'inner [shape=component, join_policy=k_of_n, join_k=1, error_policy=continue]',
      'x [type=work]; y [type=work, max_retries=1, retry_policy=linear]; z [type=work]',
      'innerJoin [shape=tripleoctagon]',
      tool('b'),
      gate('g'),
      'b2 [type=work]; b3 [type=work]',
      llm('c'),
      'join [shape=tripleoctagon]',
      'start -> outer',
      'outer -> a -> inner',
      'inner -> x -> innerJoin; inner -> y -> innerJoin; inner -> z -> innerJoin',
      'innerJoin -> a2 -> join',
      'outer -> b -> g; g -> b2 [label="[Y] Yes"]; g -> b3 [label="[N] No"]; b2 -> join; b3 -> join',
      'outer -> c -> join',
      'join -> exit',
    ),
    work: {
      'x#1.1': { ...success, context_updates: { score: 3, fromX: 'x' } },
      'y#1.1': retry,
      'z#1.1': fail,
      'b2#1.1': { ...success, context_updates: { score: 7, list: [1, 2] } },
    },
    answers: { g: 'Y' },
    order: 'a#1.1 b#1.1 y#1.1 z#1.1 g#1.1 x#1.1 y#1.2 b2#1.1 innerJoin#1.1 c#1.1 a2#1.1 join#1.1',
    path: 'outer a b inner x y z g b2 innerJoin c a2 join',
  },
  {
    name: 'a list, with a gate, a tool, a loop, retries and a failure in its branches',
    dot: pipeline(
      'list [type=work]',
      'each [shape=component, foreach="${context.files}", as=file, max_parallel=1, join=meet]',
      tool('look', '${context.file.name}'),
      gate('g'),
      'b [type=work, max_retries=1, retry_policy=linear]',
      'meet [shape=tripleoctagon]',
      'start -> list -> each -> look -> g',
      'g -> look [label="[A] Again"]; g -> b [label="[S] Ship"]; b -> meet -> exit',
    ),
    work: {
      'list#1.1': {
        ...success,
        context_updates: { files: [{ name: 'a' }, { name: 'zwölf' }, { name: '' }] },
      },
      'b#1.1': retry,
      'b#2.1': { ...fail, retryable: false },
      'b#3.1': { ...success, context_updates: { score: 3, file: 'not mine' } },
    },
    answers: { g: ['S', 'A', 'S', 'S'] },
    path: 'list each look g b look g look g b look g b meet',
  },
  {
    name: 'a list, with a child for each item',
    dot: pipeline(
      'list [type=work]',
      'each [shape=component, foreach="${context.files}", as=file, max_parallel=1, join=meet]',
      'sub [type=pipeline, child="child.dot", "params.file"="${context.file}"]',
      'meet [shape=tripleoctagon]',
      'start -> list -> each -> sub -> meet -> exit',
    ),
    files: { 'child.dot': pipeline('x [type=work]; y [type=work]', 'start -> x -> y -> exit') },
    work: { 'list#1.1': { ...success, context_updates: { files: ['a', 'b', 'c'] } } },
    path: 'list each sub sub sub meet',
    hasOwnFiles: true,
  },
  {
    name: 'lists in a list, over which a loop goes twice',
    dot: pipeline(
      work,
      'list',
      'outer [shape=component, type=parallel, foreach="${context.lists}", as=row, max_parallel=1, join=after]',
      'inner [shape=component, type=parallel, foreach="${context.row}", as=cell, max_parallel=1, join=meet]',
      'a; meet [shape=tripleoctagon, type="parallel.fan_in"]',
      'after; check [shape=diamond, type=conditional]',
      'start -> list -> outer -> inner -> a -> meet -> after -> check',
      'check -> list [condition="context.round=1"]; check -> exit [condition="context.round=2"]',
    ),
    work: {
      'list#1.1': { ...success, context_updates: { lists: [['a', 'b'], [], ['x']], round: 1 } },
      'list#2.1': { ...success, context_updates: { lists: [['c']], round: 2 } },
    },
    path: 'list outer inner a a meet inner meet inner a meet after check list outer inner a meet after check',
  },
  {
    name: 'branches that are stopped, by the first success and by the first failure',
    dot: pipeline(
      work,
      'race [shape=component, type=parallel, join_policy=first_success]',
      'fast; slow; slower; meet [shape=tripleoctagon, type="parallel.fan_in"]',
      'strict [shape=component, type=parallel, error_policy=fail_fast, retry_target=rescue]',
      'bad; long; never; rescue',
      'start -> race',
      'race -> slow -> slower -> meet; race -> fast -> meet',
      'meet -> strict',
      'strict -> bad -> never; strict -> long -> never; never -> exit',
      'rescue -> exit',
    ),
    work: { 'slower#1.1': 'until stopped', 'bad#1.1': fail, 'long#1.1': 'until stopped' },
    takes: { 'slow#1.1': 10, 'fast#1.1': 20, 'bad#1.1': 5 },
    path: 'race slow fast slower meet strict bad long rescue',
  },
  {
    name: 'a parallel node that is tried again, one branch at a time, over a node that all of them share',
    dot: pipeline(
      work,
      'fan [shape=component, type=parallel, join_policy=quorum, join_quorum=0.6, max_parallel=1, max_retries=1, retry_policy=linear]',
      tool('a').replace('shape=', 'type=tool, shape='),
      'b; c; shared; meet [shape=tripleoctagon, type="parallel.fan_in"]',
      'lenient [shape=component, type=parallel, error_policy=ignore]',
      'd; e; end',
      'start -> fan',
      'fan -> a -> shared; fan -> b -> shared; fan -> c -> shared; shared -> meet -> lenient',
      'lenient -> d -> end; lenient -> e -> end; end -> exit',
    ),
    work: { 'b#1.1': fail, 'c#1.1': fail, 'c#2.1': fail, 'e#1.1': fail },
    takes: { 'd#1.1': 3, 'e#1.1': 2 },
    path: 'fan a shared b c a shared b shared c meet lenient d e end',
  },
  {
    name: 'a pipeline inside of a pipeline, with a gate, a tool, retries and a restart of its own, entered twice',
    dot: pipeline(
      'sub [type=pipeline, child="child.dot", params.word="${word}"]',
      'a [type=work]',
      'check [type=work]',
      'start -> a -> sub -> check',
      'check -> exit [condition="outcome=success"]',
      'check -> sub [condition="outcome=fail"]',
    ),
    files: {
      'child.dot': pipeline(
        tool('say', '${word}'),
        gate('g'),
        'b [type=work, max_retries=1, retry_policy=linear]',
        'again [type=work]',
        'start -> say -> b -> g',
        'g -> exit [label="[Y] Yes"]',
        'g -> again [label="[N] No"]',
        'again -> say [loop_restart=true]',
      ),
    },
    work: {
      'a#1.1': { ...success, context_updates: { word: 'hello' } },
      'sub#1.1/b#1.1': retry,
      'sub#2.1/b#1.1': { ...success, context_updates: { found: [1, 2] } },
      'check#1.1': fail,
    },
    answers: { 'sub/g': ['N', 'Y', 'N', 'Y'] },
    path: 'a sub check sub check',
  },
  {
    name: 'pipelines inside of branches, one of which fails',
    dot: pipeline(
      'fan [shape=component]',
      'one [type=pipeline, child="child.dot"]; two [type=pipeline, child="child.dot"]',
      'b [type=work]',
      'meet [shape=tripleoctagon]',
      'start -> fan; fan -> one -> meet; fan -> two -> meet; fan -> b -> meet; meet -> exit',
    ),
    files: { 'child.dot': pipeline('x [type=work]; y [type=work]', 'start -> x -> y -> exit') },
    work: {
      'one#1.1/x#1.1': { ...success, context_updates: { x: 1 } },
      'two#1.1/y#1.1': fail,
    },
    takes: {
      'one#1.1/x#1.1': 10,
      'one#1.1/y#1.1': 30,
      'two#1.1/x#1.1': 20,
      'two#1.1/y#1.1': 25,
      'b#1.1': 15,
    },
    path: 'fan one two b meet',
  },
  {
    name: 'a manager that looks after its child',
    dot: pipeline(
      '"stack.child_dotfile"="child.dot"',
      'm [type="stack.manager_loop", shape=house, "manager.poll_interval"=45s]',
      'a [type=work]',
      'start -> m -> a -> exit',
    ),
    files: { 'child.dot': pipeline('x [type=work]; y [type=work]', 'start -> x -> y -> exit') },
    work: { 'm#1.1/y#1.1': { ...success, context_updates: { answer: 42 } } },
    takes: { 'm#1.1/x#1.1': 100_000, 'm#1.1/y#1.1': 10_000 },
    path: 'm a',
  },
  {
    name: 'a pipeline inside of a pipeline, of one stage',
    dot: pipeline('sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit'),
    files: { 'child.dot': pipeline(work, 'a', 'start -> a -> exit') },
    path: 'sub',
    isSmall: true,
  },
  {
    name: 'a pipeline inside of a pipeline inside of a pipeline',
    dot: pipeline('sub [type=pipeline, child="middle.dot"]', 'start -> sub -> exit'),
    files: nested,
    path: 'sub',
  },
  {
    name: 'a pipeline inside of a pipeline inside of a pipeline, entered twice',
    dot: pipeline(
      'sub [type=pipeline, child="middle.dot"]',
      'check [type=work]',
      'start -> sub -> check',
      'check -> exit [condition="outcome=success"]; check -> sub [condition="outcome=fail"]',
    ),
    files: nested,
    work: { 'check#1.1': fail },
    path: 'sub check sub check',
  },
  {
    name: 'a manager of a pipeline inside of which there is another',
    dot: pipeline('"stack.child_dotfile"="middle.dot"', 'lead [shape=house]', 'start -> lead -> exit'),
    files: nested,
    path: 'lead',
  },
  {
    name: 'files that git keeps, over branches that write some',
    dot: pipeline(
      'one',
      'p [shape=component]',
      'b',
      'c [max_retries=1]',
      'd',
      'e',
      'start -> one -> p',
      'p -> b -> d',
      'p -> c -> d',
      'd -> e [condition="outcome=fail"]',
      'd -> exit',
      'e -> exit',
    ),
    git: {
      stages: {
        one: (files) => files.append('log', 'one '),
        b: (files) => files.write('b', files.list().join()),
        c: (files, { attempt }) => {
          files.append('c', `${files.list().join()} ${attempt}`);
          return attempt === 1 ? retry : undefined;
        },
        d: (files) => {
          files.append('log', 'd ');
          return fail;
        },
        e: (files) => files.append('log', files.list().join()),
      },
      before: { a: 'a' },
      after: { a: 'a', b: 'a,log', c: 'a,log 2', log: 'one d a,b,c,log' },
    },
    path: 'one p b c d e',
  },
  {
    name: 'files that git keeps, over a branch for each item',
    dot: pipeline(
      'list',
      'p [shape=component, foreach="${inputs.names}", as=name, max_parallel=2, join=d]',
      'b',
      'c [max_retries=1]',
      'd',
      'start -> list -> p -> b -> c -> d -> exit',
    ),
    inputs: { names: ['x', 'y', 'z'] },
    git: {
      stages: {
        list: (files) => files.append('log', 'list '),
        b: (files, { context }) => files.write(`b-${context.get('name')}`, files.list().join()),
        c: (files, { attempt, context }) => {
          files.append(`c-${context.get('name')}`, `${files.list().join()} ${attempt}`);
          return attempt === 1 ? retry : undefined;
        },
        d: (files) => files.append('log', files.list().join()),
      },
      before: { a: 'a' },
      after: {
        a: 'a',
        'b-x': 'a,log',
        'b-y': 'a,log',
        'b-z': 'a,log',
        'c-x': 'a,b-x,log 2',
        'c-y': 'a,b-y,log 2',
        'c-z': 'a,b-z,log 2',
        log: 'list a,b-x,b-y,b-z,c-x,c-y,c-z,log',
      },
    },
    path: 'list p b b c c b c d',
  },
  {
    name: 'a budget that is used up in the middle of a child, and raised',
    dot: pipeline(
      'graph [budget_tokens=450]',
      'sub [type=pipeline, child="child.dot"]',
      'fan [shape=component]',
      'join [shape=tripleoctagon, prompt=""]',
      'start -> first -> sub -> fan',
      'fan -> x -> join',
      'fan -> y -> join',
      'join -> last -> exit',
    ),
    files: { 'child.dot': pipeline('start -> work -> more -> exit') },
    budget: {
      limit: 450,
      requests: { work: [{}, {}], more: [{}, {}, {}], x: [{}, {}] },
      requestsUntilPause: 5,
    },
    path: 'first sub fan x y join last',
  },
  ...scenarios
    .filter(({ isOnceOnly, status }) => isOnceOnly !== true && status !== 'paused')
    .map((recording) => ({ name: recording.name, dot: recording.dot, path: recording.path, recording })),
  ...killedPipelines,
];

/** The rows that anything can happen to: what is in none of the other columns. */
export const plainPipelines = crashPipelines.filter(
  ({ recording, git, budget, isKilled }) => !recording && !git && !budget && !isKilled,
);

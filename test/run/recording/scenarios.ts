import path from 'node:path';
import type { BackendCall, BackendReply, CodergenBackend } from '../../../src/handlers/codergen-backend.js';
import type { Handler } from '../../../src/handlers/handler.js';
import type { Outcome } from '../../../src/machine/outcome.js';
import type { Progress } from '../../../src/machine/progress.js';
import { pipeline } from '../harness.js';

/** What an attempt of an LLM stage comes back with. */
export type Answer = string | Outcome | BackendReply | Error | 'until stopped';

export interface Scenario {
  readonly name: string;
  readonly dot: string;
  readonly files?: Readonly<Record<string, string>>;
  /** By attempt, `node#visit.attempt`, after `restart-<n>/` once there was one; all others answer with a text. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** What an attempt tells meanwhile. */
  readonly tells?: Readonly<Record<string, readonly Progress[]>>;
  /** Milliseconds that an attempt takes. */
  readonly takes?: Readonly<Record<string, number>>;
  readonly people?: Readonly<Record<string, string | readonly string[]>>;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly handlers?: Readonly<Record<string, Handler>>;
  /** The nodes of the run, without start and exit. */
  readonly path: string;
  readonly status: 'success' | 'fail' | 'paused';
  /** A tool in it does not do the same when it is run again. */
  readonly isOnceOnly?: true;
  /** Its branches come to their outcomes in another order where some of them begin again. */
  readonly hasRace?: true;
}

/** An error as clients of models throw them. */
function httpError(statusCode: number, headers: Readonly<Record<string, string>> = {}): Error {
  return Object.assign(new Error(`HTTP ${statusCode}`), { name: 'AI_APICallError', statusCode, headers });
}

const usage = { requests: 1, input_tokens: 1200, output_tokens: 340, cost_usd: 0.0123 };

const talk: readonly Progress[] = [
  { kind: 'text', channel: 'reasoning', text: 'Where is the mistake? ' },
  { kind: 'text', channel: 'reasoning', text: 'In the loop. ' },
  { kind: 'tool_call_started', call_id: 'c1', tool: 'edit', input: { path: 'a.ts', text: 'x' } },
  { kind: 'tool_call_completed', call_id: 'c1', tool: 'edit', success: true, output: 'done', duration: 12 },
  { kind: 'model_used', provider: 'acme', model: 'm-1', usage },
  { kind: 'session_started', backend: 'acme', session_id: 's-42' },
  { kind: 'text', channel: 'response', text: `It is fixed. ${'And here is why. '.repeat(60)}` },
];

const tool = (id: string, command: string, more = ''): string =>
  `${id} [shape=parallelogram, tool_command="${command}"${more}]`;

const failed = {
  kind: 'request_retrying',
  provider: 'acme',
  model: 'm-1',
  reason: 'HTTP 429',
  error: 'the request to acme/m-1 at acme.example failed with HTTP 429: slow down',
  request_attempts: 6,
} as const;

/** A model that waits, and another that continues. */
const patience: readonly Progress[] = [
  { kind: 'text', channel: 'response', text: 'It is fi' },
  { ...failed, delay: 20_000, request_attempt: 2, discards_text: true },
  { ...failed, delay: 0, request_attempt: 1, discards_text: false, next_model: 'other/m-2' },
  {
    kind: 'conversation_compacting',
    provider: 'other',
    model: 'm-2',
    turns: 3,
    kept: 1,
    error: failed.error,
  },
  { kind: 'text', channel: 'response', text: 'It is fixed.' },
  { kind: 'model_used', provider: 'other', model: 'm-2', usage },
];

/** Together they use every kind of stage. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'a model that thinks, calls tools, tells of a session and of its cost',
    dot: pipeline(
      'a [prompt="Fix ${goal}"]',
      'b [fidelity=full, thread_id=t]',
      'c [fidelity=full, thread_id=t]',
      'goal="it"',
      'start -> a -> b -> c -> exit',
    ),
    tells: { 'a#1.1': talk, 'b#1.1': talk, 'c#1.1': talk },
    answers: {
      'a#1.1': 'Fixed.',
      'b#1.1': {
        response: 'Better.',
        outcome: {
          status: 'partial_success',
          notes: 'half',
          context_updates: { left: [1, { two: 'zwei' }] },
        },
      },
    },
    takes: { 'a#1.1': 70_000, 'b#1.1': 3 },
    path: 'a b c',
    status: 'success',
  },
  {
    name: 'a model that waits between its requests, and one that takes over',
    dot: pipeline('a', 'b', 'start -> a -> b -> exit'),
    tells: { 'a#1.1': patience, 'b#1.1': patience },
    answers: { 'a#1.1': 'It is fixed.', 'b#1.1': { status: 'fail', failure_reason: 'no', retryable: false } },
    takes: { 'a#1.1': 20_000 },
    path: 'a b',
    status: 'fail',
  },
  {
    name: 'errors that pass and one that does not',
    dot: pipeline(
      'a [max_retries=3, retry_policy=patient]',
      'b [max_retries=2, retry_target=a]',
      'a2 [max_visits=1]',
      'start -> a -> b -> exit',
      'b -> a2 [condition="outcome=fail"]',
      'a2 -> exit',
    ),
    answers: {
      'a#1.1': httpError(429, { 'retry-after': '7' }),
      'a#1.2': httpError(500),
      'a#1.3': { status: 'retry', failure_reason: 'not yet' },
      'b#1.1': httpError(401),
    },
    tells: { 'a#1.1': talk.slice(0, 2) },
    path: 'a b a2',
    status: 'success',
  },
  {
    name: 'tools that print, fail, print too much, print what is not text, and leave a status file',
    dot: pipeline(
      tool('list', 'echo one; echo two >&2; touch ran.list', ', retry_policy=none'),
      tool('red', 'echo ${context.tool.last_line}; exit 3', ', on_failure=continue'),
      tool('much', 'seq 20000'),
      tool('bytes', "printf '\\\\377\\\\000\\\\376'"),
      tool(
        'says',
        'echo \'{\\"outcome\\": \\"success\\", \\"preferred_label\\": \\"right\\"}\' > $ATTRACTOR_STAGE_DIR/status.json',
      ),
      tool('nowhere', 'true', ', tool_cwd="not/there", on_failure=continue'),
      tool('right', 'exit 0'),
      tool('left', 'exit 0'),
      'start -> list -> red -> much -> bytes -> says',
      'says -> left [label=left]; says -> right [label=right]',
      'left -> nowhere; right -> nowhere; nowhere -> exit',
    ),
    path: 'list red much bytes says right nowhere',
    status: 'success',
  },
  {
    name: 'a loop over a tool and a gate, until a person approves',
    dot: pipeline(
      'plan; fix',
      tool('check', 'test -f fixed'),
      'look [shape=diamond]',
      'gate [shape=hexagon, label="Ship?"]',
      'start -> plan -> check -> look',
      'look -> gate [condition="outcome=success"]; look -> fix [condition="outcome=fail"]; fix -> check',
      'gate -> exit [label="[A] Approve"]; gate -> fix [label="[F] Fix"]',
      'check [on_failure=continue, tool_command="n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; test $n -ge 1"]',
    ),
    people: { gate: ['F', 'Approve'] },
    tells: { 'fix#1.1': talk, 'fix#2.1': talk },
    path: 'plan check look fix check look gate fix check look gate',
    status: 'success',
    isOnceOnly: true,
  },
  {
    name: 'what stages said, whole, and by their visits',
    dot: pipeline(
      tool('much', 'seq 20000'),
      'write [prompt="${stages.write.visits}: ${stages.write.response} ${stages.much.output}"]',
      tool('show', 'echo ${stages.write.response}'),
      'start -> much -> write -> show',
      'show -> write [condition="stages.write.visits < 3"]; show -> exit',
    ),
    path: 'much write show write show write show',
    status: 'success',
  },
  {
    name: 'a gate that nobody answers in time, and a stage whose time is up',
    dot: pipeline(
      'gate [shape=hexagon, label="Go?", timeout=30s, "human.default_choice"=N]',
      'slow [timeout=90s, max_retries=1]',
      'no',
      'start -> slow -> gate; gate -> exit [label="[Y] Yes"]; gate -> no [label="[N] No"]; no -> exit',
    ),
    answers: { 'slow#1.1': 'until stopped' },
    path: 'slow gate no',
    status: 'success',
  },
  {
    name: 'a restart, in which everything is visited for the first time again',
    dot: pipeline(
      'write',
      tool('build', 'echo ${context.last_response}'),
      'again',
      'start -> write -> build -> again',
      'again -> write [loop_restart=true, condition="context.more=true"]; again -> exit [condition="context.more!=true"]',
    ),
    answers: { 'again#1.1': { status: 'success', context_updates: { more: true } } },
    path: 'write build again',
    status: 'success',
  },
  {
    name: 'branches whose models take their time, are tried again, and a model that chooses the best',
    dot: pipeline(
      'fan [shape=component]',
      'x; y [max_retries=2, retry_policy=linear]; z',
      tool('t', 'echo from t'),
      'best [shape=tripleoctagon, prompt="Which one?"]',
      'start -> fan; fan -> x -> best; fan -> y -> best; fan -> z -> best; fan -> t -> best; best -> exit',
    ),
    answers: {
      'y#1.1': httpError(503),
      'best#1.1': 'y',
      'z#1.1': { status: 'success', context_updates: { score: 3 } },
    },
    takes: { 'x#1.1': 400, 'y#1.2': 20, 'z#1.1': 10 },
    tells: { 'x#1.1': talk, 'y#1.2': talk, 'z#1.1': talk },
    path: 'fan x y z t best',
    status: 'success',
    hasRace: true,
  },
  {
    name: 'a race, in which the slower ones are stopped',
    dot: pipeline(
      'race [shape=component, join_policy=first_success]',
      'fast; slow; never',
      'meet [shape=tripleoctagon]',
      'start -> race; race -> slow -> meet; race -> never -> meet; race -> fast -> meet; meet -> exit',
    ),
    takes: { 'fast#1.1': 50, 'slow#1.1': 5000 },
    answers: { 'never#1.1': 'until stopped' },
    path: 'race slow never fast meet',
    status: 'success',
  },
  {
    name: 'a pipeline inside of a pipeline, entered twice, with a gate of its own',
    dot: pipeline(
      'sub [type=pipeline, child="child.dot", params.word="${inputs.word}"]',
      'check',
      'start -> sub -> check',
      'check -> sub [condition="outcome=fail"]; check -> exit [condition="outcome=success"]',
    ),
    files: {
      'child.dot': pipeline(
        tool('say', 'echo ${word}'),
        'think [prompt="About ${word}"]',
        'g [shape=hexagon]',
        'start -> say -> think -> g; g -> exit [label="[Y] Yes"]',
      ),
    },
    inputs: { word: 'hello' },
    answers: { 'check#1.1': { status: 'fail', failure_reason: 'red' } },
    people: { 'sub/g': ['Y', 'Y'] },
    tells: { 'think#1.1': talk },
    path: 'sub check sub check',
    status: 'success',
  },
  {
    name: 'a manager that steers its child',
    dot: pipeline(
      '"stack.child_dotfile"="child.dot"',
      'm [type="stack.manager_loop", shape=house, "manager.poll_interval"=45s, "manager.actions"="observe,steer,wait"]',
      'start -> m -> exit',
    ),
    files: { 'child.dot': pipeline('x; y', 'start -> x -> y -> exit') },
    takes: { 'x#1.1': 100_000, 'y#1.1': 10_000 },
    path: 'm',
    status: 'success',
  },
  {
    name: 'handlers that a program brings: they ask, tell, write files and set values',
    dot: pipeline(
      'own [type=own, max_retries=2]',
      'use [prompt="${context.found}"]',
      'start -> own -> use -> exit',
    ),
    handlers: {
      own: {
        async execute(stage) {
          stage.report({ kind: 'model_used', provider: 'own', model: 'm', usage });
          stage.log('warning', 'beware');
          stage.writeFile('note.md', 'noted');
          if (stage.attempt === 1) throw httpError(503);
          const answer = await stage.ask({ text: 'Which?', type: 'FREEFORM' });
          stage.context.set('found', `${answer.text}!`);
          await stage.sleep(1234);
          return { status: 'success', notes: 'own work' };
        },
      },
    },
    people: { own: 'this one' },
    path: 'own use',
    status: 'success',
  },
  {
    name: 'a run that fails, and one reason for it',
    dot: pipeline('a', tool('b', 'echo broken >&2; exit 7'), 'start -> a -> b -> exit'),
    path: 'a b',
    status: 'fail',
  },
  {
    name: 'a question that stays open',
    dot: pipeline('a', 'gate [shape=hexagon]', 'start -> a -> gate; gate -> exit [label=go]'),
    path: 'a gate',
    status: 'paused',
  },
];

export interface ScriptedBackend extends CodergenBackend {
  readonly asked: string[];
}

/** The backend of a scenario. */
export function scriptedBackend({ answers = {}, tells = {}, takes = {} }: Scenario): ScriptedBackend {
  const asked: string[] = [];
  return {
    asked,
    readsFiles: () => true,
    async run(node, _prompt, context, call) {
      const restart = path.basename(call.logsRoot).startsWith('restart-')
        ? `${path.basename(call.logsRoot)}/`
        : '';
      const key = `${restart}${node.id}#${call.visit}.${call.attempt}`;
      asked.push(key);
      call.checkBudget();
      for (const progress of tells[key] ?? []) call.report(progress);
      const time = takes[key];
      if (time !== undefined) await call.sleep(time);
      const answer = answers[key] ?? `${node.id} says so`;
      if (answer === 'until stopped') return untilStopped(call);
      if (answer instanceof Error) throw answer;
      if (node.id === 'a') context.set('seen.a', true);
      return answer;
    },
  };
}

function untilStopped({ signal }: BackendCall): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

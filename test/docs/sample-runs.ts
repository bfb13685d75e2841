import path from 'node:path';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import { readJournal } from '../../src/journal/journal.js';
import type { RunEvent } from '../../src/machine/event.js';
import { start } from '../../src/run/execution.js';
import { absentInterviewer } from '../../src/run/questions/interviewer.js';
import { type ResumeOptions, type RunOptions, resume } from '../../src/run/run.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { virtualClock } from '../support/virtual-clock.js';

/** A run, and how it continues after each pause. */
interface SampleRun {
  readonly dot: string;
  readonly script?: object;
  readonly first?: RunOptions;
  readonly later?: readonly ResumeOptions[];
  /** Asks for a pause when this happens first. */
  readonly pauseAt?: RunEvent['type'];
}

const samples: readonly SampleRun[] = [
  {
    dot: `digraph deploy {
      graph [goal="Deploy the service"]
      start   [shape=Mdiamond]
      done    [shape=Msquare]
      plan    [prompt="Plan it", label="Plan", fidelity=full, thread_id=main]
      checks  [shape=component, label="Checks", max_parallel=2]
      lint    [prompt="Lint it", label="Lint"]
      test    [prompt="Test it", label="Test", max_retries=1]
      collect [shape=tripleoctagon, label="Collect"]
      gate    [shape=hexagon, label="Deploy?"]
      ship    [prompt="Ship it", label="Ship"]
      start -> plan -> checks
      checks -> lint -> collect
      checks -> test -> collect
      collect -> gate
      gate -> ship [label="[Y] Yes"]
      gate -> plan [label="[N] No", loop_restart=true]
      ship -> done
    }`,
    script: {
      plan: { context_updates: { approach: 'blue-green' }, delay: '2s' },
      lint: { outcome: 'skipped', delay: '300ms' },
      test: [
        { outcome: 'fail', failure_reason: '2 tests failed', retryable: true, delay: '1s' },
        { delay: '1s' },
      ],
      ship: { delay: '4s', notes: 'Version 2.1 is live' },
    },
    first: { interviewer: absentInterviewer },
    pauseAt: 'StageStarted',
    later: [
      { interviewer: absentInterviewer },
      { answers: new Map([['gate', ['N', 'Y']]]), inputs: { region: 'eu' } },
    ],
  },
  {
    dot: `digraph release {
      start  [shape=Mdiamond]
      done   [shape=Msquare]
      gate   [shape=hexagon, label="Release?", timeout="24h", human.default_choice=N]
      ship   [prompt="Ship it"]
      later  [prompt="Write down why not"]
      start -> gate
      gate -> ship  [label="[Y] Yes"]
      gate -> later [label="[N] No"]
      ship -> done
      later -> done
    }`,
    script: { later: { outcome: 'fail', failure_reason: 'the tests fail' } },
    first: {
      interviewer: { ask: () => new Promise(() => undefined) },
      onEvent: () => {
        throw new Error('the screen is gone');
      },
    },
  },
  {
    dot: `digraph cancelled {
      start [shape=Mdiamond]
      done  [shape=Msquare]
      start -> done
    }`,
    first: { signal: AbortSignal.abort() },
  },
  {
    dot: `digraph paid {
      graph [budget_tokens=5000]
      start [shape=Mdiamond]
      done  [shape=Msquare]
      fix   [prompt="Fix the bug", label="Fix", fidelity=full, thread_id=main, llm_model="claude-sonnet-4-5"]
      start -> fix -> done
    }`,
    first: { backend: modelThatFixes() },
  },
  {
    dot: `digraph search {
      start [shape=Mdiamond]
      done  [shape=Msquare]
      each  [shape=component, label="Each file", foreach="\${inputs.files}", as=file, join_policy=first_success, max_parallel=1]
      read  [prompt="Is it in \${context.file}?", label="Read"]
      start -> each -> read -> done
    }`,
    // Too long for one event; the first success ends it.
    first: {
      inputs: { files: Array.from({ length: 3000 }, (_, index) => `notes/${'2026/'.repeat(10)}${index}.md`) },
    },
  },
];

/** Stands in for a model that thinks, calls a tool and answers; a function, because the samples are above. */
function modelThatFixes(): CodergenBackend {
  return {
    async run(_node, _prompt, _context, call) {
      const { report, model, steering } = call;
      steering?.open();
      const used = { provider: 'anthropic', model: model.model ?? '' };
      const edit = { call_id: 'toolu_01', tool: 'edit' };
      report({ kind: 'session_started', backend: 'ai', session_id: 'a1b2c3' });
      report({ kind: 'text', channel: 'reasoning', text: 'The loop ends one too early.' });
      report({
        kind: 'model_used',
        ...used,
        usage: {
          requests: 1,
          input_tokens: 3900,
          output_tokens: 210,
          reasoning_tokens: 90,
          cost_usd: 0.01485,
        },
      });
      report({
        kind: 'tool_call_started',
        ...edit,
        input: { path: 'src/sum.js', old: 'i < n', new: 'i <= n' },
      });
      await call.sleep(12);
      report({
        kind: 'tool_call_completed',
        ...edit,
        success: true,
        output: 'Changed 1 line of src/sum.js.',
        duration: 12,
      });
      call.checkBudget();
      report({
        kind: 'request_retrying',
        ...used,
        reason: 'HTTP 429',
        error:
          'the request to anthropic/claude-sonnet-4-5 at api.anthropic.com failed with HTTP 429: This request would exceed your rate limit',
        delay: 20_000,
        request_attempt: 2,
        request_attempts: 6,
        discards_text: false,
      });
      await call.sleep(20_000);
      report({
        kind: 'conversation_compacting',
        ...used,
        turns: 12,
        kept: 3,
        error:
          'the request to anthropic/claude-sonnet-4-5 at api.anthropic.com failed with HTTP 400: the conversation is too long for anthropic/claude-sonnet-4-5: prompt is too long: 212302 tokens > 200000 maximum',
      });
      report({
        kind: 'model_used',
        ...used,
        usage: {
          requests: 1,
          input_tokens: 4150,
          output_tokens: 40,
          cached_input_tokens: 3900,
          cost_usd: 0.00252,
        },
      });
      for (const { id } of steering?.waiting ?? []) steering?.delivered(id);
      report({ kind: 'text', channel: 'response', text: 'The sum now includes the last number.' });
      return 'The sum now includes the last number.';
    },
  };
}

/** The journals of some runs that together have every type of event, with the same lines every time. */
export async function sampleJournals(): Promise<readonly (readonly RunEvent[])[]> {
  const journals: (readonly RunEvent[])[] = [];
  for (const sample of samples) journals.push(await journalOf(sample));
  return journals;
}

async function journalOf({
  dot,
  script,
  first,
  later = [],
  pauseAt,
}: SampleRun): Promise<readonly RunEvent[]> {
  const directory = path.join(temporaryDirectory(), 'run');
  const clock = virtualClock();
  const pausing = new AbortController();
  let isSteered = false;
  const execution = start(dot, {
    clock,
    runDirectory: directory,
    pauseSignal: pausing.signal,
    onEvent: ({ type }) => {
      if (type === pauseAt) pausing.abort();
      if (type !== 'ToolCallStarted' || isSteered) return;
      isSteered = true;
      void execution.steer('fix', 'Keep the name of the function.', { by: 'ada' });
    },
    ...(script && { script: readScript({ nodes: script }, 'the sample') }),
    ...first,
  });
  const begun = await execution.result;
  if (begun.status === 'invalid') throw new Error(JSON.stringify(begun.diagnostics));
  for (const options of later) await resume(directory, { clock, ...options });
  const { events } = readJournal(path.join(directory, 'events.jsonl'));
  return events.map(withKnownId);
}

/** Run ids end at random. */
function withKnownId(event: RunEvent): RunEvent {
  const runId = event.run_id.replace(/.{6}$/, 'k3x7qa');
  const isWords = event.type === 'StageSteered' || event.type === 'SteeringDelivered';
  return {
    ...event,
    run_id: runId,
    ...(event.type === 'PipelineStarted' && { id: runId }),
    ...(isWords && { steering_id: '5f0c7f5e-51a1-4e0f-9d5a-6a3a1f2b7c10' }),
  };
}

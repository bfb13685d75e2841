import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ClosableBackend } from '../../src/backends/backend.js';
import { verdictCorrections } from '../../src/backends/verdict.js';
import type { BackendCall, CodergenBackend } from '../../src/handlers/codergen-backend.js';
import { StageSuspension } from '../../src/handlers/handler.js';
import type { RunEvent } from '../../src/machine/event.js';
import type { Execution } from '../../src/run/execution.js';
import { readConversation } from '../../src/run-directory/conversation-file.js';
import { conversationSteps } from '../../src/view/conversation/conversation-steps.js';
import {
  eventsOf,
  fileOf,
  type PipelineRun,
  pipeline,
  resumePipeline,
  runOnDisk,
  type Setup,
} from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { type VirtualClock, virtualClock, virtualStart } from '../support/virtual-clock.js';
import { type Answer, answers, type OtherSide, type Scene } from './other-side.js';

/** What a backend may be unable to do; a reason for each. */
export type Skill =
  /** Answers what the scene says. */
  | 'answers'
  /** Tells of tools that are called, such as the one that writes a file. */
  | 'tools'
  /** Changes files in the working directory. */
  | 'files'
  /** Tells what was used. */
  | 'usage'
  /** Stops between two requests of one stage when its budget is used up. */
  | 'budget_between_requests'
  | 'verdicts'
  /** Gets the tool with which it asks people. */
  | 'asks'
  /** Has a verdict corrected that cannot be used. */
  | 'corrections'
  | 'cut_off'
  | 'errors'
  /** Is told how long the other side wants to be left alone. */
  | 'retry_after'
  | 'sessions'
  /** Takes words of people while it works. */
  | 'steering'
  /** Works long enough to be stopped. */
  | 'hanging';

export interface BackendContract {
  /** Another side that plays these scenes, one each time it is asked; the last one repeats. */
  readonly make: (scenes: readonly [Scene, ...Scene[]]) => Promise<OtherSide>;
  /** Attributes of every stage, such as the provider that it asks for. */
  readonly attributes?: string;
  /** How the run comes about that is judged; by default the pipeline just runs with the backend. */
  readonly stage?: Staging;
  readonly without?: Partial<Readonly<Record<Skill, string>>>;
}

/** Has a pipeline run, and continues with what it has had run. */
export interface Staging {
  run(dot: string, setup: StagedSetup): Promise<StagedRun>;
  resume(run: StagedRun, setup: StagedSetup): Promise<StagedRun>;
}

export type StagedSetup = Setup & { readonly clock: VirtualClock; readonly backend: CodergenBackend };

export interface StagedRun extends PipelineRun {
  /** What it ran on. */
  readonly clock: VirtualClock;
}

/** What every backend keeps to (§4.5, §5.4, Appendix C, Appendix D), through whole runs. */
export function backendContract(name: string, contract: BackendContract): void {
  describe(`${name}, as a backend`, () => {
    const bench = benchOf(contract);
    describeAnswers(bench);
    describeVerdicts(bench);
    describeQuestions(bench);
    describeSteering(bench);
    describeOwedVerdicts(bench);
    describeWrittenValues(bench);
    describeFailures(bench);
    describeStops(bench);
    describeSessions(bench);
    describeTellings(bench);
  });
}

interface Bench {
  /** A test that is counted as skipped, with the reason, where the backend lacks a skill. */
  it(title: string, skills: readonly Skill[], check: () => Promise<void>): void;
  play(setup: Play): Promise<Played>;
}

interface Play {
  readonly scenes: readonly [Scene, ...Scene[]];
  /** By default one stage, `work`. */
  readonly dot?: string;
  readonly answers?: Setup['answers'];
  /** What a person says to `work` when it first reports anything, and at the latest before it is stopped as it hangs. */
  readonly says?: string;
  /** Changes what the backend is given. */
  readonly wrap?: (call: BackendCall) => BackendCall;
  /** Of the run; time stands still where it may not pass. */
  readonly mayPass?: (side: OtherSide, clock: VirtualClock) => boolean;
  /** Told of every moment at which the other side hangs. */
  readonly whenHanging?: (stop: {
    readonly cancel: AbortController;
    readonly pause: AbortController;
  }) => void;
}

interface Played extends StagedRun {
  readonly side: OtherSide;
  /** The directory that the stage works on. */
  readonly workplace: string;
  /** Continues with the run, with a new backend, as another process would. */
  resume(): Promise<PipelineRun>;
}

function benchOf(contract: BackendContract): Bench {
  const { without = {} } = contract;
  return {
    it(title, skills, check) {
      const reasons = skills.flatMap((skill) => without[skill] ?? []);
      if (reasons.length > 0) test.skip(`${title} (${reasons.join('; ')})`, check);
      else test(title, check);
    },
    play: (setup) => playWith(contract, setup),
  };
}

const asItIs: Staging = {
  run: async (dot, setup) => ({ ...(await runOnDisk(dot, setup)), clock: setup.clock }),
  resume: async ({ directory }, setup) => ({
    ...(await resumePipeline(directory, setup)),
    clock: setup.clock,
  }),
};

async function playWith(
  { make, attributes = '', stage = asItIs }: BackendContract,
  { scenes, dot = pipeline('start -> work -> exit'), answers: given, says, wrap, mayPass, whenHanging }: Play,
): Promise<Played> {
  const side = await make(scenes);
  const place = temporaryDirectory();
  const workplace = path.join(place, 'workplace');
  mkdirSync(workplace);
  const cancel = new AbortController();
  const pause = new AbortController();
  const clock: VirtualClock = virtualClock({ mayPass: () => mayPass?.(side, clock) ?? true });
  const person = says === undefined ? undefined : personWho(says);
  const stop = async (): Promise<void> => {
    await person?.speak();
    whenHanging?.({ cancel, pause });
  };
  const watch = whenHanging && setInterval(() => side.isHanging() && void stop(), 20);
  const options = { clock, workingDirectory: workplace, runDirectory: path.join(place, 'run') };
  try {
    const text = dot.replace('node [', `node [${attributes}${attributes && ', '}`);
    const backend = wrapped(await side.backend(), person?.listen ?? wrap);
    const signals = { signal: cancel.signal, pauseSignal: pause.signal };
    const setup = { ...options, ...signals, backend, answers: given, onStart: person?.onStart };
    const run = await stage.run(text, setup);
    await person?.speak();
    const resume = async () => stage.resume(run, { clock, backend: await side.backend() });
    return { ...run, side, workplace, resume };
  } finally {
    clearInterval(watch);
  }
}

function wrapped(backend: ClosableBackend, wrap: Play['wrap']): CodergenBackend {
  onTestFinished(() => backend.close?.());
  if (wrap === undefined) return backend;
  return { run: (node, prompt, context, call) => backend.run(node, prompt, context, wrap(call)) };
}

/** A person who says something to `work` once, when its backend first reports anything, or by `speak`. */
function personWho(text: string) {
  let execution: Execution | undefined;
  let said: Promise<void> | undefined;
  /** @throws the refusal of the words */
  const speak = (): Promise<void> | undefined => {
    said ??= execution?.steer('work', text, { by: 'ada' });
    return said;
  };
  return {
    speak,
    onStart(started: Execution): void {
      execution = started;
    },
    listen: (call: BackendCall): BackendCall => ({
      ...call,
      report(progress) {
        void speak();
        call.report(progress);
      },
    }),
  };
}

const oddText =
  '"quoted" \'single\' `tick` $HOME $(id) %s \\ & | ; < > * ? ! # ~ -n --help {prompt} ü 漢 🎉\n\tEOF\n';

function describeAnswers({ it, play }: Bench): void {
  it('gives the text of the answer', ['answers'], async () => {
    const { result, directory, side } = await play({ scenes: [answers('All is well.\nIndeed: 100 %.')] });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'work', 'exit'] });
    expect(fileOf(directory, 'work', 'response.md')).toContain('All is well.\nIndeed: 100 %.');
    expect(side.turns()).toHaveLength(1);
    await isQuiet(side);
  });

  it('tells of the answer as it comes', ['answers'], async () => {
    const { events } = await play({ scenes: [answers('One after the other.')] });
    const pieces = eventsOf(events, 'StageOutput').filter(({ channel }) => channel === 'response');
    expect(pieces.map(({ text }) => text).join('')).toContain('One after the other.');
    expect(pieces.every(({ node_id }) => node_id === 'work')).toBe(true);
  });

  const writes = answers('Written.', { writes: { name: 'hello.txt', content: oddText } });

  it('works in the working directory', ['tools', 'files'], async () => {
    const { result, workplace } = await play({ scenes: [writes] });
    expect(result.status).toBe('success');
    expect(readFileSync(path.join(workplace, 'hello.txt'), 'utf8')).toBe(oddText);
  });

  it('tells of its tools', ['tools'], async () => {
    const { result, events } = await play({ scenes: [writes] });
    expect(result.status).toBe('success');
    const started = eventsOf(events, 'ToolCallStarted');
    const completed = eventsOf(events, 'ToolCallCompleted');
    expect(started.length).toBeGreaterThan(0);
    expect(completed.map(({ call_id }) => call_id)).toEqual(started.map(({ call_id }) => call_id));
    expect(completed.every(({ success, tool }) => success && tool !== '')).toBe(true);
  });

  it('123: keeps its conversation: words, calls and results in order', ['answers', 'tools'], async () => {
    const { directory } = await play({ scenes: [writes] });
    const entries = readConversation(Buffer.from(fileOf(directory, 'work', 'conversation.jsonl')));
    expect(entries.problem).toBeUndefined();
    const steps = conversationSteps(entries.entries);
    expect(steps.slice(0, 2)).toMatchObject([
      { kind: 'attempt', attempt: 1 },
      { kind: 'request', isPrompt: true },
    ]);
    const parts = steps.flatMap((step) => (step.kind === 'turn' ? step.parts : []));
    const call = parts.findIndex((part) => part.kind === 'call' && part.result?.success === true);
    const answer = parts.findLastIndex((part) => part.kind === 'words' && part.text.includes('Written.'));
    expect(call).toBeGreaterThanOrEqual(0);
    expect(answer).toBeGreaterThan(call);
    expect(steps.at(-1)?.kind).toBe('answer');
  });

  it('tells what was used', ['usage'], async () => {
    const usage = { input_tokens: 120, output_tokens: 34 };
    const { events } = await play({ scenes: [answers('Counted.', { usage })] });
    const used = eventsOf(events, 'ModelUsed').map(({ usage: one }) => one);
    expect(sum(used.map(({ input_tokens }) => input_tokens))).toBe(120);
    expect(sum(used.map(({ output_tokens }) => output_tokens))).toBe(34);
    expect(sum(used.map(({ requests }) => requests))).toBeGreaterThan(0);
  });

  it('hands on a prompt of any characters, and of any length', [], async () => {
    for (const prompt of [oddText, `${oddText} ${'long '.repeat(40_000)}`]) {
      const written = prompt.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
      const dot = pipeline(`work [prompt="${written}"]`, 'start -> work -> exit');
      const { result, side } = await play({ scenes: [answers('Read.')], dot });
      expect(result.status).toBe('success');
      // The engine may cut spaces around a prompt; what is inside comes as it is.
      expect(side.turns()[0]?.prompt).toContain(prompt.trim());
    }
  });
}

const review = pipeline(
  'start -> work',
  'ship',
  'fix',
  'work -> ship [label="Ship"]',
  'work -> fix [label="Fix"]',
  'ship -> exit',
  'fix -> exit',
);

function verdict(...verdicts: readonly unknown[]): Answer {
  return answers('Reviewed.', { verdicts });
}

const plain = answers('Done.');

function describeVerdicts({ it, play }: Bench): void {
  it('goes where its verdict says', ['verdicts'], async () => {
    const good = {
      outcome: 'success',
      preferred_label: 'Ship',
      notes: 'fine',
      context_updates: { risk: 'low' },
    };
    const { result, directory } = await play({ scenes: [verdict(good), plain], dot: review });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'work', 'ship', 'exit'] });
    expect(result.context).toMatchObject({ risk: 'low' });
    expect(fileOf(directory, 'work', 'response.md')).toContain('Reviewed.');
  });

  it('fails where its verdict says so, with its reason', ['verdicts'], async () => {
    const { result } = await play({ scenes: [verdict({ outcome: 'fail', failure_reason: 'no tests' })] });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(result.failure_reason).toContain('no tests');
  });

  it('may correct a verdict that cannot be used', ['verdicts', 'corrections'], async () => {
    const wrong = { outcome: 'success', preferred_label: 'Shipit' };
    const { result, side } = await play({
      scenes: [
        verdict(wrong, { outcome: 'splendid' }, { outcome: 'success', preferred_label: 'Ship' }),
        plain,
      ],
      dot: review,
    });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'work', 'ship', 'exit'] });
    expect(side.refusals()).toHaveLength(2);
    expect(side.refusals()[0]).toMatch(/Shipit.*Ship/);
    expect(side.refusals()[1]).toMatch(/splendid/);
  });

  it('fails with a verdict that is never corrected', ['verdicts'], async () => {
    const wrong = { outcome: 'success', preferred_label: 'Shipit' };
    const scene = verdict(...Array.from({ length: verdictCorrections + 3 }, () => wrong));
    const { result } = await play({ scenes: [scene], dot: review });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work', path: ['start', 'work'] });
    expect(result.failure_reason).toContain('Shipit');
  });
}

function describeQuestions({ it, play }: Bench): void {
  const dot = pipeline('work [interactive=true]', 'start -> work -> exit');

  it('129: asks a person, and hears the answer', ['asks'], async () => {
    const { result, events, side } = await play({
      scenes: [answers('Done.', { asks: { question: 'Which database?' } })],
      dot,
      answers: { work: 'PostgreSQL' },
    });
    expect(result.status).toBe('success');
    const [asked] = eventsOf(events, 'InterviewStarted');
    expect(asked?.question).toMatchObject({ text: 'Which database?', stage: 'work', type: 'FREEFORM' });
    expect(eventsOf(events, 'InterviewCompleted')).toMatchObject([{ answer: { text: 'PostgreSQL' } }]);
    expect(side.heard().at(-1)).toBe('PostgreSQL');
    await isQuiet(side);
  });

  it('129: is stopped where nobody answers, and the run pauses', ['asks'], async () => {
    const { result, side } = await play({
      scenes: [answers('Done.', { asks: { question: 'Which database?' } })],
      dot,
    });
    expect(result).toMatchObject({ status: 'paused', paused_reason: 'a question waits for an answer' });
    await isQuiet(side);
  });

  it('129: is stopped where the stage cannot go on after an answer', ['asks'], async () => {
    const { result, directory, side } = await play({
      scenes: [answers('Done.', { asks: { question: 'Which database?' } })],
      dot,
      wrap: (call) => ({
        ...call,
        ask: async () => {
          throw new StageSuspension('there is no room now');
        },
      }),
    });
    expect(result.status).toBe('paused');
    expect(result.paused_reason).toContain('there is no room now');
    expect(existsSync(path.join(directory, 'work', 'response.md'))).toBe(false);
    await isQuiet(side);
  });
}

function describeSteering({ it, play }: Bench): void {
  it('129: hands over words of a person as its next prompt, once', ['answers', 'steering'], async () => {
    const { result, events, directory, side } = await play({
      scenes: [answers('Done.'), answers('With tabs.')],
      says: 'Use tabs.',
    });
    expect(result.status).toBe('success');
    const [first, second, ...more] = side.turns();
    expect(second).toMatchObject({ prompt: 'Use tabs.', earlier: [first?.prompt] });
    expect(more).toEqual([]);
    expect(fileOf(directory, 'work', 'response.md')).toContain('With tabs.');
    expect(steeringIn(events)).toEqual(['Use tabs. by ada', 'delivered']);
    expect(personEntries(directory)).toEqual(['Use tabs. by ada']);
    await isQuiet(side);
  });

  it('129: keeps a verdict that came before the words', ['verdicts', 'steering'], async () => {
    const { result, events } = await play({
      scenes: [verdict({ outcome: 'success', preferred_label: 'Ship' }), plain],
      dot: review,
      says: 'Thanks.',
    });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'work', 'ship', 'exit'] });
    expect(steeringIn(events)).toEqual(['Thanks. by ada', 'delivered']);
  });

  it('129: hands over words later that an interruption came before', ['hanging', 'steering'], async () => {
    const { result, directory, side, events, resume } = await play({
      scenes: [hangs, plain],
      says: 'Use tabs.',
      mayPass: () => false,
      whenHanging: ({ pause }) => pause.abort({ mode: 'now' }),
    });
    expect(result.status).toBe('paused');
    expect(steeringIn(events)).toEqual(['Use tabs. by ada']);
    const resumed = await resume();
    expect(resumed.result.status).toBe('success');
    expect(steeringIn(resumed.events)).toEqual(['delivered']);
    expect(personEntries(directory)).toEqual(['Use tabs. by ada']);
    expect(side.turns().filter(({ prompt }) => prompt.includes('Use tabs.'))).toHaveLength(1);
  });
}

/** What a person said, and that it was delivered, each once and of the same words. */
function steeringIn(events: readonly RunEvent[]): readonly string[] {
  const steered = eventsOf(events, 'StageSteered');
  const delivered = eventsOf(events, 'SteeringDelivered');
  const ids = new Set([...steered, ...delivered].map(({ steering_id }) => steering_id));
  expect(ids.size).toBe(1);
  return [...steered.map(({ text, by }) => `${text} by ${by}`), ...delivered.map(() => 'delivered')];
}

/** Words of people in the conversation of `work`. */
function personEntries(directory: string): readonly string[] {
  const { entries } = readConversation(Buffer.from(fileOf(directory, 'work', 'conversation.jsonl')));
  return entries.flatMap((entry) => (entry.kind === 'person' ? [`${entry.text} by ${entry.by}`] : []));
}

function describeOwedVerdicts({ it, play }: Bench): void {
  it('128: fails without a verdict where the way depends on a label', ['verdicts'], async () => {
    const { result, events } = await play({ scenes: [plain], dot: review });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work', path: ['start', 'work'] });
    expect(result.failure_reason).toMatch(
      /ended without choosing how the pipeline continues.*: expected one of "Ship", "Fix"; .*auto_status=true/,
    );
    expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({ retryable: true });
  });

  it('128: but not with auto_status=true', ['verdicts'], async () => {
    const dot = review.replace('start -> work', 'work [auto_status=true]; start -> work');
    const { result } = await play({ scenes: [plain], dot });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'work', 'fix', 'exit'] });
  });

  it('128: nor where only the outcome decides', ['verdicts'], async () => {
    const dot = pipeline(
      'start -> work',
      'fix',
      'work -> exit [label="Ship", condition="outcome=success"]',
      'work -> fix [label="Fix", condition="outcome!=success"]',
      'fix -> exit',
    );
    const { result } = await play({ scenes: [plain], dot });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'work', 'exit'] });
  });

  it(
    '128: refuses a success without a label, and takes one that comes then',
    ['verdicts', 'corrections'],
    async () => {
      const { result, side } = await play({
        scenes: [verdict({ outcome: 'success' }, { outcome: 'success', preferred_label: 'Ship' }), plain],
        dot: review,
      });
      expect(result).toMatchObject({ status: 'success', path: ['start', 'work', 'ship', 'exit'] });
      expect(side.refusals()).toEqual([
        expect.stringContaining('a success needs a "preferred_label": use one of "Ship", "Fix"'),
      ]);
    },
  );

  it('128: fails with a success whose label never comes', ['verdicts'], async () => {
    const scene = verdict(...Array.from({ length: verdictCorrections + 3 }, () => ({ outcome: 'success' })));
    const { result } = await play({ scenes: [scene], dot: review });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work', path: ['start', 'work'] });
    expect(result.failure_reason).toContain('a success needs a "preferred_label"');
  });

  it('128: takes a suggestion for a label, and a failure without one', ['verdicts'], async () => {
    const suggested = await play({
      scenes: [verdict({ outcome: 'success', suggested_next_ids: ['ship'] }), plain],
      dot: review,
    });
    expect(suggested.result.path).toEqual(['start', 'work', 'ship', 'exit']);
    const failed = await play({
      scenes: [verdict({ outcome: 'fail', failure_reason: 'no tests' })],
      dot: review,
    });
    expect(failed.result.failure_reason).toContain('no tests');
  });
}

const typed = pipeline('work [writes="plan: list, risk: low|high, n: number?"]', 'start -> work -> exit');
const lacking =
  '"work" did not set the keys that its `writes` declares: plan: expected a list, but it is missing; risk: expected one of low, high, but it is missing';

function describeWrittenValues({ it, play }: Bench): void {
  it('103: sets the values that the stage declares', ['verdicts'], async () => {
    const values = { plan: ['a', { b: 1 }], risk: 'low', more: true };
    const { result } = await play({
      scenes: [verdict({ outcome: 'success', context_updates: values })],
      dot: typed,
    });
    expect(result.failure_reason).toBeUndefined();
    expect(result.context).toMatchObject(values);
  });

  it(
    '103: may correct values that are missing or have another type',
    ['verdicts', 'corrections'],
    async () => {
      const updates = [
        { plan: 'a, b', risk: 'low' },
        { risk: 'none', plan: [] },
        {},
        { plan: [1], risk: 'high' },
      ];
      const { result, side } = await play({
        scenes: [verdict(...updates.map((update) => ({ outcome: 'success', context_updates: update })))],
        dot: typed,
      });
      expect(result.failure_reason).toBeUndefined();
      expect(result.context).toMatchObject({ plan: [1], risk: 'high' });
      const [first, second, third, ...rest] = side.refusals();
      expect(first).toContain('plan: expected a list, found "a, b"');
      expect(second).toContain('risk: expected one of low, high, found "none"');
      expect(third).toContain('plan: expected a list, but it is missing; risk: expected one of low, high');
      expect(rest).toEqual([]);
    },
  );

  it('103: fails with values that are never set, after three corrections', ['verdicts'], async () => {
    const wrong = { outcome: 'success', context_updates: { n: 1 } };
    const { result, side, events } = await play({
      scenes: [verdict(...Array.from({ length: verdictCorrections + 1 }, () => wrong))],
      dot: typed,
    });
    expect(result.failure_reason).toBe(lacking);
    expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({ failure_category: 'terminal' });
    expect(side.refusals().length).toBeLessThanOrEqual(verdictCorrections + 1);
    expect(side.turns()).toHaveLength(1);
  });

  it('103: fails without a verdict, after three reminders', ['verdicts'], async () => {
    const { result, side } = await play({ scenes: [plain], dot: typed });
    expect(result.failure_reason).toBe(lacking);
    expect(side.turns().length + side.refusals().length).toBeLessThanOrEqual(1 + verdictCorrections);
  });
}

function describeFailures({ it, play }: Bench): void {
  const patient = pipeline('work [max_retries=2]', 'start -> work -> exit');

  it('does not take an answer for complete that was cut off', ['cut_off'], async () => {
    const { result, events } = await play({ scenes: [{ kind: 'cut_off', text: 'And so it' }] });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(result.failure_reason).toMatch(/cut off/);
    expect(eventsOf(events, 'StageCompleted').map(({ node_id }) => node_id)).not.toContain('work');
  });

  it('may try again after an answer that was cut off', ['cut_off'], async () => {
    const { result } = await play({ scenes: [{ kind: 'cut_off', text: 'And so it' }, plain], dot: patient });
    expect(result).toMatchObject({ status: 'success' });
  });

  it('does not try again with a key that is refused', ['errors'], async () => {
    const { result, events, side } = await play({ scenes: [{ kind: 'refuses', status: 401 }], dot: patient });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(repetitions(events)).toEqual([]);
    expect(side.turns()).toHaveLength(1);
    expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({ failure_category: 'terminal' });
  });

  it('tries again after a server that failed', ['errors'], async () => {
    const { result, events } = await play({
      scenes: [{ kind: 'refuses', status: 500 }, plain],
      dot: patient,
    });
    expect(result.status).toBe('success');
    expect(repetitions(events)).toMatchObject([{ delay: expect.any(Number) }]);
  });

  it('tries again after a limit of requests', ['errors'], async () => {
    const { result, events } = await play({
      scenes: [{ kind: 'refuses', status: 429 }, plain],
      dot: patient,
    });
    expect(result.status).toBe('success');
    expect(repetitions(events)).toMatchObject([{ delay: expect.any(Number) }]);
  });

  it('waits as long as the other side asks for', ['errors', 'retry_after'], async () => {
    const scenes = [{ kind: 'refuses', status: 429, retryAfter: 77 }, plain] as const;
    const { result, clock, events } = await play({ scenes: [...scenes], dot: patient });
    expect(result.status).toBe('success');
    expect(Math.max(...clock.slept)).toBeGreaterThanOrEqual(77_000);
    expect(repetitions(events)[0]?.delay).toBeGreaterThanOrEqual(77_000);
  });
}

/** Nobody waits in silence: before it is tried again an event says so, of the stage or of its request. */
function repetitions(events: readonly RunEvent[]) {
  return events.filter((event) => event.type === 'StageRetrying' || event.type === 'RequestRetrying');
}

const hangs: Scene = { kind: 'hangs', text: 'Let me see' };

function describeStops({ it, play }: Bench): void {
  it('is stopped when its time is up, and says nothing afterwards', ['hanging'], async () => {
    const dot = pipeline('work [timeout=60s]', 'start -> work -> exit');
    // As soon as the other side hangs, the minute is over; then time stands still, so that nobody is given up.
    const mayPass = (side: OtherSide, clock: VirtualClock) =>
      side.isHanging() && clock.now() === virtualStart;
    const { result, events, side } = await play({ scenes: [hangs], dot, mayPass });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(result.failure_reason).toContain('timeout after 60s');
    await isQuiet(side);
    const failed = events.findIndex(({ type }) => type === 'StageFailed');
    const late = events.slice(failed).filter(({ type }) => progressTypes.has(type));
    expect(late).toEqual([]);
  });

  it('is stopped when the run is cancelled', ['hanging'], async () => {
    const { result, side } = await play({
      scenes: [hangs],
      mayPass: () => false,
      whenHanging: ({ cancel }) => cancel.abort(),
    });
    expect(result.status).toBe('cancelled');
    await isQuiet(side);
  });

  it('is stopped when the run pauses at once, and runs again later', ['hanging'], async () => {
    const { result, side, resume } = await play({
      scenes: [hangs, plain],
      mayPass: () => false,
      whenHanging: ({ pause }) => pause.abort({ mode: 'now' }),
    });
    expect(result.status).toBe('paused');
    await isQuiet(side);
    expect((await resume()).result.status).toBe('success');
  });

  it('does not begin without a budget', ['usage'], async () => {
    const wrap = (call: BackendCall): BackendCall => ({
      ...call,
      checkBudget() {
        throw new StageSuspension('the budget is used up');
      },
    });
    const { result, side, resume } = await play({ scenes: [plain], wrap });
    expect(result).toMatchObject({ status: 'paused' });
    expect(result.paused_reason).toContain('the budget is used up');
    expect(side.turns()).toEqual([]);
    expect((await resume()).result.status).toBe('success');
  });

  it(
    'asks for nothing more once its budget is used up',
    ['tools', 'usage', 'budget_between_requests'],
    async () => {
      const scene = answers('Written.', {
        writes: { name: 'hello.txt', content: 'hello' },
        usage: { input_tokens: 10, output_tokens: 1 },
      });
      const { result, directory, side } = await play({ scenes: [scene], wrap: withBudgetOfOne });
      expect(result).toMatchObject({ status: 'paused' });
      expect(existsSync(path.join(directory, 'work', 'response.md'))).toBe(false);
      expect(side.turns()).toHaveLength(1);
      await isQuiet(side);
    },
  );
}

/** The budget is used up as soon as anything was used. */
function withBudgetOfOne(call: BackendCall): BackendCall {
  let used = 0;
  return {
    ...call,
    report(progress) {
      if (progress.kind === 'model_used') used += progress.usage.input_tokens;
      call.report(progress);
    },
    checkBudget() {
      if (used > 0) throw new StageSuspension('the budget is used up');
    },
  };
}

const progressTypes: ReadonlySet<string> = new Set([
  'StageOutput',
  'ToolCallStarted',
  'ToolCallCompleted',
  'ModelUsed',
  'RequestRetrying',
  'ConversationCompacting',
  'SessionStarted',
]);

function describeSessions({ it, play }: Bench): void {
  const two = (attributes: string) =>
    pipeline(
      `a [prompt="First, remember 7", ${attributes}]`,
      `b [prompt="Second", ${attributes}]`,
      'start -> a -> b -> exit',
    );
  const full = 'fidelity=full, thread_id=talk';

  it('continues with the conversation of its thread', ['sessions'], async () => {
    const { result, events, side } = await play({ scenes: [answers('Seven.'), plain], dot: two(full) });
    expect(result.status).toBe('success');
    const [first, second] = side.turns();
    expect(first?.earlier).toEqual([]);
    expect(second?.earlier).toHaveLength(1);
    expect(second?.earlier[0]).toContain('First, remember 7');
    expect(eventsOf(events, 'SessionStarted')[0]).toMatchObject({ node_id: 'a', thread_id: 'talk' });
  });

  it('starts over where the fidelity does not say to continue', ['sessions'], async () => {
    const { side } = await play({ scenes: [plain], dot: two('fidelity=compact') });
    expect(side.turns().map(({ earlier }) => earlier)).toEqual([[], []]);
  });

  it('continues with a conversation in another process', ['sessions'], async () => {
    let calls = 0;
    const { result, side, resume } = await play({
      scenes: [answers('Seven.'), plain],
      dot: two(full),
      wrap: (call) => {
        calls += 1;
        if (calls === 1) return call;
        throw new StageSuspension('later');
      },
    });
    expect(result.status).toBe('paused');
    expect((await resume()).result.status).toBe('success');
    expect(side.turns().at(-1)?.earlier[0]).toContain('First, remember 7');
  });
}

function describeTellings({ it, play }: Bench): void {
  const full = 'fidelity=full, thread_id=talk';
  const line = (target: string) =>
    pipeline(
      'goal="Remember numbers"',
      `a [prompt="First, remember 7", ${full}]`,
      'count [shape=parallelogram, tool_command="echo 3 files"]',
      `b [prompt="Second", ${full}]`,
      `c [prompt="Third", ${target}]`,
      'start -> a -> count -> b -> c -> exit',
    );

  it('says to a conversation what it has not seen, and that once', ['sessions'], async () => {
    const { result, side, directory } = await play({ scenes: [answers('Seven.'), plain], dot: line(full) });
    expect(result.status).toBe('success');
    const [first, second, third] = side.turns().map(({ prompt }) => prompt);
    expect(first).not.toContain('---');
    expect(second).toMatch(/Goal: Remember numbers[\s\S]*- count: success[\s\S]*its output: 3 files/);
    expect(second).not.toContain('Seven.');
    expect(third).not.toMatch(/Goal|count|---/);
    // A replay has the id of another run.
    const [told = '', kept] = [second ?? '', fileOf(directory, 'b/prompt.md')].map((text) =>
      text.replace(/^Run: .*/m, ''),
    );
    expect(told).toContain(kept);
  });

  it('has the system prompt once in a conversation', ['sessions'], async () => {
    const { result, side, directory } = await play({
      scenes: [plain],
      dot: line(full).replace('goal=', 'system_prompt="Win for $goal."; goal='),
    });
    expect(result.status).toBe('success');
    for (const { prompt, system = prompt, earlier } of side.turns()) {
      const isFirst = earlier.length === 0;
      expect(system.includes('Win for Remember numbers.')).toBe(system !== prompt || isFirst);
      if (system !== prompt) expect(prompt).not.toContain('Win for');
    }
    expect(fileOf(directory, 'a/system_prompt.md')).toBe('Win for Remember numbers.');
  });

  it('says all to a conversation that begins', ['sessions'], async () => {
    const { side } = await play({
      scenes: [answers('Seven.'), plain],
      dot: line('fidelity=full, thread_id=other'),
    });
    const third = side.turns()[2];
    expect(third?.earlier).toEqual([]);
    expect(third?.prompt).toMatch(/Goal: Remember numbers[\s\S]*- a: success[\s\S]*its answer: "Seven\."/);
  });
}

/** Nothing of the other side is at work any more, soon. */
function isQuiet(side: OtherSide): Promise<void> {
  return expect.poll(() => side.isAtWork(), { timeout: 20_000 }).toBe(false);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

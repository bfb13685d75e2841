import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Handler, StageCrash } from '../../src/handlers/handler.js';
import { queueInterviewer } from '../../src/run/questions/queue.js';
import { eventsOf, jsonOf, pipeline, runOnDisk, runPipeline, type Setup } from '../run/harness.js';
import { heldInterviewer } from '../support/interviewers.js';

const dot = (attributes = '') => pipeline(`a [type=custom${attributes}]`, 'start -> a -> exit');
const custom = (execute: Handler['execute']): Setup => ({ handlers: { custom: execute } });
/** What no compiler has seen. */
const returns = (value: unknown) => custom(() => value as undefined);

const autoStatus = ', auto_status=true';
const noOutcome = expect.stringContaining(
  'the handler of `custom` reported no outcome and wrote no status.json',
);
const invalid = expect.stringContaining('the handler of `custom` returned an invalid outcome');
const expectedOutcome =
  'expected an outcome: an object with a "status" (success, partial_success, retry, fail, skipped)';
const notAnOutcome = (found: string) => `the handler of \`custom\` returned ${found}; ${expectedOutcome}`;

describe('4.12, 62: what a handler may return', () => {
  test.each<[name: string, value: unknown, attributes: string, outcome: object]>([
    ['an outcome', { status: 'success', notes: 'n' }, '', { status: 'success', notes: 'n' }],
    ['nothing, which is a failure', undefined, '', { status: 'fail', failure_reason: noOutcome }],
    ['null, which is one too', null, '', { status: 'fail', failure_reason: noOutcome }],
    [
      'nothing, which auto_status counts as a success',
      undefined,
      autoStatus,
      { status: 'success', notes: 'auto-status: handler completed without writing status' },
    ],
    ['62: auto_status never changes a failure', { status: 'fail' }, autoStatus, { status: 'fail' }],
    ['no unknown status', { status: 'done' }, '', { status: 'fail', failure_reason: invalid }],
    ['84: no status in capitals', { status: 'SUCCESS' }, '', { status: 'fail', failure_reason: invalid }],
    ['no text', 'success', '', { status: 'fail', failure_reason: notAnOutcome('"success"') }],
    ['no number', 42, '', { status: 'fail', failure_reason: notAnOutcome('42') }],
    ['no list', [1], '', { status: 'fail', failure_reason: notAnOutcome('[1]') }],
    ['no function', () => 1, '', { status: 'fail', failure_reason: notAnOutcome('a function') }],
    [
      '62: an outcome without a status is none',
      { notes: 'n' },
      '',
      {
        status: 'fail',
        failure_reason: expect.stringContaining(
          'returned {"notes":"n"}, which has no "status", and wrote no',
        ),
      },
    ],
    [
      '62: auto_status supplies the status that is missing',
      { context_updates: { a: 1 } },
      autoStatus,
      { status: 'success', context_updates: { a: 1 } },
    ],
    ['no label that is not text', { status: 'success', preferred_label: 1 }, '', { failure_reason: invalid }],
    [
      'no ids that are not texts',
      { status: 'success', suggested_next_ids: [1] },
      '',
      { failure_reason: invalid },
    ],
    [
      'no updates that are a list',
      { status: 'success', context_updates: [] },
      '',
      { failure_reason: invalid },
    ],
    [
      'updates that are not JSON, as their text',
      { status: 'success', context_updates: { big: 10n, when: new Date(0), nothing: undefined } },
      '',
      { context_updates: { big: '10', when: '1970-01-01T00:00:00.000Z', nothing: null } },
    ],
  ])('%s', async (_name, value, attributes, outcome) => {
    const { events } = await runPipeline(dot(attributes), returns(value));
    const settled = events.find((event) => 'outcome' in event && event.node_id === 'a');
    expect(settled).toMatchObject({ outcome });
  });

  test('62: auto_status does not count a timeout as a success', async () => {
    const { result } = await runPipeline(
      dot(`${autoStatus}, timeout=1s`),
      custom(async ({ sleep }) => {
        await sleep(2000);
        return undefined;
      }),
    );
    expect(result).toMatchObject({ status: 'fail', failure_reason: 'timeout after 1s' });
  });

  test('62: nor a status file that is invalid', async () => {
    const { result } = await runPipeline(
      dot(autoStatus),
      custom((stage) => {
        stage.writeFile('status.json', '{');
        return undefined;
      }),
    );
    expect(result).toMatchObject({ status: 'fail', failure_reason: 'invalid status.json: it is not JSON' });
  });

  test('59b: a handler may report by its file alone', async () => {
    const { result } = await runOnDisk(
      dot(),
      custom((stage) => {
        stage.makeStageDirectory();
        writeFileSync(
          path.join(stage.stageDirectory, 'status.json'),
          '{"outcome":"success","notes":"filed"}',
        );
        return undefined;
      }),
    );
    expect(result.status).toBe('success');
  });
});

describe('4.12: a handler that throws', () => {
  test.each<[name: string, thrown: unknown, attributes: string, reason: string]>([
    ['an error', new Error('boom'), '', 'boom'],
    ['a text', 'boom', '', 'boom'],
    ['nothing', undefined, '', 'undefined'],
    ['62: auto_status does not help', new Error('boom'), autoStatus, 'boom'],
  ])('is a failure: %s', async (_name, thrown, attributes, reason) => {
    for (const execute of [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ]) {
      const { result } = await runPipeline(dot(attributes), custom(execute));
      expect(result).toMatchObject({ status: 'fail', failure_reason: reason, failed_node: 'a' });
    }
  });

  test('84: a StageCrash cannot be turned into a success by a file', async () => {
    const { result } = await runPipeline(
      dot(),
      custom((stage) => {
        stage.writeFile('status.json', '{"outcome":"success"}');
        throw new StageCrash('cut off', { context_updates: { x: 1 } });
      }),
    );
    expect(result).toMatchObject({ status: 'fail', failure_reason: 'cut off', context: { x: 1 } });
  });

  test('26: what it throws says whether another attempt may help', async () => {
    const { events } = await runPipeline(
      pipeline('default_max_retries=1', 'a [type=custom]', 'start -> a -> exit'),
      custom(() => {
        throw Object.assign(new Error('busy'), { status: 503 });
      }),
    );
    expect(eventsOf(events, 'StageRetrying')).toHaveLength(1);
  });
});

describe('5.1: the context of a handler', () => {
  test('11.12: has the updates of the stage before', async () => {
    const seen: unknown[] = [];
    const twice = pipeline('a [type=custom]', 'b [type=custom]', 'start -> a -> b -> exit');
    await runPipeline(
      twice,
      custom(({ node, context }) => {
        seen.push(context.get('by'));
        return { status: 'success', context_updates: { by: node.id } };
      }),
    );
    expect(seen).toEqual([undefined, 'a']);
  });

  test('what is set becomes part of the outcome, and the outcome wins', async () => {
    const { result, directory } = await runPipeline(
      dot(),
      custom(({ context }) => {
        context.set('x', 1);
        context.set('y', { deep: [1] });
        expect(context.get('x')).toBe(1);
        return { status: 'success', context_updates: { x: 2 } };
      }),
    );
    expect(result.context).toMatchObject({ x: 2, y: { deep: [1] } });
    expect(jsonOf(directory, 'a', 'status.json').context_updates).toEqual({ x: 2, y: { deep: [1] } });
  });

  test('what a failed attempt set is not seen by the next one', async () => {
    const seen: unknown[] = [];
    const { result } = await runPipeline(
      dot(', max_retries=1'),
      custom(({ context, attempt }) => {
        seen.push(context.get('x'));
        context.set('x', attempt);
        return { status: attempt === 1 ? 'retry' : 'success' };
      }),
    );
    expect(seen).toEqual([undefined, undefined]);
    expect(result.context.x).toBe(2);
  });

  test('66a: a value that is not JSON is kept as its text, with an entry in the run log', async () => {
    const { result, events } = await runPipeline(
      dot(),
      custom(({ context }) => {
        context.set('f', () => 1);
        context.set('n', Number.NaN);
        return { status: 'success' };
      }),
    );
    expect(result.context).toMatchObject({ f: '() => 1', n: 'NaN' });
    expect(eventsOf(events, 'LogAppended').map(({ message }) => message)).toEqual([
      'context key "f" was set to a value that is not JSON; its text is kept',
      'context key "n" was set to a value that is not JSON; its text is kept',
    ]);
  });

  test('72: changing what it gives changes nothing', async () => {
    const { result } = await runPipeline(dot(), {
      inputs: { list: [1] },
      ...custom(({ context }) => {
        const snapshot = context.snapshot();
        (snapshot.list as number[]).push(2);
        return { status: 'success' };
      }),
    });
    expect(result.context.list).toEqual([1]);
  });
});

describe('4.1: what a handler is given', () => {
  test('is the node, the graph, the run and its place', async () => {
    const given: unknown[] = [];
    const { result, directory } = await runPipeline(dot(', label="A", custom_attr=7, max_retries=1'), {
      workingDirectory: '/tmp',
      ...custom(
        ({ node, graph, runId, logsRoot, stageDirectory, workingDirectory, visit, attempt, signal }) => {
          given.push(node.attributes.get('custom_attr')?.value, graph.name, runId, logsRoot, stageDirectory);
          given.push(workingDirectory, visit, attempt, signal.aborted);
          return { status: attempt === 1 ? 'retry' : 'success' };
        },
      ),
    });
    const same = [7, 'G', result.run_id, directory, path.join(directory, 'a'), '/tmp', 1];
    expect(given).toEqual([...same, 1, false, ...same, 2, false]);
  });

  test('it may write to the run log', async () => {
    const { events } = await runPipeline(
      dot(),
      custom((stage) => {
        stage.log('warning', 'careful');
        stage.context.appendLog('noted');
        return { status: 'success' };
      }),
    );
    expect(eventsOf(events, 'LogAppended')).toMatchObject([
      { level: 'warning', message: 'careful', node_id: 'a' },
      { level: 'info', message: 'noted', node_id: 'a' },
    ]);
  });

  test('6.1, 75: it may ask, one question at a time', async () => {
    const asked: string[] = [];
    const { result } = await runPipeline(dot(), {
      interviewer: {
        ask(question) {
          asked.push(question.id);
          return Promise.resolve({ value: 'YES', text: question.text });
        },
      },
      ...custom(async (stage) => {
        const question = { type: 'YES_NO', options: [] } as const;
        const answers = await Promise.all([
          stage.ask({ ...question, text: 'one?' }),
          stage.ask({ ...question, text: 'two?' }),
        ]);
        return { status: 'success', context_updates: { answers: answers.map(({ text }) => text ?? '') } };
      }),
    });
    expect(asked).toEqual(['a.1.1.1', 'a.1.1.2']);
    expect(result.context.answers).toEqual(['one?', 'two?']);
  });

  test.each([
    ['SINGLE_SELECT', 'F', { type: 'MULTIPLE_CHOICE' }, { value: 'F' }],
    [
      'MULTI_SELECT',
      'f, a',
      { type: 'MULTIPLE_CHOICE' },
      { value: 'A, F', selected_options: [{ key: 'A' }, { key: 'F' }] },
    ],
    ['FREE_TEXT', 'why not', { type: 'FREEFORM' }, { value: 'why not', text: 'why not' }],
    ['CONFIRM', 'y', { type: 'CONFIRMATION' }, { value: 'YES' }],
    ['YES_NO', 'no', { type: 'YES_NO' }, { value: 'NO' }],
  ] as const)('58: it may ask a %s', async (type, typed, question, answer) => {
    const options = [
      { key: 'A', label: 'Approve' },
      { key: 'F', label: 'Fix' },
    ];
    const { result, events } = await runPipeline(dot(), {
      interviewer: queueInterviewer([typed]),
      ...custom(async (stage) => {
        const given = await stage.ask({ type, text: 'What now?', options });
        return { status: 'success', context_updates: { given: JSON.parse(JSON.stringify(given)) } };
      }),
    });
    expect(result.context.given).toMatchObject(answer);
    expect(eventsOf(events, 'InterviewStarted')).toMatchObject([
      { question: { id: 'a.1.1.1', stage: 'a', ...question } },
    ]);
  });

  test('58: one that asks what nobody can answer fails', async () => {
    const { result } = await runPipeline(
      dot(),
      custom(async (stage) => {
        await stage.ask({ type: 'SINGLE_SELECT', text: 'What now?' });
        return { status: 'success' };
      }),
    );
    expect(result).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringContaining('without options'),
    });
  });

  test('6.5: the default and the timeout of a question hold for every type', async () => {
    const { result, events } = await runPipeline(dot(), {
      interviewer: heldInterviewer(),
      ...custom(async (stage) => {
        const [words, confirmation] = await Promise.all([
          stage.ask({ type: 'FREE_TEXT', text: 'Why?', timeout_seconds: 60, default: { value: 'because' } }),
          stage.ask({ type: 'CONFIRM', text: 'Sure?', timeout_seconds: 60 }),
        ]);
        return { status: 'success', context_updates: { said: [words.text ?? '', confirmation.value] } };
      }),
    });
    expect(result.context.said).toEqual(['because', 'TIMEOUT']);
    expect(eventsOf(events, 'InterviewTimeout')).toHaveLength(2);
  });

  test('76: one that does not stop does not keep a cancelled run from ending', async () => {
    const cancelling = new AbortController();
    const { result } = await runPipeline(dot(), {
      signal: cancelling.signal,
      ...custom(() => {
        setImmediate(() => cancelling.abort());
        return new Promise(() => undefined);
      }),
    });
    expect(result.status).toBe('cancelled');
  });
});

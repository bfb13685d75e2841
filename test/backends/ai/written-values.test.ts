import { describe, expect, test } from 'vitest';
import { verdictDefinition } from '../../../src/backends/verdict.js';
import { answerMcp } from '../../../src/backends/verdict-server/answer-mcp.js';
import { parseKeyList } from '../../../src/parser/key-list/parse.js';
import { eventsOf, testEach } from '../../run/harness.js';
import { calls, says } from '../../support/mock-models.js';
import { bench, models, stage } from './bench.js';

const writes = 'l: list, m: map, a: any, v: pass|fail, i: integer, n: string?';
const values = { l: [1, 'a', { b: null }], m: { x: [] }, a: 'anything', v: 'fail', i: 3 };
const required = ['l', 'm', 'a', 'v', 'i'];

interface WireSchema {
  readonly name?: string;
  readonly function?: WireSchema;
  readonly functionDeclarations?: readonly WireSchema[];
  readonly parameters?: unknown;
  readonly input_schema?: unknown;
}

/** Schema of `context_updates` in a request, whatever the wire format. */
function schemaIn(body: Record<string, unknown> = {}): unknown {
  const tools = (Array.isArray(body.tools) ? body.tools : []) as readonly WireSchema[];
  const all = tools.flatMap((tool) => tool.functionDeclarations ?? [tool.function ?? tool]);
  const verdict = all.find(({ name }) => name === 'report_outcome');
  const schema = (verdict?.parameters ?? verdict?.input_schema) as { properties: Record<string, unknown> };
  return schema.properties.context_updates;
}

const anything = {};
const scalars = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];
const inGoogle = { anyOf: [...scalars, { type: 'array', items: { anyOf: scalars } }, { type: 'object' }] };

describe('103: a model of every wire format is given the schema of writes, and its values are taken', () => {
  testEach(models, async ({ name, attributes }) => {
    const { bodies, run } = await bench([
      calls(['report_outcome', { outcome: 'success', context_updates: values }]),
    ]);
    const { result } = await run(stage(`${attributes}, writes="${writes}"`));
    expect(result.failure_reason).toBeUndefined();
    expect(result.context).toMatchObject(values);
    const any = name === 'google' ? inGoogle : anything;
    expect(schemaIn(bodies[0])).toMatchObject({
      type: 'object',
      required,
      properties: {
        l: { type: 'array', items: any },
        m: { type: 'object' },
        a: any,
        v: { type: 'string', enum: ['pass', 'fail'] },
        i: { type: 'integer' },
        n: { type: 'string' },
      },
    });
    expect(JSON.stringify(bodies[0])).toContain('v (one of pass, fail)');
  });

  test('and an agent by the protocol of tools', () => {
    const { list } = parseKeyList(writes);
    const definition = verdictDefinition({ labels: [], targets: [], isChoice: false, writes: list?.entries });
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const answer = JSON.parse(
      String(answerMcp(line, [{ definition, take: () => ({ text: '', isError: false }) }])),
    );
    expect(answer.result.tools[0].inputSchema.properties.context_updates).toMatchObject({
      required,
      properties: { l: { type: 'array', items: {} }, m: { type: 'object' }, a: {} },
    });
  });
});

const report = (updates?: object) =>
  calls(['report_outcome', { outcome: 'success', ...(updates && { context_updates: updates }) }]);
const [{ attributes }] = models;

describe('103: what is missing or ill-typed is sent to the model, three times', () => {
  test('and corrected', async () => {
    const { run } = await bench([
      report(),
      report({ plan: '3', n: 1 }),
      report({ plan: [], n: '1' }),
      report({ plan: [], n: 1 }),
    ]);
    const { result, events } = await run(stage(`${attributes}, writes="plan: list, n: number"`));
    expect(result.context).toMatchObject({ plan: [], n: 1 });
    expect(eventsOf(events, 'ToolCallCompleted').map(({ output }) => output)).toEqual([
      'The outcome was not recorded: in "context_updates", plan: expected a list, but it is missing; n: expected a number, but it is missing. Call report_outcome again; you may try 3 more times.',
      'The outcome was not recorded: in "context_updates", plan: expected a list, found "3". Call report_outcome again; you may try 2 more times.',
      'The outcome was not recorded: in "context_updates", n: expected a number, found "1". Call report_outcome again; you may try once again.',
      'The outcome has been recorded. The stage ends when you stop.',
    ]);
  });

  test('then the stage fails, and names it', async () => {
    const { run } = await bench([report(), report(), report(), report()]);
    const { events } = await run(stage(`${attributes}, writes="plan: list"`));
    expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({
      failure_reason:
        '"work" did not set the keys that its `writes` declares: plan: expected a list, but it is missing',
      failure_category: 'terminal',
      retryable: false,
    });
  });

  test('a model that only talks is reminded as often', async () => {
    const { run, mock } = await bench([says('Done.'), says('Yes.'), report({ plan: [1] })]);
    const { result } = await run(stage(`${attributes}, writes="plan: list"`));
    expect(result.context.plan).toEqual([1]);
    expect(mock.requests()).toHaveLength(3);
    const never = await bench([says('Done.'), says('Yes.'), says('Yes.'), says('Yes.')]);
    const failed = await never.run(stage(`${attributes}, writes="plan: list"`));
    expect(never.mock.requests()).toHaveLength(4);
    expect(failed.result.failure_reason).toContain('plan: expected a list, but it is missing');
  });

  test('a failure needs no values, nor does a key that the node assigns', async () => {
    const { run } = await bench([calls(['report_outcome', { outcome: 'fail', failure_reason: 'no' }])]);
    const { result } = await run(stage(`${attributes}, writes="plan: list"`));
    expect(result.failure_reason).toBe('no');
    const { run: runOther } = await bench([says('Done.')]);
    const other = await runOther(
      stage(`${attributes}, writes="plan", "assign.plan"="\${context.last_response}"`),
    );
    expect(other.result.context.plan).toBe('Done.');
  });
});

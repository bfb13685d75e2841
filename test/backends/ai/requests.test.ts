import { describe, expect, test } from 'vitest';
import { eventsOf } from '../../run/harness.js';
import { says } from '../../support/mock-models.js';
import { bench, stage } from './bench.js';

describe('4.5: what a request has next to the prompt', () => {
  test.each<readonly [attributes: string, body: object]>([
    [
      'llm_model="claude-sonnet-4-5", reasoning_effort=low',
      { thinking: { type: 'enabled', budget_tokens: 4096 } },
    ],
    [
      'llm_model="claude-opus-4-6", reasoning_effort=medium',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
    ],
    ['llm_model="gpt-5.2", reasoning_effort=low', { reasoning: { effort: 'low' }, store: false }],
    ['llm_model="gpt-5.2"', { reasoning: { effort: 'high' } }],
    [
      'llm_model="gemini-2.5-pro", reasoning_effort=low',
      { generationConfig: { thinkingConfig: { thinkingBudget: 1024 } } },
    ],
    [
      'llm_model="gemini-3-pro-preview", reasoning_effort=low',
      { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } },
    ],
    ['llm_model="local/llama", reasoning_effort=low', { stream_options: { include_usage: true } }],
  ])('%s', async (attributes, body) => {
    const { bodies, run } = await bench([says('done')]);
    const { result, events } = await run(stage(attributes), { budgetUsd: 'none' });
    expect(result.failure_reason).toBeUndefined();
    expect(bodies[0]).toMatchObject(body);
    expect(bodies[0]).not.toHaveProperty('reasoning_effort');
    const said = eventsOf(events, 'LogAppended').filter(({ level }) => level === 'warning');
    expect(said).toEqual([]);
  });

  test('the situation, the tools, the verdict, and what Anthropic is to keep', async () => {
    const { bodies, run, workspace } = await bench([says('done')]);
    await run(
      stage('llm_model="claude-sonnet-4-5"', 'work -> exit [label=Ship]', 'work -> work [label=Again]'),
    );
    const [body = {}] = bodies;
    const text = JSON.stringify(body);
    expect(text).toContain(workspace);
    expect(text).toContain('you must call the tool');
    expect(body).toMatchObject({
      stream: true,
      system: [{ type: 'text', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Do the work.', cache_control: { type: 'ephemeral' } }],
        },
      ],
    });
    const tools = 'tools' in body && Array.isArray(body.tools) ? body.tools : [];
    const verdict = tools.find(({ name }) => name === 'report_outcome');
    expect(verdict.input_schema.properties.preferred_label.enum).toEqual(['Ship', 'Again']);
  });

  test('tools of OpenAI are not strict: some of their inputs are optional', async () => {
    const { bodies, run } = await bench([says('done')]);
    await run(stage('llm_model="gpt-5.2"'));
    const [body = {}] = bodies;
    const tools = 'tools' in body && Array.isArray(body.tools) ? body.tools : [];
    expect(tools.map(({ strict }) => strict)).toEqual(tools.map(() => false));
    expect(tools[0]).toMatchObject({ name: 'read_file', parameters: { required: ['path'] } });
    expect(JSON.stringify(tools)).not.toContain('$schema');
  });

  test('headers and a bound on the answer, as the settings say', async () => {
    const { mock } = await bench([says('done')]);
    const { run, bodies, headers } = await bench([], {
      settings: {
        ai: { max_output_tokens: 123 },
        providers: new Map([
          [
            'mine',
            {
              kind: 'anthropic',
              base_url: `${mock.url}/v1`,
              api_key_env: 'MINE',
              headers: { 'x-team': 't' },
            },
          ],
        ]),
      },
      variables: { MINE: 'my-key' },
    });
    const { result } = await run(stage('llm_provider=mine, llm_model="claude-3-5-haiku-latest"'));
    expect(result.failure_reason).toBeUndefined();
    expect(bodies[0]).toMatchObject({ max_tokens: 123 });
    expect(headers[0]?.get('x-team')).toBe('t');
    expect(headers[0]?.get('x-api-key')).toBe('my-key');
  });

  test('a word that the provider does not know is logged, and left out', async () => {
    const { bodies, run } = await bench([says('done')]);
    const { events } = await run(stage('llm_model="claude-opus-4-6", reasoning_effort=extreme'));
    expect(bodies[0]).not.toHaveProperty('thinking');
    const messages = eventsOf(events, 'LogAppended').map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringContaining('reasoning_effort "extreme" is not supported'));
  });

  test('a limit that the library sets for a model that it does not know is logged with our setting', async () => {
    const { run } = await bench([says('done')]);
    const { events } = await run(stage('llm_provider=anthropic, llm_model="nobody-knows"'));
    const messages = eventsOf(events, 'LogAppended').map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringContaining('Set `ai.max_output_tokens` explicitly'));
  });
});

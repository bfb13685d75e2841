import { expect, test } from 'vitest';
import { fileOf, pipeline } from '../../run/harness.js';
import { says } from '../../support/mock-models.js';
import { bench, models } from './bench.js';

type Body = Readonly<Record<string, unknown>>;

/** Where each wire format has the system prompt, and where it has what is said after it. */
const places: Readonly<Record<string, (body: Body) => { readonly system: unknown; readonly said: unknown }>> =
  {
    anthropic: ({ system, messages }) => ({ system, said: messages }),
    openai: ({ input, instructions }) => ({
      system: [instructions, ...withRole(input, isSystem)],
      said: withRole(input, (role) => !isSystem(role)),
    }),
    google: ({ systemInstruction, contents }) => ({ system: systemInstruction, said: contents }),
    local: ({ messages }) => ({
      system: withRole(messages, isSystem),
      said: withRole(messages, (role) => !isSystem(role)),
    }),
  };

const isSystem = (role: unknown): boolean => role === 'system' || role === 'developer';

function withRole(messages: unknown, isWanted: (role: unknown) => boolean): readonly unknown[] {
  return (messages as readonly Body[]).filter(({ role }) => isWanted(role));
}

test.each(models.map((model) => [model.name, model] as const))(
  '130: the system prompt of the pipeline is the system prompt of %s, in each request',
  async (_name, { provider, attributes }) => {
    const it = await bench([says('One.'), says('Two.')]);
    const { result, directory } = await it.run(
      pipeline(
        'goal="Win the race"',
        'inputs="style: string = terse"',
        'system_prompt="All work serves this: $goal. Write ${inputs.style} code."',
        `node [${attributes}, fidelity=full, thread_id=t]`,
        'one [prompt="First."]',
        'two [prompt="Second."]',
        'start -> one -> two -> exit',
      ),
    );
    expect(result.failure_reason).toBeUndefined();
    const text = 'All work serves this: Win the race. Write terse code.';
    expect(it.bodies).toHaveLength(2);
    for (const body of it.bodies) {
      const { system, said } = places[provider]?.(body) ?? {};
      expect(JSON.stringify(system)).toContain(text);
      expect(JSON.stringify(said)).not.toContain('All work serves this');
    }
    expect(fileOf(directory, 'one/system_prompt.md')).toBe(text);
  },
);

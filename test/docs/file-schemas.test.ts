import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configurationSchema } from '../../src/plugins/read-configuration.js';
import { scriptSchema } from '../../src/run-directory/simulation-script.js';
import { fileSchemaOf, type Schema } from './file-json-schema.js';
import { allPages, blocksOf, root } from './markdown.js';

const configuration = fileSchemaOf(
  configurationSchema,
  'Configuration of attractor',
  'An `attractor.config.json` or `.yaml`, with the plugins, models, agents, rules and properties of pipelines.',
);
// A plugin without options may be written as its name.
const { plugins, providers } = configuration.properties as { plugins: Schema; providers: Schema };
plugins.items = { anyOf: [{ type: 'string' }, plugins.items] };
// It is known only so that a message can say where a key belongs.
delete (providers.additionalProperties as { properties: Schema }).properties.api_key;

const schemas: Readonly<
  Record<string, { readonly schema: Schema; readonly isOne: (yaml: string) => boolean }>
> = {
  configuration: {
    schema: configuration,
    isOne: (yaml) =>
      /^(?:plugins|providers|agents|mcp_servers|prices|rules|properties|ai|budget_usd):/m.test(yaml),
  },
  script: {
    schema: fileSchemaOf(
      scriptSchema,
      'Script of a simulation',
      'Outcomes and answers of stages, which `attractor run --script` plays.',
    ),
    isOne: (yaml) => /^(?:nodes|answers):/m.test(yaml),
  },
};

describe.each(Object.entries(schemas))('the schema of a %s', (name, { schema, isOne }) => {
  const validate = new Ajv2020({ strict: false }).compile(schema);

  it('is in docs', async () => {
    const file = path.join(root, `docs/${name}.schema.json`);
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(file);
  });

  it('fits what the documentation shows', () => {
    const shown = allPages()
      .flatMap((page) => blocksOf(page, 'yaml'))
      .filter(({ text }) => isOne(text));
    expect(shown.length).toBeGreaterThan(1);
    for (const { text } of shown) {
      validate(parse(text));
      expect(validate.errors ?? [], text).toEqual([]);
    }
  });
});

it.each([
  ['configuration', 'plugins: [./a.mjs, { module: b, options: { c: 1 } }]', true],
  ['configuration', 'providers: { a: { base_url: "http://localhost:1/v1", api_key_env: KEY } }', true],
  ['configuration', 'providers: { a: { api_key: sk-1 } }', false],
  ['configuration', 'rules: { reachability: none }', false],
  ['configuration', 'agents: { a: { gateway: false, command: [b] } }', true],
  ['configuration', 'plugin: []', false],
  ['script', 'nodes: { a: { outcome: fail }, b: [{ delay: 2s }, { outcome: success }] }', true],
  ['script', 'answers: { a: [Yes, { choice: No, text: because }], b: 1 }', true],
  ['script', 'nodes: { a: { outcom: fail } }', false],
  ['script', 'node: {}', false],
])('the schema of a %s judges %s', (name, text, isValid) => {
  const validate = new Ajv2020({ strict: false }).compile(schemas[name]?.schema ?? expect.unreachable());
  expect(validate(parse(text))).toBe(isValid);
});

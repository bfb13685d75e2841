import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { testFileSchema } from '../../src/testing/test-file.js';
import { fileSchemaOf, type Schema } from './file-json-schema.js';
import { allPages, blocksOf, root } from './markdown.js';

const file = path.join(root, 'docs/test.schema.json');

function testJsonSchema(): Schema {
  const written = fileSchemaOf(
    testFileSchema,
    'Tests of a pipeline',
    'A `.test.yaml` file, which `attractor test` plays.',
  );
  const { path: pathKey = {}, asked = {} } = propertiesOf(written, 'cases', 'expect');
  // Both have a short form.
  pathKey.anyOf = [moved(pathKey), { type: 'array', items: { type: 'string' } }];
  asked.items = { anyOf: [asked.items, { type: 'string' }] };
  return written;
}

function moved(schema: Schema): Schema {
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'description'));
  for (const key of Object.keys(rest)) delete schema[key];
  return rest;
}

function propertiesOf(schema: Schema, ...keys: readonly string[]): Record<string, Schema> {
  let found = schema;
  for (const key of keys) {
    const property = (found.properties as Record<string, Schema>)[key] ?? {};
    found = (property.items as Schema | undefined) ?? property;
  }
  return found.properties as Record<string, Schema>;
}

describe('the schema of test files', () => {
  const validate = new Ajv2020({ strict: false }).compile(testJsonSchema());

  it('is docs/test.schema.json', async () => {
    await expect(`${JSON.stringify(testJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(file);
  });

  it('fits the files in the documentation', () => {
    const blocks = allPages()
      .flatMap((page) => blocksOf(page, 'yaml'))
      .filter((block) => block.option('file')?.endsWith('.test.yaml'))
      .map(({ text }) => text);
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks.filter((text) => !validate(parse(text)))).toEqual([]);
  });

  it.each([
    [
      'cases: [{ name: a, script: { nodes: { b: { outcome: fail }, c: [{ delay: 2s }] } }, expect: { path: [a] } }]',
      true,
    ],
    ['cases: [{ name: a, expect: { asked: [b, { stage: c, text: d }], prompts: { e: f } } }]', true],
    ['cases: [{ name: a, expect: { path: { contains: b, is: [c] } } }]', true],
    ['cases: [{ name: a, expect: { status: failed } }]', false],
    ['cases: [{ name: a, script: { nodes: { b: { outcom: fail } } } }]', false],
    ['cases: [{ name: a, expect: { visits: { b: many } } }]', false],
    ['cases: [{ nam: a }]', false],
    ['cases: []', false],
  ])('judges %s', (text, isValid) => {
    expect(validate(parse(text))).toBe(isValid);
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventProblem } from '../../src/journal/check-event.js';
import { eventSchemas } from '../../src/journal/event-schemas.js';
import { fieldsOfEvents } from './event-fields.js';
import { eventJsonSchema, type JsonSchema } from './event-json-schema.js';
import { eventReference } from './event-reference.js';
import { blocksOf, readPage, root } from './markdown.js';
import { sampleJournals } from './sample-runs.js';

const file = path.join(root, 'docs/events.schema.json');

/** What a schema of JSON Schema 2020-12 may look like, for the keywords that are in use here; others are refused. */
const schemaShape: z.ZodType<JsonSchema> = z.lazy(() =>
  z.strictObject({
    $schema: z.literal('https://json-schema.org/draft/2020-12/schema').optional(),
    $ref: z.string().startsWith('#/$defs/').optional(),
    $defs: z.record(z.string(), schemaShape).optional(),
    title: z.string().min(1).optional(),
    description: z.string().min(1).optional(),
    type: z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean']).optional(),
    const: z.unknown().optional(),
    enum: z.array(z.string()).min(1).optional(),
    properties: z.record(z.string(), schemaShape).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: schemaShape.optional(),
    items: schemaShape.optional(),
    oneOf: z.array(schemaShape).min(1).optional(),
    anyOf: z.array(schemaShape).min(1).optional(),
    minimum: z.number().optional(),
    pattern: z.string().optional(),
    format: z.literal('date-time').optional(),
  }),
) as z.ZodType<JsonSchema>;

describe('the schema of events', () => {
  it('is docs/events.schema.json', async () => {
    await expect(`${JSON.stringify(eventJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(file);
  });

  it('is JSON Schema 2020-12', () => {
    const schema = schemaShape.parse(JSON.parse(readFileSync(file, 'utf8')));
    const definitions = schema.$defs ?? {};
    const references = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(new Set(references)).toEqual(new Set(Object.keys(definitions)));
    for (const { required = [], properties = {} } of Object.values(definitions)) {
      expect(required.filter((name) => properties[name] === undefined)).toEqual([]);
      expect(new Set(required).size).toBe(required.length);
    }
  });

  it('has a title and a description for every type and every field', () => {
    for (const [name, { title, description, properties = {} }] of Object.entries(
      eventJsonSchema().$defs ?? {},
    )) {
      expect([title, description], name).toEqual([expect.any(String), expect.any(String)]);
      for (const [field, schema] of Object.entries(properties)) {
        expect([schema.title, schema.description], `${name}.${field}`).toEqual([
          expect.stringMatching(/^[A-Z]/),
          expect.stringMatching(/^[A-Z`].*\.$/),
        ]);
      }
    }
  });

  it('has the types of the source', () => {
    expect(Object.keys(eventSchemas()).toSorted()).toEqual([...fieldsOfEvents().keys()].toSorted());
  });

  it('holds for every line of runs that have events of every type', async () => {
    const schema = z.fromJSONSchema(JSON.parse(readFileSync(file, 'utf8')));
    const events = (await sampleJournals()).flat();
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(Object.keys(eventSchemas())));
    for (const event of events) {
      expect(eventProblem(event), event.description).toBeUndefined();
      expect(schema.safeParse(event).error, event.description).toBeUndefined();
    }
  });

  it('does not hold for what is not an event, and lets a later version say more', async () => {
    const schema = z.fromJSONSchema(JSON.parse(readFileSync(file, 'utf8')));
    const [event] = (await sampleJournals())[0] ?? [];
    expect(schema.safeParse({ ...event, later: 1 }).success).toBe(true);
    for (const change of [
      { seq: 0 },
      { seq: '1' },
      { name: undefined },
      { type: 'Teleported' },
      { inputs: [] },
    ]) {
      expect(schema.safeParse({ ...event, ...change }).success, JSON.stringify(change)).toBe(false);
    }
  });
});

describe('the page of events', () => {
  it('is docs/events.md', async () => {
    await expect(await eventReference()).toMatchFileSnapshot(path.join(root, 'docs/events.md'));
  });

  it('has a sample of every type', () => {
    const types = blocksOf(readPage('docs/events.md'), 'json').map(({ text }) => JSON.parse(text).type);
    expect(types.toSorted()).toEqual(Object.keys(eventSchemas()).toSorted());
  });
});
